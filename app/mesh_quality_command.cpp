#include "app/mesh_quality_command.hpp"

#include <fmt/format.h>

#include <numeric>
#include <vector>

#include "app/given_mesh.hpp"
#include "app/process/standard_streams.hpp"
#include "fem/input_error.hpp"
#include "fem/mesh.hpp"
#include "fem/mesh_quality.hpp"
#include "meshes/mesh_fields.hpp"
#include "meshes/mesh_file.hpp"
#include "meshes/opencarp_file.hpp"
#include "meshes/suffix.hpp"

namespace cardiowarp {
namespace {

std::string name_of_tag(const Mesh& mesh, int tag) {
  for (const auto& [name, number] : mesh.volume_names)
    if (number == tag) return fmt::format("{} ({})", name, tag);
  return fmt::to_string(tag);
}

void print_histogram(const std::vector<Real>& ratios) {
  const auto counts = tenths(ratios);
  for (std::size_t k = 0; k < counts.size(); ++k)
    print_report("  {:.1f} to {:.1f} {:>12}  {:6.2f} %\n", 0.1 * static_cast<Real>(k), 0.1 * static_cast<Real>(k + 1),
                 counts[k], 100 * static_cast<Real>(counts[k]) / static_cast<Real>(ratios.size()));
}

void print_worst(const Mesh& mesh, const std::vector<Real>& ratios, std::size_t count) {
  print_report("worst elements, numbered from 0:\n");
  for (const std::size_t element : smallest(ratios, count)) {
    const ElementShape shape = element_shape(mesh, element);
    Vector3 center;
    for (const Index node : mesh.tetrahedra[element])
      center = center + 0.25 * mesh.nodes[static_cast<std::size_t>(node)];
    print_report(
        "  {:>9}  ratio {:.3g}, edges {:.3g} to {:.3g} mm, angles {:.3g} to {:.4g} deg, tag {}, at ({:.5g}, "
        "{:.5g}, {:.5g}) mm\n",
        element, ratios[element], shape.shortest_edge_mm, shape.longest_edge_mm, shape.smallest_angle_deg,
        shape.largest_angle_deg, name_of_tag(mesh, mesh.element_tags[element]), center.x, center.y, center.z);
  }
}

}  // namespace

MeshQualityCommand::MeshQualityCommand(Command& mesh)
    : quality_(mesh.add_command("quality", "Shapes of the elements: how many are bad, and where the worst are")) {
  quality_.add_option("MESH", given_mesh_, one_of_suffixes(mesh_suffixes), {.is_required = true});
  quality_.add_option("--worst", worst_, "How many of the worst are listed", {.shows_default = true});
  quality_.add_option("--output", output_, "Ends in .vtu: the elements with a cell array quality", {.type = "FILE"});
  quality_.add_option("--length-unit", length_unit_, length_unit_help("mesh"));
}

void MeshQualityCommand::run() const {
  const std::filesystem::path mesh_file = mesh_file_named(given_mesh_);
  const LengthUnit unit = given_length_unit(length_unit_, mesh_file);
  if (worst_ < 0) throw InputError(fmt::format("--worst: expected 0 or more, got {}", worst_));
  if (!output_.empty()) {
    if (suffix_of(output_) != ".vtu")
      throw InputError(fmt::format("--output: expected a file name that ends in .vtu, got '{}'", output_.string()));
    require_beside_mesh(output_, mesh_file);
  }
  Mesh mesh = read_given_mesh(mesh_file, unit);
  const std::vector<Real> ratios = radius_ratios(mesh);
  const Real mean = std::accumulate(ratios.begin(), ratios.end(), Real{0}) / static_cast<Real>(ratios.size());
  print_report("{}: {} tetrahedra, radius ratio on average {:.3f} (of a regular one 1, of a flat one 0)\n",
               mesh_file.string(), ratios.size(), mean);
  print_histogram(ratios);
  if (worst_ > 0) print_worst(mesh, ratios, static_cast<std::size_t>(worst_));
  if (output_.empty()) return;
  mesh.triangles.clear();  // which have no such shape
  mesh.triangle_tags.clear();
  mesh.triangle_edge_nodes.clear();
  mesh.further_triangle_tags = {};
  MeshFields fields;
  fields.numbers_of_elements = {{"quality", ratios}};
  write_mesh_with_fields(mesh, fields, output_);
  print_report("{}: cell array quality\n", output_.string());
}

}  // namespace cardiowarp
