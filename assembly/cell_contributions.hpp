#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "assembly/element_scatter.hpp"
#include "assembly/global_matrix.hpp"
#include "assembly/sparsity.hpp"
#include "fem/entry_place.hpp"
#include "kernels/backend/thread_team.hpp"

namespace cardiowarp {

// Which numbers of elements go to which entry of K and to which node, for elements with any number N of nodes, whose
// symmetric matrix has N (N + 1) / 2 numbers: as lists for sums that gather, or as slots for elements that scatter. All
// is worked out in host memory, once in a run. Linear tetrahedra have plans of their own, which take less memory.

/// What the entries and the nodes gather. Number k of element e has the place k · elements + e.
struct CellGather {
  std::vector<std::uint32_t> entry_begin;  ///< [slots + 1] first contribution of the entry that is stored there
  std::vector<std::uint32_t> entry;        ///< [N² × elements] places of matrix numbers, by ascending element
  std::vector<std::uint32_t> node_begin;   ///< [nodes + 1]
  std::vector<std::uint32_t> node;         ///< [N × elements] places of the numbers of nodes
};

/// Loop body over the slots of K, padding included, for which there is nothing to add; or over the nodes.
struct GatherNumbers {
  const std::uint32_t *begin, *contribution;  ///< as in CellGather
  const Real* number;                         ///< of the elements
  const Real* constant;                       ///< [slots] what a sum begins with, or nullptr: 0
  Real* value;                                ///< [slots] out

  CARDIOWARP_HD void operator()(Index slot) const {
    Real sum = constant != nullptr ? constant[slot] : 0;
    for (std::uint32_t c = begin[slot]; c < begin[slot + 1]; ++c) sum += number[contribution[c]];
    value[slot] = sum;
  }
};

/// The place of a node in an element.
template <std::size_t N>
int place_in(const std::array<Index, N>& nodes, Index node) {
  return static_cast<int>(std::find(nodes.begin(), nodes.end(), node) - nodes.begin());
}

/// visit(slot, element, i, j) for each entry (i, j) of an element's matrix that goes to the row of a node. Rows are
/// independent of each other; those of a row come in the order of its elements.
template <std::size_t N, class Visit>
void for_each_contribution(const std::vector<std::array<Index, N>>& nodes_of, const Sparsity& sparsity,
                           const MatrixLayout& layout, const Visit& visit) {
  parallel_ranges(sparsity.rows(), 256, [&](std::int64_t begin, std::int64_t end) {
    std::vector<std::int64_t> slot_of_column(sparsity.rows());
    for (Index row = static_cast<Index>(begin); row < static_cast<Index>(end); ++row) {
      for (Index entry = sparsity.row_begin[row]; entry < sparsity.row_begin[row + 1]; ++entry)
        slot_of_column[sparsity.column[entry]] = layout.slot_of_entry[entry];
      for (const Index element : sparsity.incidence.elements_of(row)) {
        const std::array<Index, N>& nodes = nodes_of[element];
        const int i = place_in(nodes, row);
        for (int j = 0; j < static_cast<int>(N); ++j) visit(slot_of_column[nodes[j]], element, i, j);
      }
    }
  });
}

/// Contributions are counted in a first pass over the elements of each row, and put where they belong in a second. All
/// that go to one entry come from the elements of its row's node, so that nodes are independent of each other.
template <std::size_t N>
CellGather cell_gather(const std::vector<std::array<Index, N>>& nodes_of, const Sparsity& sparsity,
                       const MatrixLayout& layout) {
  const auto elements = static_cast<std::uint32_t>(nodes_of.size());
  CellGather gather;
  std::vector<std::uint32_t> next(layout.slots + 1, 0);
  for_each_contribution(nodes_of, sparsity, layout, [&](std::int64_t slot, Index, int, int) { ++next[slot + 1]; });
  std::partial_sum(next.begin(), next.end(), next.begin());
  gather.entry_begin = next;
  resize_by_team(gather.entry, N * N * nodes_of.size());
  for_each_contribution(nodes_of, sparsity, layout, [&](std::int64_t slot, Index element, int i, int j) {
    gather.entry[next[slot]++] =
        static_cast<std::uint32_t>(entry_place<N, false>(i, j)) * elements + static_cast<std::uint32_t>(element);
  });
  const Incidence& incidence = sparsity.incidence;
  gather.node_begin.assign(incidence.begin.begin(), incidence.begin.end());
  resize_by_team(gather.node, incidence.element.size());
  parallel_for(sparsity.rows(), [&](Index row) {
    for (Index k = incidence.begin[row]; k < incidence.begin[row + 1]; ++k) {
      const auto element = static_cast<std::uint32_t>(incidence.element[k]);
      gather.node[k] = static_cast<std::uint32_t>(place_in(nodes_of[element], row)) * elements + element;
    }
  });
  return gather;
}

/// The elements in the order in which they scatter, and where their numbers belong.
struct CellScatter {
  std::vector<Index> order;         ///< [elements] the element at each place
  std::vector<Index> color_begin;   ///< first place of each colour
  std::vector<std::uint32_t> slot;  ///< [N² × elements] of the entry (i, j) at (N i + j) elements + place
};

/// Coloured, or all elements at once, for atomic additions. Two elements have a node in common exactly if they have a
/// corner in common, so that the colours are those of the linear mesh with these corners. Throws as greedy_colors().
template <std::size_t N>
CellScatter cell_scatter(bool coloured, const std::vector<std::array<Index, N>>& nodes_of,
                         const std::vector<Tetrahedron>& corners, const Sparsity& sparsity,
                         const MatrixLayout& layout) {
  const auto elements = static_cast<Index>(nodes_of.size());
  std::vector<Index> color(elements, 0);
  if (coloured) color = greedy_colors(corners, sparsity.rows(), 1);
  CellScatter scatter;
  scatter.color_begin.assign(elements == 0 ? 1 : *std::ranges::max_element(color) + 2, 0);
  for (const Index c : color) ++scatter.color_begin[c + 1];
  std::partial_sum(scatter.color_begin.begin(), scatter.color_begin.end(), scatter.color_begin.begin());
  std::vector<Index> next = scatter.color_begin, place(elements);
  scatter.order.resize(elements);
  for (Index element = 0; element < elements; ++element) {
    place[element] = next[color[element]]++;
    scatter.order[place[element]] = element;
  }
  resize_by_team(scatter.slot, N * N * nodes_of.size());
  for_each_contribution(nodes_of, sparsity, layout, [&](std::int64_t slot, Index element, int i, int j) {
    scatter.slot[static_cast<std::size_t>(static_cast<int>(N) * i + j) * elements + place[element]] =
        static_cast<std::uint32_t>(slot);
  });
  return scatter;
}

/// Adds `term` to a number that other threads may add to at the same time, or that none does.
template <bool Atomic>
CARDIOWARP_HD void add_to(Real* number, Real term) {
  if constexpr (Atomic)
    add_atomically(number, term);
  else
    *number += term;
}

}  // namespace cardiowarp
