#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace cardiowarp {

/// The measure of a unit of a CellML file: `scale` of the SI units whose exponents are `dimension`, above a zero of
/// `offset` (of celsius alone). Units that a file calls base units are dimensions of their own.
struct CellMlUnit {
  std::string name;
  double scale = 1, offset = 0;
  std::map<std::string, double> dimension = {};  ///< exponents other than 0, by the name of the base unit
};

/// Whether both measure the same thing.
bool is_same_dimension(const CellMlUnit& a, const CellMlUnit& b);

/// By what a number in `from` is multiplied to be one in `to`; nothing where they measure different things.
std::optional<double> conversion(const CellMlUnit& from, const CellMlUnit& to);

/// The standard units volt and second in thousandths, in which the program computes.
const CellMlUnit& millivolt();
const CellMlUnit& millisecond();

/// One factor of a units definition: multiplier · (prefix · unit)^exponent.
struct CellMlUnitFactor {
  std::string unit;
  double multiplier = 1, prefix = 1, exponent = 1, offset = 0;
};

/// Units by name: the standard ones of CellML and those that a file or a component of it defines. A name is looked up
/// here first and then in `outer`.
class CellMlUnits {
 public:
  explicit CellMlUnits(const CellMlUnits* outer = nullptr) : outer_(outer) {}

  /// Throws InputError where the name is already defined here.
  void define(const std::string& name, std::vector<CellMlUnitFactor> factors);
  void define_base(const std::string& name);
  /// A unit that is known already, under a further name.
  void define_as(const std::string& name, const CellMlUnit& unit);

  /// Throws InputError for a name that is not defined, or is defined by itself.
  CellMlUnit find(const std::string& name) const;

 private:
  CellMlUnit found(const std::string& name, int depth) const;
  void require_new(const std::string& name) const;

  const CellMlUnits* outer_;
  std::map<std::string, std::vector<CellMlUnitFactor>> defined_;
  std::map<std::string, CellMlUnit> known_;
  mutable std::map<std::string, CellMlUnit> made_;  ///< of `defined_`, as far as they were asked for
};

/// The number that a prefix stands for: `milli`, or `-3`. Throws InputError.
double unit_prefix(const std::string& text);

}  // namespace cardiowarp
