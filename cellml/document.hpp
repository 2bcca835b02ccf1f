#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cellml/formula.hpp"
#include "cellml/units.hpp"

namespace cardiowarp {

// A CellML file as it is written, with what it imports in the place of the imports. CellML 1.0, 1.1 and 2.0 have one
// form here. equation_system.hpp finds what the variables mean together.

struct CellMlVariable {
  std::string name;
  CellMlUnit unit;
  std::string initial = {};  ///< the initial value: a number or the name of a variable of the component; may be empty
  std::string annotation = {};  ///< `cmeta:id` (2.0: `id`), may be empty
};

struct CellMlComponent {
  std::string name;
  std::vector<CellMlVariable> variables = {};
  std::vector<Equation> equations = {};
  std::string parent = {};  ///< the component that encapsulates it; may be empty
};

/// Two variables that are one.
struct CellMlConnection {
  std::string component_1, variable_1, component_2, variable_2;
};

struct CellMlDocument {
  std::filesystem::path file;
  std::string name, version;  ///< of the model; `1.0`, `1.1` or `2.0`
  std::vector<CellMlComponent> components = {};
  std::vector<CellMlConnection> connections = {};
  /// The names that the file's metadata give to a variable beside its `cmeta:id`, by id.
  std::map<std::string, std::set<std::string>> meanings = {};
};

/// Reads a file and those that it imports, which must be in its folder or below. Throws InputError with the file, the
/// component and the variable concerned.
CellMlDocument read_cellml_document(const std::filesystem::path& file);

/// Parses text likewise, which imports from `folder`; nothing where it is empty.
CellMlDocument parse_cellml_document(const std::string& text, const std::filesystem::path& folder);

}  // namespace cardiowarp
