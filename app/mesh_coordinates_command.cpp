#include "app/mesh_coordinates_command.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <utility>
#include <vector>

#include "app/anatomy/mesh_coordinates.hpp"
#include "app/config/coordinates_keys.hpp"
#include "app/config/yaml_reader.hpp"
#include "app/config/yaml_tree.hpp"
#include "app/heart_mesh.hpp"
#include "app/process/standard_streams.hpp"
#include "fem/input_error.hpp"
#include "meshes/mesh_fields.hpp"
#include "meshes/mesh_file.hpp"
#include "meshes/opencarp_file.hpp"
#include "meshes/suffix.hpp"

namespace cardiowarp {
namespace {

constexpr const char* option = "--coordinates";

CoordinatesConfig read_keys(const std::string& text) {
  CoordinatesConfig coordinates;
  if (text.empty()) return coordinates;
  const YamlNode root = parse_yaml(text, option);
  read_section(YamlReader(root, std::filesystem::current_path()),
               [&](KeyVisitor& keys) { visit_coordinates(keys, coordinates); });
  return coordinates;
}

/// The coordinates as the arrays of a file.
struct Arrays {
  std::vector<Real> transmural, apicobasal, rotational, ventricle, septum;

  explicit Arrays(const std::vector<HeartPlace>& nodes) {
    for (const HeartPlace& place : nodes) {
      transmural.push_back(place.transmural);
      apicobasal.push_back(place.apicobasal);
      rotational.push_back(place.rotational);
      ventricle.push_back(place.part == HeartPart::right_wall ? 1 : -1);
      septum.push_back(place.part == HeartPart::septum ? 1 : 0);
    }
  }

  MeshFields fields(bool has_septum) const {
    MeshFields fields;
    fields.of_nodes = {
        {"transmural", transmural}, {"apicobasal", apicobasal}, {"rotational", rotational}, {"ventricle", ventricle}};
    if (has_septum) fields.of_nodes.push_back({"septum", septum});
    return fields;
  }
};

}  // namespace

MeshCoordinatesCommand::MeshCoordinatesCommand(Command& mesh)
    : coordinates_(mesh.add_command("coordinates", "Coordinates of the ventricles (default: .._coordinates.vtu)")) {
  coordinates_.add_option("MESH", given_mesh_, one_of_suffixes(mesh_suffixes), {.is_required = true});
  coordinates_.add_option(option, keys_, "Keys of coordinates as in YAML: '{zero: [50, 0, 0], surfaces: {base: top}}'",
                          {.type = "KEYS"});
  coordinates_.add_option("--output", output_, "Ends in .vtu", {.type = "FILE"});
  coordinates_.add_option("--length-unit", length_unit_, "Unit of the mesh: m, cm, mm, um; mm, for .pts um");
}

void MeshCoordinatesCommand::run() const {
  const std::filesystem::path mesh_file = mesh_file_named(given_mesh_);
  const CoordinatesConfig wanted = read_keys(keys_);
  const LengthUnit unit = unit_of_heart(length_unit_, mesh_file);
  const std::filesystem::path output =
      output_.empty() ? std::filesystem::path(mesh_file.stem().string() + "_coordinates.vtu") : output_;
  if (suffix_of(output) != ".vtu")
    throw InputError(fmt::format("--output: expected a file name that ends in .vtu, got '{}'", output.string()));
  require_beside_mesh(output, mesh_file);

  Mesh mesh = read_heart(mesh_file, unit);
  const std::string place = "mesh coordinates";
  HeartSurfaces surfaces = surfaces_of_heart(mesh, {wanted.surfaces, place, "coordinates", "surfaces"});
  const HeartFields fields = solve_heart_fields(mesh, surfaces, place);
  const MeshCoordinates made = mesh_coordinates(mesh, surfaces, fields, wanted, place);
  add_found_surfaces(surfaces, mesh);
  const bool has_septum = made.coordinates.heart == HeartKind::two_ventricles;
  const Arrays arrays(made.coordinates.nodes);
  write_mesh_with_fields(mesh, arrays.fields(has_septum), output);
  for (const std::string& line : made.in_words) print_report("{}\n", line);
  for (const std::string& line : in_words(surfaces)) print_report("{}\n", line);
  print_report("{}: {} nodes, {} tetrahedra; point arrays transmural, apicobasal, rotational (radians), ventricle{}\n",
               output.string(), mesh.nodes.size(), mesh.tetrahedra.size(),
               has_septum ? " (lv −1, rv 1) and septum" : "");
}

}  // namespace cardiowarp
