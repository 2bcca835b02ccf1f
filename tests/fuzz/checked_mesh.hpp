#pragma once
#include <cmath>

#include "fem/mesh.hpp"
#include "fem/mesh_check.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace cardiowarp::fuzz {

/// Gives a mesh to the check that every mesh passes. Throws InputError where that refuses it; a mesh that it takes must
/// have sizes that can be computed with.
inline MeshReport check_thoroughly(Mesh&& mesh) {
  const MeshReport report = check_mesh(mesh);
  for (const Real length : {report.shortest_edge_mm, report.mean_edge_mm, report.longest_edge_mm, report.volume_mm3})
    require(std::isfinite(length) && length > 0, "a checked mesh with a size that is not positive and finite");
  for (const Tetrahedron& corners : mesh.tetrahedra)
    for (const Index node : corners)
      require(node >= 0 && static_cast<std::size_t>(node) < mesh.nodes.size(), "a checked mesh with a missing node");
  return report;
}

}  // namespace cardiowarp::fuzz
