#include "app/mesh_purkinje_command.hpp"

#include <fmt/format.h>

#include <optional>

#include "app/anatomy/run_network.hpp"
#include "app/config/coordinates_config.hpp"
#include "app/config/coordinates_keys.hpp"
#include "app/config/network_keys.hpp"
#include "app/config/stimulus_config.hpp"
#include "app/config/yaml_reader.hpp"
#include "app/config/yaml_tree.hpp"
#include "app/given_mesh.hpp"
#include "app/process/standard_streams.hpp"
#include "app/simulation/junction_nodes.hpp"
#include "fem/input_error.hpp"
#include "fem/mesh.hpp"
#include "meshes/mesh_file.hpp"
#include "meshes/network_file.hpp"
#include "meshes/opencarp_file.hpp"
#include "meshes/suffix.hpp"

namespace cardiowarp {
namespace {

constexpr const char* option = "--network";
constexpr const char* option_of_surfaces = "--coordinates";

/// A section that an option has as YAML.
void read_option(const char* name, const std::string& text, const KeyVisitor::Section& keys) {
  if (text.empty()) return;
  const YamlNode root = parse_yaml(text, name);
  read_section(YamlReader(root, std::filesystem::current_path()), keys);
}

}  // namespace

MeshPurkinjeCommand::MeshPurkinjeCommand(Command& mesh)
    : purkinje_(mesh.add_command("purkinje", "A Purkinje network with arrival times (default: .._purkinje.vtp)")) {
  purkinje_.add_option("MESH", given_mesh_, one_of_suffixes(mesh_suffixes), {.is_required = true});
  purkinje_.add_option(option, keys_, "Keys of network as in YAML (default: '{grow: {ventricle: lv}}')",
                       {.type = "KEYS"});
  purkinje_.add_option(option_of_surfaces, coordinates_, "Keys of coordinates as in YAML: '{surfaces: {base: top}}'",
                       {.type = "KEYS"});
  purkinje_.add_option("--output", output_, "Ends in .vtp or .vtk", {.type = "FILE"});
  purkinje_.add_option("--length-unit", length_unit_, length_unit_help("mesh"));
}

void MeshPurkinjeCommand::run() const {
  const std::filesystem::path mesh_file = mesh_file_named(given_mesh_);
  StimulusConfig stimulus;
  stimulus.name = "purkinje";
  NetworkConfig& network = stimulus.network.emplace();
  network.grow.emplace();
  network.radius_mm = radius_by_mesh_mm;
  if (!keys_.empty()) network = {};
  read_option(option, keys_, [&](KeyVisitor& keys) { visit_network(keys, network); });
  network.place = option;
  CoordinatesConfig coordinates;
  read_option(option_of_surfaces, coordinates_, [&](KeyVisitor& keys) { visit_coordinates(keys, coordinates); });
  const LengthUnit unit = given_length_unit(length_unit_, mesh_file);
  const std::filesystem::path output =
      output_.empty() ? std::filesystem::path(mesh_file.stem().string() + "_purkinje.vtp") : output_;
  if (suffix_of(output) != ".vtp" && suffix_of(output) != ".vtk")
    throw InputError(
        fmt::format("--output: expected a file name that ends in .vtp or .vtk, got '{}'", output.string()));
  require_beside_mesh(output, mesh_file);
  std::error_code absent;
  if (!network.file.empty() && std::filesystem::equivalent(network.file, output, absent))
    throw InputError(fmt::format("--output: '{}' is the file of the network", output.string()));

  const Mesh mesh = read_given_mesh(mesh_file, unit);
  HeartSurfaces surfaces;
  const MadeNetwork made = make_network(network, mesh, {coordinates.surfaces, option}, surfaces);
  constexpr Real step_ms = 0.2;
  const JunctionNodes nodes = nodes_at(mesh, junctions_of(made, network, mesh, step_ms), option);
  write_network(made.network, "arrival_time", made.arrival_ms, output);
  print_report("{}\n", in_words(made, nodes, stimulus));
  print_report("{}: {} points, {} segments; point array arrival_time (ms)\n", output.string(),
               made.network.points.size(), made.network.segments.size());
}

}  // namespace cardiowarp
