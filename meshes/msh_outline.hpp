#pragma once
#include <filesystem>
#include <vector>

#include "fem/vector3.hpp"

namespace cardiowarp {

/// What a `.msh` file declares, found by walking through all its sections.
struct MshOutline {
  bool version_2 = false;  ///< 2.2, otherwise 4.1
  std::size_t nodes = 0, tetrahedra = 0;
  std::vector<std::size_t> node_tags;  ///< [nodes] in the file's order; 2.2 only, where Gmsh drops unused nodes
  std::vector<Vector3> points;         ///< [nodes] likewise
};

/// Walks through a Gmsh file of version 2.2 or 4.1, because Gmsh itself reads damaged and truncated files without
/// complaint. Throws InputError "file:line: ..." (a byte position in binary files) at the first thing out of place.
MshOutline outline_msh(const std::filesystem::path& file);

}  // namespace cardiowarp
