#include "app/simulation/mesh_arrays.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "app/config/mesh_config.hpp"
#include "fem/input_error.hpp"
#include "fem/mesh.hpp"
#include "fem/nearest_name.hpp"
#include "meshes/mesh_format.hpp"
#include "meshes/suffix.hpp"

namespace cardiowarp {
namespace {

/// `cell arrays region (1), FIB_DIR (3); point arrays none`: names with their components.
std::string list_of(const std::vector<FileArray>& arrays) {
  std::vector<std::string> of_cells, of_points;
  for (const FileArray& array : arrays)
    (array.of_points ? of_points : of_cells).push_back(fmt::format("{} ({})", array.name, array.components));
  const auto list = [](const std::vector<std::string>& names) {
    return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
  };
  return fmt::format("cell arrays {}; point arrays {}", list(of_cells), list(of_points));
}

/// `usable` says whether an array can be what the key asks for.
template <class Usable>
void require_chosen(const ArrayChoice& choice, const char* expected, const MeshConfig& config, const Mesh& mesh,
                    const Usable& usable) {
  if (choice.name.empty()) return;
  std::vector<std::string> names;
  for (const FileArray& array : mesh.arrays) {
    if (!usable(array)) continue;
    if (array.name == choice.name) return;
    names.push_back(array.name);
  }
  throw InputError(fmt::format("{}: expected {} of '{}', got '{}'{} (numbers of components in brackets: {})",
                               choice.place, expected, config.file.string(), choice.name,
                               suggestion(choice.name, names), list_of(mesh.arrays)));
}

}  // namespace

void require_chosen_arrays(const MeshConfig& config, const Mesh& mesh) {
  require_chosen(config.tags, "a cell array of whole numbers", config, mesh,
                 [](const FileArray& array) { return !array.of_points && array.components == 1; });
  require_chosen(config.fibers, "a cell or point array of 3 components", config, mesh,
                 [](const FileArray& array) { return array.components == 3; });
  for (const ArrayChoice& values : config.values)
    require_chosen(values, "a cell or point array of 1 component", config, mesh,
                   [](const FileArray& array) { return array.components == 1; });
}

std::string where_tags_may_be(const Mesh& mesh) {
  std::vector<std::string> candidates;
  for (const FileArray& array : mesh.arrays)
    if (!array.of_points && array.components == 1) candidates.push_back(array.name);
  const bool has_tags =
      !mesh.volume_names.empty() || std::ranges::any_of(mesh.element_tags, [](int tag) { return tag != 0; });
  if (candidates.empty())
    return has_tags ? "" : "; no element of the file is in a group (in Gmsh: Physical Volume(\"name\") = {1};)";
  return fmt::format("; mesh.tags names the cell array of the file that holds the tags: {}",
                     fmt::join(candidates, ", "));
}

std::string where_fibers_are_expected(const Mesh& mesh, const std::filesystem::path& file) {
  const MeshFormat* const format = mesh_format_of(file);
  if (format != nullptr && !format->fibers_beside.empty())
    return fmt::format("expected them in '{}'",
                       std::filesystem::path(file).replace_extension(format->fibers_beside).string());
  if (!has_named_arrays(file))
    return fmt::format("files {} have none: take {}", suffix_of(file), formats_with_fibers());
  std::vector<std::string> candidates;
  for (const FileArray& array : mesh.arrays)
    if (array.components == 3) candidates.push_back(array.name);
  const std::string names = candidates.empty()
                                ? "none of its arrays has 3 components"
                                : fmt::format("name one of {} in fibers.array", fmt::join(candidates, ", "));
  return fmt::format(
      "expected a cell or point array fiber, fibre, fibers or fibres of 3 components; {} (numbers of components in "
      "brackets: {})",
      names, list_of(mesh.arrays));
}

}  // namespace cardiowarp
