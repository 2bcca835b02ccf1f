#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/backend/types.hpp"

namespace cardiowarp {

/// The elements of each node. Who adds up what elements have at a node, in this order, finds the sum that a loop over
/// the elements finds, and all nodes can be done at once. Host memory, 16 bytes per element, 40 if quadratic, and 4 a
/// node.
struct Incidence {
  std::vector<Index> begin;    ///< [nodes + 1] first element of each node in the next one
  std::vector<Index> element;  ///< [4 elements, 10 of a quadratic mesh] elements of each node, ascending

  Index nodes() const { return static_cast<Index>(begin.size()) - 1; }
  std::span<const Index> elements_of(Index node) const {
    return std::span(element).subspan(begin[node], begin[node + 1] - begin[node]);
  }
};

/// The pattern of the global matrix K: which entries it has, and which elements add to each of its rows. K has an entry
/// for each node with itself and with each other node of its elements. The arrays are in host memory and take 4 bytes
/// per entry, 48 per element and 12 per node.
struct Sparsity {
  /// The entries of a row, counted from its first, that belong to the four nodes of an element.
  using Slots = std::array<std::uint16_t, 4>;

  std::vector<Index> row_begin;  ///< [nodes + 1] first entry of each row
  std::vector<Index> column;     ///< [entries] in each row ascending (or by another key), the diagonal among them
  std::vector<Index> diagonal;   ///< [nodes] the entry of each row that is on the diagonal
  Incidence incidence;
  /// [4 elements] as in incidence: the entries of the node's row that each adds to; of a quadratic mesh none
  std::vector<Slots> incident_slots;

  Index rows() const { return static_cast<Index>(diagonal.size()); }
  Index entries() const { return static_cast<Index>(column.size()); }
};

}  // namespace cardiowarp
