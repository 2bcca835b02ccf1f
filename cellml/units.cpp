#include "cellml/units.hpp"

#include <cmath>
#include <cstddef>
#include <utility>

#include "cellml/number_text.hpp"
#include "fem/input_error.hpp"

namespace cardiowarp {
namespace {

using Dimension = std::map<std::string, double>;

/// A unit out of exponents of metre, kilogram, second, ampere, kelvin, mole and candela.
struct StandardUnit {
  const char* name;
  double scale;
  double metre, kilogram, second, ampere = 0, kelvin = 0, mole = 0, candela = 0;
};

// CellML 2.0, table 3.2 (and `celsius`, `liter`, `meter` of CellML 1.x).
constexpr StandardUnit standard_units[] = {
    {"ampere", 1, 0, 0, 0, 1},        {"becquerel", 1, 0, 0, -1},   {"candela", 1, 0, 0, 0, 0, 0, 0, 1},
    {"celsius", 1, 0, 0, 0, 0, 1},    {"coulomb", 1, 0, 0, 1, 1},   {"dimensionless", 1, 0, 0, 0},
    {"farad", 1, -2, -1, 4, 2},       {"gram", 1e-3, 0, 1, 0},      {"gray", 1, 2, 0, -2},
    {"henry", 1, 2, 1, -2, -2},       {"hertz", 1, 0, 0, -1},       {"joule", 1, 2, 1, -2},
    {"katal", 1, 0, 0, -1, 0, 0, 1},  {"kelvin", 1, 0, 0, 0, 0, 1}, {"kilogram", 1, 0, 1, 0},
    {"liter", 1e-3, 3, 0, 0},         {"litre", 1e-3, 3, 0, 0},     {"lumen", 1, 0, 0, 0, 0, 0, 0, 1},
    {"lux", 1, -2, 0, 0, 0, 0, 0, 1}, {"meter", 1, 1, 0, 0},        {"metre", 1, 1, 0, 0},
    {"mole", 1, 0, 0, 0, 0, 0, 1},    {"newton", 1, 1, 1, -2},      {"ohm", 1, 2, 1, -3, -2},
    {"pascal", 1, -1, 1, -2},         {"radian", 1, 0, 0, 0},       {"second", 1, 0, 0, 1},
    {"siemens", 1, -2, -1, 3, 2},     {"sievert", 1, 2, 0, -2},     {"steradian", 1, 0, 0, 0},
    {"tesla", 1, 0, 1, -2, -1},       {"volt", 1, 2, 1, -3, -1},    {"watt", 1, 2, 1, -3},
    {"weber", 1, 2, 1, -2, -1},
};

std::map<std::string, CellMlUnit> made_standard_units() {
  std::map<std::string, CellMlUnit> units;
  for (const StandardUnit& unit : standard_units) {
    CellMlUnit made{unit.name, unit.scale, unit.name == std::string("celsius") ? 273.15 : 0};
    const std::pair<const char*, double> exponents[] = {
        {"metre", unit.metre},   {"kilogram", unit.kilogram}, {"second", unit.second},  {"ampere", unit.ampere},
        {"kelvin", unit.kelvin}, {"mole", unit.mole},         {"candela", unit.candela}};
    for (const auto& [name, exponent] : exponents)
      if (exponent != 0) made.dimension[name] = exponent;
    units.emplace(unit.name, made);
  }
  return units;
}

const std::map<std::string, CellMlUnit>& standard() {
  static const std::map<std::string, CellMlUnit> units = made_standard_units();
  return units;
}

CellMlUnit thousandth(const char* of, const char* name) {
  CellMlUnit unit = standard().at(of);
  unit.name = name;
  unit.scale = 1e-3;
  return unit;
}

}  // namespace

bool is_same_dimension(const CellMlUnit& a, const CellMlUnit& b) {
  if (a.dimension.size() != b.dimension.size()) return false;
  for (const auto& [name, exponent] : a.dimension) {
    const auto found = b.dimension.find(name);
    if (found == b.dimension.end() || std::abs(found->second - exponent) > 1e-9) return false;
  }
  return true;
}

std::optional<double> conversion(const CellMlUnit& from, const CellMlUnit& to) {
  if (!is_same_dimension(from, to) || from.offset != to.offset) return std::nullopt;
  return from.scale == to.scale ? 1 : from.scale / to.scale;
}

const CellMlUnit& millivolt() {
  static const CellMlUnit unit = thousandth("volt", "millivolt");
  return unit;
}

const CellMlUnit& millisecond() {
  static const CellMlUnit unit = thousandth("second", "millisecond");
  return unit;
}

void CellMlUnits::require_new(const std::string& name) const {
  if (defined_.contains(name) || known_.contains(name)) throw InputError("units '" + name + "' are defined twice");
}

void CellMlUnits::define(const std::string& name, std::vector<CellMlUnitFactor> factors) {
  require_new(name);
  defined_.emplace(name, std::move(factors));
}

void CellMlUnits::define_base(const std::string& name) {
  require_new(name);
  known_.emplace(name, CellMlUnit{name, 1, 0, {{name, 1}}});
}

void CellMlUnits::define_as(const std::string& name, const CellMlUnit& unit) {
  require_new(name);
  CellMlUnit renamed = unit;
  renamed.name = name;
  known_.emplace(name, renamed);
}

CellMlUnit CellMlUnits::find(const std::string& name) const { return found(name, 0); }

CellMlUnit CellMlUnits::found(const std::string& name, int depth) const {
  if (depth > 50) throw InputError("units '" + name + "' are defined by themselves, or more than 50 units deep");
  if (const auto known = known_.find(name); known != known_.end()) return known->second;
  const auto defined = defined_.find(name);
  if (defined == defined_.end()) {
    if (outer_ != nullptr) return outer_->found(name, depth + 1);
    if (const auto unit = standard().find(name); unit != standard().end()) return unit->second;
    throw InputError("units '" + name + "' are not defined");
  }
  // Kept, as a file could name a unit twice in each of fifty that build on each other.
  if (const auto made = made_.find(name); made != made_.end()) return made->second;
  CellMlUnit product{name};
  for (const CellMlUnitFactor& factor : defined->second) {
    const CellMlUnit unit = found(factor.unit, depth + 1);
    product.scale *= factor.multiplier * std::pow(factor.prefix * unit.scale, factor.exponent);
    if (defined->second.size() == 1 && factor.exponent == 1) product.offset = unit.offset + factor.offset;
    for (const auto& [base, exponent] : unit.dimension) {
      double& sum = product.dimension[base];
      sum += exponent * factor.exponent;
      if (std::abs(sum) < 1e-12) product.dimension.erase(base);
    }
  }
  if (!std::isfinite(product.scale) || product.scale <= 0)
    throw InputError("units '" + name + "': expected a finite size above 0, got " + number_text(product.scale));
  made_.emplace(name, product);
  return product;
}

double unit_prefix(const std::string& text) {
  static const std::map<std::string, int> prefixes = {
      {"yotta", 24}, {"zetta", 21}, {"exa", 18},   {"peta", 15},   {"tera", 12},  {"giga", 9},    {"mega", 6},
      {"kilo", 3},   {"hecto", 2},  {"deca", 1},   {"deka", 1},    {"deci", -1},  {"centi", -2},  {"milli", -3},
      {"micro", -6}, {"nano", -9},  {"pico", -12}, {"femto", -15}, {"atto", -18}, {"zepto", -21}, {"yocto", -24}};
  if (const auto found = prefixes.find(text); found != prefixes.end()) return std::pow(10.0, found->second);
  const std::optional<double> power = number_of(text);
  if (!power || *power != std::round(*power) || std::abs(*power) > 30)
    throw InputError("expected a prefix such as milli or -3, got '" + text + "'");
  return std::pow(10.0, *power);
}

}  // namespace cardiowarp
