#include "app/simulation/read_at.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "app/config/quantity.hpp"
#include "app/config/read_where.hpp"
#include "app/config/where.hpp"
#include "app/config/yaml_reader.hpp"
#include "app/config/yaml_tree.hpp"
#include "app/simulation/selection.hpp"
#include "fem/input_error.hpp"
#include "meshes/suffix.hpp"

namespace cardiowarp {

PrescribedPlace read_at(const Mesh& mesh, const std::string& word) {
  const std::string place = "--at " + word;
  const auto equals = word.rfind('=');
  if (equals == std::string::npos || equals == 0)
    throw InputError(fmt::format("--at: expected surface=value, got '{}'", word));
  const std::string where = word.substr(0, equals), number = word.substr(equals + 1);
  const auto value = parse_quantity(number);
  if (!value || value->dimension || !std::isfinite(value->value))
    throw InputError(fmt::format("{}: expected a number after the =, got '{}'", place, number));
  if (where.front() == '{') {
    const YamlNode root = parse_yaml(where, place);
    Where read =
        read_where(YamlReader(root, std::filesystem::current_path()), {"surface", "tag", "box", "sphere", "nodes"});
    read.place = place;
    return {select_nodes(mesh, read), value->value, place};
  }
  if (suffix_of(where) == ".vtx") return {select_nodes(mesh, {NodeFile{where}, place}), value->value, place};
  return {select_nodes(mesh, {Surface{where}, place}), value->value, place};
}

}  // namespace cardiowarp
