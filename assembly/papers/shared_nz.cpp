#include "assembly/papers/shared_nz.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

#include "assembly/contributions.hpp"
#include "assembly/diffusion_matrix.hpp"
#include "assembly/locality_order.hpp"
#include "assembly/options.hpp"
#include "assembly/papers/node_parts.hpp"
#include "fem/mesh.hpp"
#include "kernels/backend/thread_team.hpp"

namespace cardiowarp {
namespace {

constexpr std::uint32_t other_stores = 0x80000000u;

Index groups_of(std::size_t own) { return static_cast<Index>((own + warp_lanes - 1) / warp_lanes); }

/// Warps of a block for each group of its part, at least one.
Index split_of(Index threads, Index groups) {
  return std::max<Index>(1, threads / warp_lanes / std::max<Index>(1, groups));
}

/// What a part of so many elements and nodes takes with so many threads.
PartBytes bytes_of(Index threads) {
  return [=](std::size_t elements, std::size_t nodes, std::size_t own) {
    constexpr std::size_t most_numbers = std::numeric_limits<std::uint16_t>::max();
    if (elements >= most_numbers || nodes > most_numbers) return std::numeric_limits<std::size_t>::max();
    const Index groups = groups_of(own);
    return SharedNzMemory::numbers(elements, nodes, groups, split_of(threads, groups)) * sizeof(Real);
  };
}

/// The local numbers of the nodes of a part.
class LocalNodes {
 public:
  explicit LocalNodes(const std::vector<Index>& nodes) {
    for (std::size_t i = 0; i < nodes.size(); ++i) sorted_.emplace_back(nodes[i], static_cast<std::uint16_t>(i));
    std::sort(sorted_.begin(), sorted_.end());
  }
  std::uint16_t operator[](Index node) const {
    return std::lower_bound(sorted_.begin(), sorted_.end(), std::pair(node, std::uint16_t{0}))->second;
  }

 private:
  std::vector<std::pair<Index, std::uint16_t>> sorted_;
};

/// What is stored of one part, its beginnings counted from its own first.
struct StoredPart {
  std::vector<Index> layers, words, node_words;  ///< [groups], [layers], [groups]
  std::vector<std::uint32_t> element, list, node_list;
  std::vector<std::uint64_t> corners;
  std::vector<Real> diffusion;
  std::vector<std::uint16_t> local_column;
  std::vector<SharedNzRow> row;
};

/// Appends lists of the lanes of a warp: words of two numbers, a word of each lane, then the next. How many of a lane.
Index append_lists(std::vector<std::uint32_t>& list, const std::vector<std::uint16_t> (&of_lane)[warp_lanes],
                   std::uint16_t padding) {
  std::size_t longest = 0;
  for (const auto& numbers : of_lane) longest = std::max(longest, numbers.size());
  const auto number = [&](const std::vector<std::uint16_t>& numbers, std::size_t k) -> std::uint32_t {
    return k < numbers.size() ? numbers[k] : padding;
  };
  for (std::size_t k = 0; k < longest; k += 2)
    for (const auto& numbers : of_lane) list.push_back(number(numbers, k) | number(numbers, k + 1) << 16u);
  return static_cast<Index>((longest + 1) / 2);
}

class PartWriter {
 public:
  PartWriter(const Mesh& mesh, const Sparsity& sparsity, const MatrixLayout& layout, const std::vector<Real>& diffusion)
      : mesh_(mesh), sparsity_(sparsity), layout_(layout), diffusion_(diffusion) {}

  StoredPart stored(const NodePart& part) const {
    StoredPart result;
    const LocalNodes local_node(part.nodes);
    for (const Index element : part.elements) {
      const Tetrahedron& corner = mesh_.tetrahedra[element];
      std::uint64_t corners = 0;
      for (int i = 0; i < 4; ++i) corners |= std::uint64_t{local_node[corner[i]]} << (16 * i);
      result.corners.push_back(corners);
      result.element.push_back(static_cast<std::uint32_t>(element) |
                               (local_node[corner[0]] < part.own ? 0u : other_stores));
    }
    const auto padding = static_cast<std::uint16_t>(part.elements.size());
    for (Index first = 0; first < part.own; first += warp_lanes) {
      // For each lane the elements of its row, and those of each of its entries.
      std::vector<std::uint16_t> of_row[warp_lanes];
      std::vector<std::vector<std::uint16_t>> of_entry[warp_lanes];
      std::size_t layers = 0;
      for (Index lane = 0; lane < warp_lanes; ++lane) {
        result.row.emplace_back();
        if (first + lane >= part.own) continue;
        const Index row = part.nodes[first + lane];
        result.row.back() = stored_row(row);
        of_entry[lane].resize(sparsity_.row_begin[row + 1] - sparsity_.row_begin[row]);
        list_elements(part, row, of_row[lane], of_entry[lane]);
        layers = std::max(layers, of_entry[lane].size());
      }
      result.layers.push_back(static_cast<Index>(layers));
      result.node_words.push_back(append_lists(result.node_list, of_row, padding));
      for (std::size_t layer = 0; layer < layers; ++layer) {
        std::vector<std::uint16_t> of_lane[warp_lanes];
        for (Index lane = 0; lane < warp_lanes; ++lane) {
          const bool is_entry = layer < of_entry[lane].size();
          if (is_entry) of_lane[lane] = std::move(of_entry[lane][layer]);
          const Index entry = is_entry ? sparsity_.row_begin[part.nodes[first + lane]] + static_cast<Index>(layer) : 0;
          result.diffusion.push_back(is_entry ? diffusion_[entry] : 0);
          result.local_column.push_back(is_entry ? local_node[sparsity_.column[entry]] : std::uint16_t{0});
        }
        result.words.push_back(append_lists(result.list, of_lane, padding));
      }
    }
    return result;
  }

 private:
  SharedNzRow stored_row(Index row) const {
    const Index first = sparsity_.row_begin[row];
    SharedNzRow stored;
    stored.first_slot = static_cast<std::uint32_t>(layout_.slot_of_entry[first]);
    stored.length = static_cast<std::uint16_t>(sparsity_.row_begin[row + 1] - first);
    stored.diagonal = static_cast<std::uint16_t>(sparsity_.diagonal[row] - first);
    stored.lanes = 1u << 16u;
    if (layout_.options.format == MatrixFormat::ell_warp) {
      // A row of one lane has its second entry in the next layer, one of several lanes in the next lane.
      std::uint32_t lanes = 1;
      while (lanes < std::uint32_t{warp_lanes} && lanes < stored.length &&
             layout_.slot_of_entry[first + static_cast<Index>(lanes)] == std::int64_t{stored.first_slot} + lanes)
        ++lanes;
      stored.lanes = lanes;
    }
    return stored;
  }

  /// The local numbers of the elements that add to a row and to its entries, but for the diagonal, ascending.
  void list_elements(const NodePart& part, Index row, std::vector<std::uint16_t>& of_row,
                     std::vector<std::vector<std::uint16_t>>& of_entry) const {
    const Index diagonal = sparsity_.diagonal[row] - sparsity_.row_begin[row];
    for (Index k = sparsity_.incidence.begin[row]; k < sparsity_.incidence.begin[row + 1]; ++k) {
      const Index element = sparsity_.incidence.element[k];
      const auto local = static_cast<std::uint16_t>(
          std::lower_bound(part.elements.begin(), part.elements.end(), element) - part.elements.begin());
      of_row.push_back(local);
      for (const Index entry : sparsity_.incident_slots[k])
        if (entry != diagonal) of_entry[entry].push_back(local);
    }
  }

  const Mesh& mesh_;
  const Sparsity& sparsity_;
  const MatrixLayout& layout_;
  const std::vector<Real>& diffusion_;
};

template <class T>
void append(std::vector<T>& all, const std::vector<T>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

/// Goes on from the last number of `begin` by each of `counts`.
void append_begins(std::vector<Index>& begin, const std::vector<Index>& counts) {
  std::int64_t last = begin.back();
  for (const Index count : counts) {
    last += count;
    require_countable_slots(last);
    begin.push_back(static_cast<Index>(last));
  }
}

void append_part(SharedNzPlan& plan, const NodePart& part, const StoredPart& stored) {
  append(plan.node, part.nodes);
  append(plan.element, stored.element);
  append(plan.corners, stored.corners);
  append(plan.diffusion, stored.diffusion);
  append(plan.local_column, stored.local_column);
  append(plan.list, stored.list);
  append(plan.node_list, stored.node_list);
  append(plan.row, stored.row);
  plan.own.push_back(part.own);
  append_begins(plan.node_begin, {static_cast<Index>(part.nodes.size())});
  append_begins(plan.element_begin, {static_cast<Index>(part.elements.size())});
  append_begins(plan.group_begin, {static_cast<Index>(stored.layers.size())});
  append_begins(plan.layer_begin, stored.layers);
  append_begins(plan.list_begin, stored.words);
  append_begins(plan.node_list_begin, stored.node_words);
  plan.most_groups = std::max(plan.most_groups, groups_of(part.own));
}

}  // namespace

std::int64_t SharedNzPlan::bytes() const {
  constexpr std::size_t of_evaluation = sizeof(std::uint32_t) + sizeof(std::uint64_t),
                        of_element = sizeof(Real) + 2 * sizeof(Real),
                        of_entry = 2 * sizeof(Real) + sizeof(std::uint16_t),
                        of_row = 4 * sizeof(Real) + sizeof(SharedNzRow);
  return static_cast<std::int64_t>(element.size() * of_evaluation + volume.size() * of_element +
                                   node.size() * sizeof(Index) + diffusion.size() * of_entry +
                                   (list.size() + node_list.size()) * sizeof(std::uint32_t) +
                                   (list_begin.size() + node_list_begin.size()) * sizeof(Index) + row.size() * of_row);
}

bool shared_nz_suits(const MatrixLayout& layout) {
  return layout.options.format == MatrixFormat::ell_warp || keeps_entry_order(layout.options.format);
}

SharedNzPlan shared_nz_plan(const Mesh& mesh, const std::vector<Diffusivity>& diffusivity, const Sparsity& sparsity,
                            const MatrixLayout& layout, const Device& device, const SharedNzShape& wish) {
  require_countable_slots(layout.slots);
  // A multiprocessor has one block of 1024 threads with 64 registers at a time, so a part may have all of its shared
  // memory. On an H200 that is the fastest at 34 thousand nodes; at 222 thousand parts of 512 nodes with 512 threads
  // take 99 µs in place of 134 (blocks_assembly.csv). A run that counts on speed takes slice_gather.
  constexpr Index usual_threads = 1024;
  SharedNzPlan plan;
  plan.threads = wish.threads > 0 ? wish.threads : usual_threads;
  const std::size_t most_bytes =
      device.is_gpu ? std::min(usable_shared_bytes(device), most_part_bytes) : most_part_bytes;
  const std::size_t usual_bytes = wish.kib > 0 ? std::min(most_bytes, std::size_t(wish.kib) << 10) : most_bytes;
  Index rows = wish.rows;
  if (rows == 0 && wish.kib == 0 && device.is_gpu)  // a part for each multiprocessor
    rows = std::max(warp_lanes, (sparsity.rows() + device.multiprocessors - 1) / device.multiprocessors);
  const PartLimits limits{rows > 0 ? std::size_t(rows) : most_bytes, usual_bytes, most_bytes};
  std::vector<NodePart> parts = parts_in_order(mesh.tetrahedra, sparsity, locality_order(mesh.nodes), limits,
                                               bytes_of(plan.threads), "shared_nz");
  const auto length = [&](Index row) { return sparsity.row_begin[row + 1] - sparsity.row_begin[row]; };
  for (NodePart& part : parts)
    std::stable_sort(part.nodes.begin(), part.nodes.begin() + part.own,
                     [&](Index a, Index b) { return length(a) > length(b); });

  const std::vector<Real> diffusion = diffusion_matrix(mesh, diffusivity, sparsity);
  const PartWriter writer(mesh, sparsity, layout, diffusion);
  std::vector<StoredPart> stored(parts.size());
  parallel_for(parts.size(), [&](std::size_t p) { stored[p] = writer.stored(parts[p]); });
  plan.node_begin = plan.element_begin = plan.group_begin = plan.layer_begin = plan.list_begin =
      plan.node_list_begin = {0};
  for (std::size_t p = 0; p < parts.size(); ++p) append_part(plan, parts[p], stored[p]);
  plan.split = split_of(plan.threads, plan.most_groups);
  for (const NodePart& part : parts)
    plan.shared_bytes =
        std::max(plan.shared_bytes, sizeof(Real) * SharedNzMemory::numbers(part.elements.size(), part.nodes.size(),
                                                                           groups_of(part.own), plan.split));
  plan.volume = element_volumes(mesh);
  return plan;
}

}  // namespace cardiowarp
