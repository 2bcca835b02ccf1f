#include "fem/repeated_cells.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory_resource>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fem/further_tags.hpp"
#include "fem/input_error.hpp"
#include "fem/mesh.hpp"
#include "kernels/backend/thread_team.hpp"

namespace cardiowarp {
namespace {

constexpr std::int64_t least_cells = 4096;  // a thread

/// The cells of each node that is the lowest of theirs, in any order.
struct CellsByLowestNode {
  std::vector<Index> begin;  ///< [nodes + 1]
  std::vector<Index> cell;   ///< [cells]
};

template <class Cell>
CellsByLowestNode by_lowest_node(const std::vector<Cell>& cells, std::size_t nodes) {
  const auto number = static_cast<std::int64_t>(cells.size());
  std::vector<Index> next(nodes + 1, 0);  // how many each node has, then where its next one goes
  const auto add_one_of = [&](std::int64_t i) {
    Index& count = next[std::ranges::min(cells[i])];
    return std::atomic_ref(count).fetch_add(1, std::memory_order_relaxed);
  };
  parallel_ranges(number, least_cells, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) add_one_of(i);
  });
  std::exclusive_scan(next.begin(), next.end(), next.begin(), Index{0});
  CellsByLowestNode result;
  result.begin = next;
  resize_by_team(result.cell, cells.size());
  parallel_ranges(number, least_cells, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) result.cell[add_one_of(i)] = static_cast<Index>(i);
  });
  return result;
}

/// Cells with their nodes in ascending order.
template <class Cell>
using Group = std::pmr::vector<std::pair<Cell, Index>>;

/// Cells that stand several times: the numbers of each, ascending. Cells are grouped by their lowest node, which leaves
/// a few to compare a group.
template <class Cell>
std::vector<std::vector<Index>> repeated(const std::vector<Cell>& all, std::size_t number_of_nodes) {
  const CellsByLowestNode cells = by_lowest_node(all, number_of_nodes);
  const auto sorted_group = [&](std::int64_t node, Group<Cell>& group) {
    group.reserve(static_cast<std::size_t>(cells.begin[node + 1] - cells.begin[node]));
    for (Index at = cells.begin[node]; at < cells.begin[node + 1]; ++at) {
      const Index cell = cells.cell[at];
      group.emplace_back(all[cell], cell);
      std::sort(group.back().first.begin(), group.back().first.end());
    }
    std::sort(group.begin(), group.end());
  };
  const auto has_same_nodes = [](const auto& a, const auto& b) { return a.first == b.first; };
  const auto nodes = static_cast<std::int64_t>(number_of_nodes);
  const std::int64_t first = first_index(nodes, [&](std::int64_t node) {
    // On the stack but for hundreds of elements. One that each thread keeps (thread_local) would have to be registered
    // for its end, and where there is no memory for that, the C library ends the program.
    std::array<std::byte, 4096> room;
    std::pmr::monotonic_buffer_resource memory(room.data(), room.size());
    Group<Cell> group(&memory);
    sorted_group(node, group);
    return std::adjacent_find(group.begin(), group.end(), has_same_nodes) != group.end();
  });
  std::vector<std::vector<Index>> result;
  for (std::int64_t node = first; node < nodes; ++node) {
    Group<Cell> group;
    sorted_group(node, group);
    for (std::size_t i = 1; i < group.size(); ++i) {
      if (!has_same_nodes(group[i - 1], group[i])) continue;
      if (i == 1 || !has_same_nodes(group[i - 2], group[i - 1])) result.push_back({group[i - 1].second});
      result.back().push_back(group[i].second);
    }
  }
  return result;
}

/// The tags of a cell without 0, which stands for none; ascending.
std::vector<int> tags_of(const std::vector<int>& tags, const FurtherTags& further, Index cell) {
  const auto at = static_cast<std::size_t>(cell);
  const auto others = further.of(at);
  std::vector<int> all(others.begin(), others.end());
  all.push_back(tags[at]);
  std::erase(all, 0);
  std::sort(all.begin(), all.end());
  return all;
}

/// A tag that two cells share, 0 where both have none; nothing where they have nothing in common.
std::optional<int> shared_tag(const std::vector<int>& a, const std::vector<int>& b) {
  if (a.empty() && b.empty()) return 0;
  std::vector<int> shared;
  std::ranges::set_intersection(a, b, std::back_inserter(shared));
  return shared.empty() ? std::nullopt : std::optional<int>(shared.front());
}

/// Gives the first of each set of cells the tags of all, and marks the others to be dropped. A set in which two cells
/// share a tag is left as it is.
void join_tags(const std::vector<std::vector<Index>>& repeats, std::vector<int>& tags, FurtherTags& further,
               std::vector<char>& is_dropped) {
  if (further.empty()) further = {std::vector<Index>(tags.size(), 0), {{}}};
  TagSets sets(further.sets);
  for (const std::vector<Index>& cells : repeats) {
    std::vector<int> all;
    bool share = false;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::vector<int> each = tags_of(tags, further, cells[i]);
      for (std::size_t k = 0; k < i; ++k) share = share || shared_tag(tags_of(tags, further, cells[k]), each);
      all.insert(all.end(), each.begin(), each.end());
    }
    if (share) continue;
    std::sort(all.begin(), all.end());
    const auto first = static_cast<std::size_t>(cells.front());
    tags[first] = all.front();
    further.set_of_cell[first] = sets.number_of({all.begin() + 1, all.end()});
    for (const Index cell : std::span(cells).subspan(1)) is_dropped[static_cast<std::size_t>(cell)] = 1;
  }
  further.sets = sets.sets();
  if (std::ranges::count(further.set_of_cell, 0) == std::ssize(further.set_of_cell)) further = {};
}

template <class Value>
void drop(std::vector<Value>& values, const std::vector<char>& is_dropped) {
  if (values.empty()) return;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (is_dropped[i] == 0) values[kept++] = values[i];
  values.resize(kept);
}

/// Throws InputError where two tetrahedra of the same nodes cannot be one.
void require_one_element(const Mesh& mesh, const std::vector<Index>& elements) {
  for (std::size_t b = 1; b < elements.size(); ++b)
    for (std::size_t a = 0; a < b; ++a) {
      const auto fail = [&](const std::string& why) {
        Tetrahedron nodes = mesh.tetrahedra[elements[a]];
        std::ranges::sort(nodes);
        throw InputError(fmt::format("elements {} and {} have the same nodes {}{}", elements[a], elements[b],
                                     fmt::join(nodes, ", "), why));
      };
      const auto tags_of_element = [&](Index element) {
        return tags_of(mesh.element_tags, mesh.further_element_tags, element);
      };
      if (const auto tag = shared_tag(tags_of_element(elements[a]), tags_of_element(elements[b])))
        fail(*tag == 0 ? " and no tag: one of them is too many"
                       : fmt::format(" and tag {}: one of them is too many", *tag));
      if (!mesh.fibers.empty() && mesh.fibers[elements[a]] != mesh.fibers[elements[b]]) fail(", but different fibers");
      if (mesh.is_quadratic() &&
          !std::ranges::is_permutation(mesh.edge_nodes[elements[a]], mesh.edge_nodes[elements[b]]))
        fail(", but different nodes on their edges");
    }
}

void join_elements(Mesh& mesh) {
  const auto repeats = repeated(mesh.tetrahedra, mesh.nodes.size());
  if (repeats.empty()) return;
  for (const std::vector<Index>& elements : repeats) require_one_element(mesh, elements);
  std::vector<char> is_dropped(mesh.tetrahedra.size(), 0);
  join_tags(repeats, mesh.element_tags, mesh.further_element_tags, is_dropped);
  drop(mesh.tetrahedra, is_dropped);
  drop(mesh.element_tags, is_dropped);
  drop(mesh.further_element_tags.set_of_cell, is_dropped);
  drop(mesh.fibers, is_dropped);
  drop(mesh.edge_nodes, is_dropped);
  for (MeshValues& values : mesh.values)
    if (!values.of_points) drop(values.values, is_dropped);
  mesh.remarks.push_back(fmt::format(
      "{} tetrahedra stand once for each of their groups; each is read as one in all of them", repeats.size()));
}

/// There are few triangles of one tag alone that would have to be looked through.
void join_triangles(Mesh& mesh) {
  if (std::ranges::adjacent_find(mesh.triangle_tags, std::not_equal_to<>()) == mesh.triangle_tags.end()) return;
  auto repeats = repeated(mesh.triangles, mesh.nodes.size());
  if (mesh.is_quadratic())
    std::erase_if(repeats, [&](const std::vector<Index>& triangles) {
      return !std::ranges::all_of(triangles, [&](Index triangle) {
        return std::ranges::is_permutation(mesh.triangle_edge_nodes[triangle],
                                           mesh.triangle_edge_nodes[triangles.front()]);
      });
    });
  if (repeats.empty()) return;
  std::vector<char> is_dropped(mesh.triangles.size(), 0);
  join_tags(repeats, mesh.triangle_tags, mesh.further_triangle_tags, is_dropped);
  drop(mesh.triangles, is_dropped);
  drop(mesh.triangle_tags, is_dropped);
  drop(mesh.further_triangle_tags.set_of_cell, is_dropped);
  drop(mesh.triangle_edge_nodes, is_dropped);
}

}  // namespace

void join_repeated_cells(Mesh& mesh) {
  join_elements(mesh);
  join_triangles(mesh);
}

}  // namespace cardiowarp
