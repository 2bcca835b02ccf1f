#include "meshes/msh_nodes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "fem/input_error.hpp"

namespace cardiowarp {

void MshNodes::read_2(bool with_parameters) {
  const std::size_t nodes = in_.counted_line("the number of nodes");
  reserve(nodes);
  for (std::size_t i = 0; i < nodes; ++i) {
    const auto tag = in_.value<std::int32_t>("a node number");
    if (tag < 1) in_.fail(fmt::format("node number {}: expected 1 or more", tag));
    nodes_.tags.push_back(static_cast<std::size_t>(tag));
    point();
    if (with_parameters) parameters_2();
  }
  sort();
}

/// A line has the dimension and the tag of an entity, and then what the program that wrote it likes; bytes have as many
/// parameters as a curve or a surface.
void MshNodes::parameters_2() {
  const auto dimension = in_.value<std::int32_t>("the dimension of a node's entity");
  in_.value<std::int32_t>("the tag of a node's entity");
  if (dimension < 0 || dimension > 3) in_.fail(fmt::format("entity dimension {}: expected 0 to 3", dimension));
  if (!in_.is_binary())
    in_.rest_of_line();
  else if (dimension < 3)
    in_.skip<double>(static_cast<std::size_t>(dimension), "a parameter");
}

void MshNodes::read_4() {
  if (in_.is_binary()) in_.rest_of_line();
  const auto blocks = in_.value<std::size_t>("the number of blocks");
  const auto nodes = in_.value<std::size_t>("the number of nodes");
  const auto lowest = in_.value<std::size_t>("the lowest node tag"),
             highest = in_.value<std::size_t>("the highest node tag");
  reserve(nodes);
  for (std::size_t block = 0; block < blocks; ++block) {
    const auto dimension = in_.value<std::int32_t>("an entity dimension");
    in_.value<std::int32_t>("an entity tag");
    const auto parametric = in_.value<std::int32_t>("0 or 1");
    const auto size = in_.value<std::size_t>("a number of nodes");
    if (dimension < 0 || dimension > 3) in_.fail(fmt::format("entity dimension {}: expected 0 to 3", dimension));
    if (parametric != 0 && parametric != 1)
      in_.fail(fmt::format("expected 0, or 1 for nodes with parameters, got {}", parametric));
    if (in_.is_binary() && parametric == 0 && copy_block(size)) continue;
    for (std::size_t i = 0; i < size; ++i) {
      const auto tag = in_.value<std::size_t>("a node tag");
      if (tag < 1) in_.fail(fmt::format("node tag {}: expected 1 or more", tag));
      nodes_.tags.push_back(tag);
    }
    for (std::size_t i = 0; i < size; ++i) {
      point();
      if (parametric == 1) in_.skip<double>(static_cast<std::size_t>(dimension), "a parameter");
    }
  }
  if (nodes_.tags.size() != nodes) in_.fail(fmt::format("expected {} nodes, got {}", nodes, nodes_.tags.size()));
  sort();
  if (nodes > 0 && (lowest != nodes_.tags.front() || highest != nodes_.tags.back()))
    in_.fail(fmt::format("expected node tags {} to {}, got {} to {}", lowest, highest, nodes_.tags.front(),
                         nodes_.tags.back()));
}

/// A whole binary block at once; nothing, and false, where something is wrong with it.
bool MshNodes::copy_block(std::size_t size) {
  static_assert(sizeof(Vector3) == 3 * sizeof(double));
  if (size > in_.bytes_left() / (sizeof(std::size_t) + sizeof(Vector3))) return false;
  const std::size_t before = nodes_.tags.size();
  nodes_.tags.resize(before + size);
  in_.copy_binary(nodes_.tags.data() + before, size);
  if (std::find(nodes_.tags.begin() + static_cast<std::ptrdiff_t>(before), nodes_.tags.end(), 0) != nodes_.tags.end()) {
    nodes_.tags.resize(before);
    in_.move_to(in_.position() - size * sizeof(std::size_t));
    return false;
  }
  nodes_.points.resize(before + size);
  in_.copy_binary(nodes_.points.data() + before, size);
  return true;
}

void MshNodes::point() {
  const double x = coordinate(), y = coordinate(), z = coordinate();
  nodes_.points.push_back({x, y, z});
}

/// Words are known by their line here; of a binary file the mesh check says which node is not finite.
double MshNodes::coordinate() {
  if (in_.is_binary()) return in_.binary_value<double>();
  const std::string_view word = in_.peek();
  const auto value = in_.number<double>("a coordinate");
  if (!std::isfinite(value)) in_.fail_at_word(word, "a coordinate");
  return value;
}

/// No more than the rest of the file can hold, whatever it declares.
void MshNodes::reserve(std::size_t declared) {
  constexpr std::size_t shortest_node = 8;  // "1 0 0 0\n"
  const std::size_t nodes = std::min(declared, in_.bytes_left() / shortest_node);
  nodes_.tags.reserve(nodes);
  nodes_.points.reserve(nodes);
}

void MshNodes::sort() {
  try {
    nodes_.sort();
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", in_.file(), error.what()));
  }
}

}  // namespace cardiowarp
