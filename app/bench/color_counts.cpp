#include "app/bench/color_counts.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <random>
#include <utility>

#include "assembly/locality_order.hpp"
#include "assembly/papers/element_scatter.hpp"
#include "fem/input_error.hpp"

namespace cardiowarp {
namespace {

std::vector<Index> elements_at_nodes(const Mesh& mesh) {
  std::vector<Index> count(mesh.nodes.size(), 0);
  for (const Tetrahedron& corners : mesh.tetrahedra)
    for (const Index node : corners) ++count[node];
  return count;
}

std::vector<Index> elements_by_color(const std::vector<Index>& color) {
  std::vector<Index> elements(color.empty() ? 0 : *std::max_element(color.begin(), color.end()) + 1, 0);
  for (const Index c : color) ++elements[c];
  return elements;
}

/// Colors of the blocks; empty where they need more than two_level_color has.
TableCell block_colors(const std::vector<Tetrahedron>& tetrahedra, Index nodes) {
  try {
    return static_cast<std::int64_t>(elements_by_color(greedy_colors(tetrahedra, nodes, elements_a_block)).size());
  } catch (const InputError&) {
    return {};
  }
}

}  // namespace

std::vector<ElementOrder> element_orders(const Mesh& mesh) {
  std::vector<Index> as_meshed(mesh.tetrahedra.size());
  std::iota(as_meshed.begin(), as_meshed.end(), 0);

  std::vector<Vector3> centroids;
  for (const Tetrahedron& corners : mesh.tetrahedra) {
    Vector3 sum{};
    for (const Index node : corners) sum = sum + mesh.nodes[node];
    centroids.push_back({sum.x / 4, sum.y / 4, sum.z / 4});
  }

  std::vector<Index> shuffled = as_meshed;  // as Fisher and Yates, so that every library has the same order
  std::mt19937_64 generator(1);
  for (std::size_t i = shuffled.size(); i > 1; --i) std::swap(shuffled[i - 1], shuffled[generator() % i]);

  const std::vector<Index> at_node = elements_at_nodes(mesh);
  std::vector<std::int64_t> neighbors;
  for (const Tetrahedron& corners : mesh.tetrahedra) {
    neighbors.push_back(0);
    for (const Index node : corners) neighbors.back() += at_node[node];
  }
  std::vector<Index> by_neighbors = as_meshed;
  std::stable_sort(by_neighbors.begin(), by_neighbors.end(),
                   [&](Index a, Index b) { return neighbors[a] > neighbors[b]; });

  return {{"mesh", std::move(as_meshed)},
          {"hilbert", locality_order(centroids)},
          {"random", std::move(shuffled)},
          {"most_neighbors_first", std::move(by_neighbors)}};
}

Table color_table() {
  return {{"mesh", "nodes", "elements", "most_at_a_node", "element_order", "colors", "smallest_color",
           "colors_below_1024_elements", "block_colors", "mean_colors_in_a_block", "most_colors_in_a_block",
           "mean_nodes_of_a_block"},
          {}};
}

void add_colors(Table& table, const std::string& name, const Mesh& mesh) {
  const auto nodes = static_cast<Index>(mesh.nodes.size());
  const std::vector<Index> at_node = elements_at_nodes(mesh);
  for (const ElementOrder& order : element_orders(mesh)) {
    std::vector<Tetrahedron> tetrahedra;
    for (const Index element : order.element) tetrahedra.push_back(mesh.tetrahedra[element]);

    const std::vector<Index> sizes = elements_by_color(greedy_colors(tetrahedra, nodes, 1));
    const auto small = std::count_if(sizes.begin(), sizes.end(), [](Index elements) { return elements < 1024; });

    double blocks = 0, colors = 0, nodes_of_blocks = 0;
    std::size_t most = 0;
    for (std::size_t first = 0; first < tetrahedra.size(); first += elements_a_block, ++blocks) {
      const ElementBlock block = element_block(tetrahedra, first);
      const std::size_t inside = elements_by_color(greedy_colors(block.tetrahedra, block.nodes(), 1)).size();
      colors += static_cast<double>(inside);
      most = std::max(most, inside);
      nodes_of_blocks += block.nodes();
    }
    table.rows.push_back({name, std::int64_t{nodes}, static_cast<std::int64_t>(tetrahedra.size()),
                          std::int64_t{*std::max_element(at_node.begin(), at_node.end())}, order.name,
                          static_cast<std::int64_t>(sizes.size()),
                          std::int64_t{*std::min_element(sizes.begin(), sizes.end())}, std::int64_t{small},
                          block_colors(tetrahedra, nodes), colors / blocks, static_cast<std::int64_t>(most),
                          nodes_of_blocks / blocks});
  }
}

}  // namespace cardiowarp
