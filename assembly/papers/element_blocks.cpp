#include "assembly/papers/element_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "fem/input_error.hpp"
#include "fem/mesh.hpp"
#include "kernels/backend/thread_team.hpp"
#include "kernels/libraries/metis_parts.hpp"

namespace cardiowarp {
namespace {

ElementBlock block_of(std::vector<Tetrahedron> tetrahedra) {
  ElementBlock block{std::move(tetrahedra), {}};
  block.node = numbered_among_themselves(block.tetrahedra);
  return block;
}

/// The blocks of elements that follow each other in `order`, where `begin` has the first of each.
ElementBlocks blocks_of(const std::vector<Tetrahedron>& tetrahedra, std::vector<Index> order,
                        std::vector<Index> begin) {
  ElementBlocks blocks;
  blocks.order = std::move(order);
  blocks.element_begin = std::move(begin);
  const Index count = blocks.blocks();
  std::vector<ElementBlock> cut(count);
  parallel_for(count, [&](Index b) {
    std::vector<Tetrahedron> own;
    for (Index place = blocks.element_begin[b]; place < blocks.element_begin[b + 1]; ++place)
      own.push_back(tetrahedra[blocks.order[place]]);
    cut[b] = block_of(std::move(own));
  });
  blocks.node_begin = {0};
  for (const ElementBlock& block : cut) {
    blocks.node.insert(blocks.node.end(), block.node.begin(), block.node.end());
    blocks.node_begin.push_back(static_cast<Index>(blocks.node.size()));
    blocks.most_nodes = std::max(blocks.most_nodes, block.nodes());
    for (const Tetrahedron& corner : block.tetrahedra) {
      std::uint64_t corners = 0;
      for (int i = 0; i < 4; ++i) corners |= static_cast<std::uint64_t>(corner[i]) << (16 * i);
      blocks.corners.push_back(corners);
    }
  }
  return blocks;
}

}  // namespace

ElementBlock element_block(const std::vector<Tetrahedron>& tetrahedra, std::size_t first) {
  const std::size_t end = std::min(first + elements_a_block, tetrahedra.size());
  return block_of(
      {tetrahedra.begin() + static_cast<std::ptrdiff_t>(first), tetrahedra.begin() + static_cast<std::ptrdiff_t>(end)});
}

FaceNeighbors face_neighbors(const std::vector<Tetrahedron>& tetrahedra) {
  // Every face by its nodes, ascending, with its element: the two elements of an inner face follow each other.
  std::vector<std::pair<std::array<Index, 3>, Index>> faces;
  faces.reserve(4 * tetrahedra.size());
  for (std::size_t e = 0; e < tetrahedra.size(); ++e)
    for (int left_out = 0; left_out < 4; ++left_out) {
      std::array<Index, 3> face{};
      for (int i = 0, k = 0; i < 4; ++i)
        if (i != left_out) face[k++] = tetrahedra[e][i];
      std::sort(face.begin(), face.end());
      faces.emplace_back(face, static_cast<Index>(e));
    }
  std::sort(faces.begin(), faces.end());
  std::vector<std::pair<Index, Index>> pairs;
  for (std::size_t k = 0; k + 1 < faces.size(); ++k)
    if (faces[k].first == faces[k + 1].first) {
      pairs.emplace_back(faces[k].second, faces[k + 1].second);
      pairs.emplace_back(faces[k + 1].second, faces[k].second);
    }
  std::sort(pairs.begin(), pairs.end());
  FaceNeighbors neighbors{std::vector<Index>(tetrahedra.size() + 1, 0), {}};
  for (const auto& [element, neighbor] : pairs) {
    ++neighbors.begin[element + 1];
    neighbors.neighbor.push_back(neighbor);
  }
  std::partial_sum(neighbors.begin.begin(), neighbors.begin.end(), neighbors.begin.begin());
  return neighbors;
}

ElementBlocks blocks_in_order(const std::vector<Tetrahedron>& tetrahedra) {
  const auto elements = static_cast<Index>(tetrahedra.size());
  std::vector<Index> order(elements), begin;
  std::iota(order.begin(), order.end(), 0);
  for (Index first = 0; first < elements; first += elements_a_block) begin.push_back(first);
  begin.push_back(elements);
  return blocks_of(tetrahedra, std::move(order), std::move(begin));
}

ElementBlocks blocks_of_metis(const std::vector<Tetrahedron>& tetrahedra, const char* strategy) {
  if (!has_metis()) throw InputError(fmt::format("assembly.strategy: {} by METIS: this build has no METIS", strategy));
  const auto elements = static_cast<Index>(tetrahedra.size());
  constexpr Index asked_for = elements_a_block * 15 / 16;  // METIS makes some parts larger
  const Index parts = std::max<Index>(1, (elements + asked_for - 1) / asked_for);
  const FaceNeighbors neighbors = face_neighbors(tetrahedra);
  const std::vector<Index> part = metis_parts({neighbors.begin, neighbors.neighbor}, parts);
  std::vector<Index> order(elements);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return part[a] < part[b]; });
  std::vector<Index> begin;
  for (Index place = 0; place < elements; ++place)
    if (place == 0 || part[order[place]] != part[order[place - 1]] || place - begin.back() == elements_a_block)
      begin.push_back(place);
  begin.push_back(elements);
  return blocks_of(tetrahedra, std::move(order), std::move(begin));
}

}  // namespace cardiowarp
