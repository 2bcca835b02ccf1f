#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "meshes/length_unit.hpp"

namespace cardiowarp {

// The section `mesh`, and arrays of the mesh file, which other sections name, too.

/// An array that the mesh file should have; without a name the usual ones are looked for.
struct ArrayChoice {
  std::string name = {};
  std::string place = {};  ///< in the YAML text, for messages: `file:line:column: key`
};

struct MeshConfig {
  std::filesystem::path file;
  LengthUnit length_unit = LengthUnit::millimetre;
  std::string place = {};   ///< of `file`
  ArrayChoice tags = {};    ///< a VTK file's region tags
  ArrayChoice fibers = {};  ///< a VTK file's fibers: `fibers.array`, here because it is the mesh's reader that needs it
  std::vector<ArrayChoice> values = {};  ///< a VTK file's arrays of parameters of cells, each once
};

}  // namespace cardiowarp
