#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "assembly/contributions.hpp"
#include "assembly/global_matrix.hpp"
#include "assembly/sparsity.hpp"
#include "fem/entry_place.hpp"
#include "fem/vector3.hpp"
#include "kernels/backend/thread_team.hpp"

namespace cardiowarp {

// The ways from numbers of elements to entries of K and to nodes, for elements with any number N of nodes, whose
// symmetric matrix has N (N + 1) / 2 numbers: as lists for sums that gather, or as slots for elements that scatter. All
// is worked out in host memory, once in a run. Linear tetrahedra have plans of their own, which take less memory.

/// The lists by which entries and nodes gather. Number k of element e has the place k · elements + e.
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

/// Contributions are counted in a first pass over the elements of each row, and put where they belong in a second. All
/// that go to one entry come from the elements of its row's node, so that nodes are independent of each other.
template <std::size_t N>
CellGather cell_gather(const std::vector<std::array<Index, N>>& nodes_of, const Sparsity& sparsity,
                       const MatrixLayout& layout) {
  const auto elements = static_cast<std::uint32_t>(nodes_of.size());
  CellGather gather;
  std::vector<std::uint32_t> next(layout.slots + 1, 0);
  for_each_contribution(nodes_of, sparsity, layout.slot_of_entry,
                        [&](std::int64_t slot, Index, int, int) { ++next[slot + 1]; });
  std::partial_sum(next.begin(), next.end(), next.begin());
  gather.entry_begin = next;
  resize_by_team(gather.entry, N * N * nodes_of.size());
  for_each_contribution(nodes_of, sparsity, layout.slot_of_entry, [&](std::int64_t slot, Index element, int i, int j) {
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

/// The positions of the nodes of each element, [3 N × elements]: coordinate d of node i of element e at
/// (3 i + d) elements + e.
template <std::size_t N>
std::vector<Real> positions_by_element(const std::vector<Vector3>& nodes,
                                       const std::vector<std::array<Index, N>>& nodes_of) {
  const std::size_t elements = nodes_of.size();
  std::vector<Real> positions;
  resize_by_team(positions, 3 * N * elements);
  parallel_for(elements, [&](std::size_t e) {
    for (std::size_t i = 0; i < N; ++i) {
      const Vector3& at = nodes[nodes_of[e][i]];
      positions[3 * i * elements + e] = at.x;
      positions[(3 * i + 1) * elements + e] = at.y;
      positions[(3 * i + 2) * elements + e] = at.z;
    }
  });
  return positions;
}

/// The slot of each number of an element whose place is place[element], [N² × elements]: entry (i, j) at
/// (N i + j) elements + place.
template <std::size_t N>
std::vector<std::uint32_t> scatter_slots(const std::vector<std::array<Index, N>>& nodes_of,
                                         const std::vector<Index>& place, const Sparsity& sparsity,
                                         const MatrixLayout& layout) {
  std::vector<std::uint32_t> slots;
  resize_by_team(slots, N * N * nodes_of.size());
  for_each_contribution(nodes_of, sparsity, layout.slot_of_entry, [&](std::int64_t slot, Index element, int i, int j) {
    slots[static_cast<std::size_t>(static_cast<int>(N) * i + j) * nodes_of.size() + place[element]] =
        static_cast<std::uint32_t>(slot);
  });
  return slots;
}

}  // namespace cardiowarp
