#pragma once
#include "fem/mesh.hpp"

namespace cardiowarp::test {

/// Two tetrahedra over one face, 5 nodes: (0,0,0) (1,0,0) (0,1,0) (0,0,1) and, 2 mm out, (2,2,2).
/// Volumes lv (1) and scar (2); surfaces epi (3), and 7 without a name.
inline Mesh small_mesh() {
  Mesh mesh;
  mesh.nodes = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {2, 2, 2}};
  mesh.tetrahedra = {{0, 1, 2, 3}, {1, 2, 3, 4}};
  mesh.element_tags = {1, 2};
  mesh.triangles = {{0, 1, 2}, {2, 3, 4}};
  mesh.triangle_tags = {3, 7};
  mesh.volume_names = {{"lv", 1}, {"scar", 2}};
  mesh.surface_names = {{"epi", 3}};
  return mesh;
}

}  // namespace cardiowarp::test
