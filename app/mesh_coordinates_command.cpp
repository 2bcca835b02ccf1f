#include "app/mesh_coordinates_command.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <sstream>
#include <utility>
#include <vector>

#include "app/anatomy/carried_values.hpp"
#include "app/config/config.hpp"
#include "app/config/coordinates_keys.hpp"
#include "app/config/yaml_reader.hpp"
#include "app/config/yaml_tree.hpp"
#include "app/given_mesh.hpp"
#include "app/heart_mesh.hpp"
#include "app/process/standard_streams.hpp"
#include "app/start/load.hpp"
#include "fem/input_error.hpp"
#include "meshes/mesh_fields.hpp"
#include "meshes/mesh_file.hpp"
#include "meshes/mesh_format.hpp"
#include "meshes/opencarp_file.hpp"
#include "meshes/suffix.hpp"

namespace cardiowarp {
namespace {

constexpr const char* option = "--coordinates";

constexpr const char* option_of_source = "--from-coordinates";

CoordinatesConfig read_keys(const char* option_name, const std::string& text) {
  CoordinatesConfig coordinates;
  if (text.empty()) return coordinates;
  const YamlNode root = parse_yaml(text, option_name);
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

/// The names of a list `a,b`.
std::vector<std::string> names_in(const std::string& list) {
  std::vector<std::string> names;
  std::istringstream words(list);
  for (std::string word; std::getline(words, word, ',');) {
    if (word.empty() || std::ranges::find(names, word) != names.end() || is_coordinate(word) || word == "septum")
      throw InputError(
          fmt::format("--array: expected different names of arrays, and none of a coordinate, got '{}'", list));
    names.push_back(word);
  }
  return names;
}

/// The heart whose arrays are carried, with these in Mesh::values. Throws InputError.
MeshOfHeart source_heart(const std::filesystem::path& file, const std::vector<std::string>& arrays,
                         const CoordinatesConfig& coordinates) {
  MeshConfig config;
  config.file = file;
  config.place = "--from";
  for (const std::string& name : arrays) config.values.push_back({name, "--array"});
  return heart_of(load_mesh(config).mesh, coordinates, "--from", "surfaces");
}

void print_carried(const CarriedValues& carried, const std::vector<std::string>& names, std::size_t nodes) {
  print_report("carried: {}; {} of {} nodes have the nearest place, as none has their coordinates\n",
               fmt::join(names, ", "), carried.nearest, nodes);
  print_report("  to this heart and back: mean {:.3g} mm, 95 % below {:.3g} mm, at most {:.3g} mm from where it was\n",
               carried.mean_mm, carried.of_95_percent_mm, carried.most_mm);
}

}  // namespace

MeshCoordinatesCommand::MeshCoordinatesCommand(Command& mesh)
    : coordinates_(mesh.add_command("coordinates", "Coordinates of the ventricles (default: .._coordinates.vtu)")) {
  coordinates_.add_option("MESH", given_mesh_, one_of_suffixes(mesh_suffixes), {.is_required = true});
  coordinates_.add_option(option, keys_, "Keys of coordinates as in YAML: '{zero: [50, 0, 0], surfaces: {base: top}}'",
                          {.type = "KEYS"});
  coordinates_.add_option(
      "--from", from_,
      fmt::format("Another heart, {}, whose arrays are carried to this one", formats_with_named_arrays()),
      {.type = "FILE"});
  coordinates_.add_option("--array", arrays_, "Arrays of --from, with commas between: activation_time,apd90");
  coordinates_.add_option(option_of_source, keys_of_source_, "Keys of coordinates, of the heart of --from",
                          {.type = "KEYS"});
  coordinates_.add_option("--output", output_, "Ends in .vtu", {.type = "FILE"});
  coordinates_.add_option("--length-unit", length_unit_, length_unit_help("mesh"));
}

void MeshCoordinatesCommand::run() const {
  const std::filesystem::path mesh_file = mesh_file_named(given_mesh_);
  const CoordinatesConfig wanted = read_keys(option, keys_);
  const CoordinatesConfig of_source = read_keys(option_of_source, keys_of_source_);
  const LengthUnit unit = given_length_unit(length_unit_, mesh_file);
  const std::filesystem::path output =
      output_.empty() ? std::filesystem::path(mesh_file.stem().string() + "_coordinates.vtu") : output_;
  if (suffix_of(output) != ".vtu")
    throw InputError(fmt::format("--output: expected a file name that ends in .vtu, got '{}'", output.string()));
  require_beside_mesh(output, mesh_file);
  const std::vector<std::string> names = names_in(arrays_);
  if (names.empty() != from_.empty()) throw InputError("--from, --array: expected both or none");
  if (!from_.empty() && !has_named_arrays(from_))
    throw InputError(fmt::format("--from: expected a file {}, whose arrays have names, got '{}'",
                                 formats_with_named_arrays(), from_.string()));
  if (!from_.empty()) require_beside_mesh(output, from_);

  MeshOfHeart heart = heart_of(read_given_mesh(mesh_file, unit), wanted, "mesh coordinates", "surfaces");
  const HeartCoordinates& coordinates = heart.made.coordinates;
  CarriedValues values;
  if (!from_.empty()) {
    const MeshOfHeart source = source_heart(from_, names, of_source);
    if (source.made.coordinates.heart != coordinates.heart)
      throw InputError(fmt::format("--from: expected a heart with as many ventricles as '{}', got '{}' with {}",
                                   mesh_file.string(), from_.string(),
                                   coordinates.heart == HeartKind::two_ventricles ? "one" : "two"));
    values = carried(source, heart);
  }
  add_found_surfaces(heart.surfaces, heart.mesh);
  const bool has_septum = coordinates.heart == HeartKind::two_ventricles;
  const Arrays arrays(coordinates.nodes);
  MeshFields fields = arrays.fields(has_septum);
  for (std::size_t k = 0; k < values.arrays.size(); ++k) fields.of_nodes.push_back({names[k], values.arrays[k]});
  write_mesh_with_fields(heart.mesh, fields, output);
  for (const std::string& line : heart.made.in_words) print_report("{}\n", line);
  for (const std::string& line : in_words(heart.surfaces)) print_report("{}\n", line);
  if (!names.empty()) print_carried(values, names, heart.mesh.nodes.size());
  print_report("{}: {} nodes, {} tetrahedra; point arrays transmural, apicobasal, rotational (radians), ventricle{}\n",
               output.string(), heart.mesh.nodes.size(), heart.mesh.tetrahedra.size(),
               has_septum ? " (lv −1, rv 1) and septum" : "");
}

}  // namespace cardiowarp
