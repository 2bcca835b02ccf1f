#include "app/heart_mesh.hpp"

#include <algorithm>
#include <cstddef>

#include "fem/mesh.hpp"

namespace cardiowarp {

void add_found_surfaces(const HeartSurfaces& surfaces, Mesh& mesh) {
  if (!surfaces.found || mesh.is_quadratic()) return;
  int tag = 11;
  for (const int taken : mesh.element_tags) tag = std::max(tag, taken + 1);
  for (const int taken : mesh.triangle_tags) tag = std::max(tag, taken + 1);
  if (mesh.further_triangle_tags.set_of_cell.size() == mesh.triangles.size() && !mesh.triangles.empty())
    mesh.further_triangle_tags.set_of_cell.resize(mesh.triangles.size() + surfaces.boundary.size(), 0);
  for (const HeartSurface surface : heart_surfaces) {
    bool has_faces = false;
    for (std::size_t face = 0; face < surfaces.boundary.size(); ++face) {
      if (surfaces.found->of_face[face] != surface) continue;
      mesh.triangles.push_back(surfaces.boundary[face]);
      mesh.triangle_tags.push_back(tag);
      has_faces = true;
    }
    if (has_faces) mesh.surface_names[name_of(surface)] = tag++;
  }
}

}  // namespace cardiowarp
