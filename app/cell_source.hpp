#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "fem/cells/beats/single_cell.hpp"

namespace cardiowarp {

// The cell that `cardiowarp cell MODEL` is about: one of the program's models, or one that a CellML file describes. The
// command prints it, warns of it and lets it beat without knowing which of the two it is.

/// A user's choice of a cell, as words of the command line.
struct CellWishes {
  std::string model;                        ///< a name, or the path of a file
  std::string set;                          ///< a kind of cell of a model of the program; empty: the first
  std::string precision;                    ///< of a model of the program; empty: double
  std::vector<std::string> parameters;      ///< name=value
  std::string potential, stimulus_current;  ///< variables of a CellML file
};

/// A checked cell model.
class CellSource {
 public:
  CellSource() = default;
  CellSource(const CellSource&) = delete;
  CellSource& operator=(const CellSource&) = delete;
  virtual ~CellSource() = default;

  virtual std::string name() const = 0;
  virtual std::vector<std::string> states() const = 0;
  /// A cell as it begins, which lives no longer than this.
  virtual std::unique_ptr<SingleCell> make() const = 0;
  /// The pulse that makes it beat, where a user gives none. It is no longer than `period_ms`.
  virtual CellPulse usual_pulse(double period_ms) const = 0;
  /// Prints the model with its states and parameters as a report.
  virtual void print() const = 0;
  /// Warns of what is known to be wrong with it.
  virtual void warn() const {}
};

/// The cell that is wished for. Throws InputError, which begins with the word of the command line or the place in the
/// file, where there is no such model, set or parameter, or a value is not one of these that are expected.
std::unique_ptr<CellSource> cell_source(const CellWishes& wishes);

/// The file that a wish for a model names; empty where it names a model of the program.
std::filesystem::path cellml_file_of(const std::string& model);

}  // namespace cardiowarp
