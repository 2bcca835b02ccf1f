#include "app/heart_mesh.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "app/advice/mesh_remarks.hpp"
#include "app/advice/mesh_size.hpp"
#include "app/config/config_names.hpp"
#include "app/config/quantity.hpp"
#include "app/files/removed_at_signal.hpp"
#include "app/files/result_file.hpp"
#include "app/process/log.hpp"
#include "fem/input_error.hpp"
#include "fem/mesh_check.hpp"
#include "meshes/mesh_file.hpp"
#include "meshes/opencarp_file.hpp"
#include "meshes/replaced_mesh.hpp"

namespace cardiowarp {

LengthUnit unit_of_heart(const std::string& word, const std::filesystem::path& mesh_file) {
  if (word.empty()) return standard_length_unit(mesh_file);
  for (const auto& [name, unit] : length_unit_names)
    if (name == ascii_unit(word)) return unit;
  throw InputError(fmt::format("--length-unit: expected m, cm, mm or um, got '{}'", word));
}

void require_beside_mesh(const std::filesystem::path& output, const std::filesystem::path& mesh_file) {
  require_writable("--output", output, {mesh_file});
  if (replaces_mesh(output, mesh_file))
    throw InputError(fmt::format("--output: '{}' is a file of the mesh", output.string()));
}

Mesh read_heart(const std::filesystem::path& mesh_file, LengthUnit unit) {
  Mesh mesh = read_mesh(mesh_file, unit);
  const MeshReport report = check_mesh_of(mesh_file, mesh);
  if (const std::string warning = size_warning(report, unit, "--length-unit"); !warning.empty())
    log_warn("{}", warning);
  log_remarks(mesh, mesh_file);
  return mesh;
}

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
