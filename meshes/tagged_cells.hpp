#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "fem/further_tags.hpp"
#include "fem/input_error.hpp"
#include "fem/mesh.hpp"
#include "fem/vector3.hpp"
#include "kernels/backend/thread_team.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

// Nodes, tetrahedra and triangles with the tags that Gmsh gives them, on their way into a Mesh. Tags come in any order
// and leave gaps, while a Mesh counts its nodes from 0. sort() puts them into the order of their tags, and index_of()
// then finds the node of a tag, at once where the tags have no gaps and else by bisection. The readers of `.msh` files
// and of Gmsh's own model use them; a node takes 32 bytes meanwhile, a tetrahedron 28.

/// Positions of `tags` in ascending order of tag.
inline std::vector<std::size_t> ascending(const std::vector<std::size_t>& tags) {
  std::vector<std::size_t> order(tags.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return tags[a] < tags[b]; });
  return order;
}

template <class Value>
std::vector<Value> permuted(const std::vector<Value>& values, const std::vector<std::size_t>& order) {
  std::vector<Value> result;
  result.reserve(values.size());
  for (const std::size_t at : order) result.push_back(values[at]);
  return result;
}

/// Nodes as Gmsh counts them: by tags from 1 in any order, with gaps as large as one likes.
struct TaggedNodes {
  std::vector<std::size_t> tags;  ///< ascending after `sort`
  std::vector<Vector3> points;

  /// Throws InputError on a tag given twice and on more nodes than an Index counts.
  void sort() {
    if (!std::is_sorted(tags.begin(), tags.end())) {
      const auto order = ascending(tags);
      tags = permuted(tags, order);
      points = permuted(points, order);
    }
    const auto twice = std::adjacent_find(tags.begin(), tags.end());
    if (twice != tags.end()) throw InputError(fmt::format("node tag {} is given twice", *twice));
    if (tags.size() > std::size_t{std::numeric_limits<Index>::max()})
      throw InputError(
          fmt::format("{} nodes: at most {} are possible", tags.size(), std::numeric_limits<Index>::max()));
  }

  /// After `sort`: whether the tags are all from the lowest to the highest.
  bool without_gaps() const { return !tags.empty() && tags.back() - tags.front() == tags.size() - 1; }

  /// Position of a node after `sort`; nothing where there is no such node.
  std::optional<Index> index_of(std::size_t tag) const {
    if (tags.empty() || tag < tags.front() || tag > tags.back()) return {};
    if (without_gaps()) return static_cast<Index>(tag - tags.front());
    const auto found = std::lower_bound(tags.begin(), tags.end(), tag);
    if (*found != tag) return {};
    return static_cast<Index>(found - tags.begin());
  }
};

/// Tetrahedra or triangles with Gmsh's element tags, by which they are ordered in the end.
template <std::size_t Corners>
struct TaggedCells {
  std::vector<std::array<Index, Corners>> corners;
  std::vector<int> groups;        ///< physical groups, of several the lowest; 0: none
  std::vector<std::size_t> tags;  ///< ascending after `sort`; equal ones keep their order
  std::vector<Index> further;     ///< sets of further groups, numbered by TagSets; empty while no cell has any

  /// `number` more cells of one group, whose corners and tags are to be set; returns the position of the first.
  std::size_t add(std::size_t number, int group) {
    const std::size_t before = tags.size(), after = before + number;
    resize_by_team(corners, after);
    resize_by_team(groups, after);
    resize_by_team(tags, after);
    parallel_for(number, [&](std::size_t i) { groups[before + i] = group; });
    return before;
  }

  /// The cells from `first` on, which have just been added, are in the further groups of this set.
  void note_further(std::size_t first, Index set) {
    if (further.empty() && set == 0) return;
    further.resize(first, 0);
    further.resize(tags.size(), set);
  }

  void sort() {
    if (std::is_sorted(tags.begin(), tags.end())) return;
    const auto order = ascending(tags);
    corners = permuted(corners, order);
    groups = permuted(groups, order);
    tags = permuted(tags, order);
    if (!further.empty()) further = permuted(further, order);
  }

  /// The further groups of all cells, whose numbers are those of `sets`.
  FurtherTags take_further(const TagSets& sets) {
    if (further.empty()) return {};
    return {std::move(further), sets.sets()};
  }
};

/// The groups of a part of a model: the lowest (0 where there is none), and the set of the others.
struct GroupsOfEntity {
  int lowest = 0;
  Index further = 0;

  /// Made of groups in any order, whose signs are orientations and mean nothing here.
  static GroupsOfEntity of(std::vector<int> groups, TagSets& sets) {
    for (int& group : groups) group = std::abs(group);
    std::erase(groups, 0);
    if (groups.empty()) return {};
    const int lowest = *std::min_element(groups.begin(), groups.end());
    std::erase(groups, lowest);
    return {lowest, sets.number_of(std::move(groups))};
  }
};

}  // namespace cardiowarp
