#include "assembly/contributions.hpp"

#include <fmt/format.h>

#include <functional>
#include <limits>
#include <numeric>

#include "fem/element_nodes.hpp"
#include "fem/input_error.hpp"
#include "fem/quadratic_tetrahedron.hpp"

namespace cardiowarp {
namespace {

/// First contribution of each row.
std::vector<std::int64_t> row_begins(const std::vector<Index>& length) {
  std::vector<std::int64_t> begin(length.size() + 1, 0);
  std::inclusive_scan(length.begin(), length.end(), begin.begin() + 1, std::plus<>(), std::int64_t{0});
  return begin;
}

/// What `for_each_kept`, which calls visit(row, element, local) for each contribution and may be called twice, goes
/// through. All contributions to a row come from the same thread, in order.
template <class ForEach>
Contributions collected(std::int64_t rows, const ForEach& for_each_kept) {
  require_countable_slots(rows);
  Contributions result;
  result.length.assign(rows, 0);
  for_each_kept([&](std::int64_t row, Index, int) { ++result.length[row]; });
  std::vector<std::int64_t> next = row_begins(result.length);
  result.element.resize(next.back());
  result.local.resize(next.back());
  for_each_kept([&](std::int64_t row, Index element, int local) {
    const std::int64_t place = next[row]++;
    result.element[place] = element;
    result.local[place] = static_cast<std::uint8_t>(local);
  });
  return result;
}

template <std::size_t N>
Contributions contributions_to_nodes(const std::vector<std::array<Index, N>>& nodes_of, const Sparsity& sparsity) {
  Contributions result{row_lengths(sparsity.incidence.begin), sparsity.incidence.element, {}};
  result.local.resize(result.element.size());
  parallel_for(sparsity.rows(), [&](Index node) {
    for (Index k = sparsity.incidence.begin[node]; k < sparsity.incidence.begin[node + 1]; ++k)
      result.local[k] = static_cast<std::uint8_t>(place_in(nodes_of[result.element[k]], node));
  });
  return result;
}

template <class SlotOf>
std::vector<std::uint32_t> slots_by_element(const Contributions& contributions, Index elements, int values,
                                            const SlotOf& slot_of) {
  std::vector<std::uint32_t> slots(static_cast<std::size_t>(values) * elements);
  const auto count = static_cast<std::int64_t>(contributions.element.size());
  parallel_for(count, [&](std::int64_t c) {
    slots[static_cast<std::size_t>(contributions.local[c]) * elements + contributions.element[c]] =
        static_cast<std::uint32_t>(slot_of(c));
  });
  return slots;
}

}  // namespace

Contributions entry_contributions(const std::vector<Tetrahedron>& tetrahedra, const Sparsity& sparsity,
                                  std::span<const std::int64_t> row_of_entry, std::int64_t rows) {
  // All contributions to an entry come from one node's incidences: nodes are independent.
  return collected(rows, [&](const auto& visit) {
    parallel_for(sparsity.rows(), [&](Index node) {
      for (Index k = sparsity.incidence.begin[node]; k < sparsity.incidence.begin[node + 1]; ++k) {
        const Index element = sparsity.incidence.element[k];
        const int i = place_in(tetrahedra[element], node);
        for (int j = 0; j < 4; ++j) {
          const std::int64_t row = row_of_entry[sparsity.row_begin[node] + sparsity.incident_slots[k][j]];
          if (row >= 0) visit(row, element, 4 * i + j);
        }
      }
    });
  });
}

Contributions entry_contributions(const std::vector<QuadraticNodes>& elements, const Sparsity& sparsity,
                                  std::span<const std::int64_t> row_of_entry, std::int64_t rows) {
  return collected(rows, [&](const auto& visit) {
    for_each_contribution(elements, sparsity, row_of_entry, [&](std::int64_t row, Index element, int i, int j) {
      if (row >= 0) visit(row, element, quadratic_nodes * i + j);
    });
  });
}

Contributions node_contributions(const std::vector<Tetrahedron>& tetrahedra, const Sparsity& sparsity) {
  return contributions_to_nodes(tetrahedra, sparsity);
}

Contributions node_contributions(const std::vector<QuadraticNodes>& elements, const Sparsity& sparsity) {
  return contributions_to_nodes(elements, sparsity);
}

std::vector<std::uint32_t> contribution_slots(const Contributions& contributions, const EllWarpLayout& layout,
                                              Index elements, int values) {
  require_slots_fit(layout.shape.stored_entries());
  return slots_by_element(contributions, elements, values, [&](std::int64_t c) { return layout.slot_of_entry[c]; });
}

std::vector<std::uint32_t> contribution_places(const Contributions& contributions, Index elements, int values) {
  require_slots_fit(static_cast<std::int64_t>(contributions.element.size()));
  return slots_by_element(contributions, elements, values, [](std::int64_t c) { return c; });
}

Contributions joint_contributions(Contributions first, const Contributions& second, std::uint8_t offset) {
  first.length.insert(first.length.end(), second.length.begin(), second.length.end());
  first.element.insert(first.element.end(), second.element.begin(), second.element.end());
  for (const std::uint8_t local : second.local) first.local.push_back(static_cast<std::uint8_t>(local + offset));
  return first;
}

TeamVector<Index> contribution_elements(const Contributions& contributions, const EllWarpLayout& layout,
                                        Index elements) {
  TeamVector<Index> element(layout.shape.stored_entries(), elements);
  const auto count = static_cast<std::int64_t>(contributions.element.size());
  parallel_for(count, [&](std::int64_t c) { element[layout.slot_of_entry[c]] = contributions.element[c]; });
  return element;
}

void require_countable_slots(std::int64_t slots) {
  if (slots > std::numeric_limits<Index>::max())
    throw InputError(fmt::format("mesh too large: {} stored matrix entries, at most {} can be assembled", slots,
                                 std::numeric_limits<Index>::max()));
}

void require_slots_fit(std::int64_t stored_contributions) {
  constexpr std::int64_t most = std::numeric_limits<std::uint32_t>::max();
  if (stored_contributions > most)
    throw InputError(fmt::format(
        "mesh too large for assembly.strategy: spmv: {} stored contributions, at most {} fit; scalar_gather takes more",
        stored_contributions, most));
}

}  // namespace cardiowarp
