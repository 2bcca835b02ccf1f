#include "app/given_mesh.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "app/advice/mesh_remarks.hpp"
#include "app/advice/mesh_size.hpp"
#include "app/config/config_names.hpp"
#include "app/config/quantity.hpp"
#include "app/files/result_file.hpp"
#include "app/process/log.hpp"
#include "fem/components.hpp"
#include "fem/input_error.hpp"
#include "fem/mesh_check.hpp"
#include "fem/nearest_name.hpp"
#include "meshes/mesh_file.hpp"
#include "meshes/mesh_format.hpp"
#include "meshes/replaced_mesh.hpp"

namespace cardiowarp {
namespace {

std::vector<std::string> unit_names() {
  std::vector<std::string> names;
  for (const auto& [name, unit] : length_unit_names) names.emplace_back(name);
  return names;
}

}  // namespace

std::string length_unit_help(const std::string& of) {
  return fmt::format("Unit of the {}: {}; default: {}", of, fmt::join(unit_names(), ", "), standard_units_in_words());
}

LengthUnit given_length_unit(const std::string& word, const std::filesystem::path& mesh_file) {
  if (word.empty()) return standard_length_unit(mesh_file);
  for (const auto& [name, unit] : length_unit_names)
    if (name == ascii_unit(word)) return unit;
  const std::vector<std::string> names = unit_names();
  throw InputError(
      fmt::format("--length-unit: expected {}, got '{}'{}", fmt::join(names, ", "), word, suggestion(word, names)));
}

void require_beside_mesh(const std::filesystem::path& output, const std::filesystem::path& mesh_file) {
  require_writable("--output", output, {mesh_file});
  if (replaces_mesh(output, mesh_file))
    throw InputError(fmt::format("--output: '{}' is a file of the mesh", output.string()));
}

Mesh read_given_mesh(const std::filesystem::path& mesh_file, LengthUnit unit, WarnsOfParts warns) {
  Mesh mesh = read_mesh(mesh_file, unit);
  const MeshReport report = check_mesh_of(mesh_file, mesh);
  if (const std::string warning = size_warning(report, unit, "--length-unit"); !warning.empty())
    log_warn("{}", warning);
  log_remarks(mesh, mesh_file);
  if (warns == WarnsOfParts::no) return mesh;
  if (const std::string warning = parts_warning(mesh, connected_components(mesh), report); !warning.empty())
    log_warn("{}: {}", mesh_file.string(), warning);
  return mesh;
}

}  // namespace cardiowarp
