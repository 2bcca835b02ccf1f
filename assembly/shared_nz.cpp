#include "assembly/shared_nz.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

#include "assembly/contributions.hpp"
#include "assembly/diffusion_matrix.hpp"
#include "fem/input_error.hpp"
#include "kernels/backend/thread_team.hpp"

namespace cardiowarp {
namespace {

constexpr std::uint32_t other_stores = 0x80000000u;

/// What a part has, by the numbers of the mesh.
struct Part {
  Index first_row, end_row;
  std::vector<Index> elements;  ///< ascending
  std::vector<Index> around;    ///< ascending

  Index own() const { return end_row - first_row; }
  bool owns(Index node) const { return node >= first_row && node < end_row; }
  std::uint16_t local_node(Index node) const {
    if (owns(node)) return static_cast<std::uint16_t>(node - first_row);
    return static_cast<std::uint16_t>(own() + place_in(around, node));
  }
  std::uint16_t local_element(Index element) const { return static_cast<std::uint16_t>(place_in(elements, element)); }

 private:
  static std::ptrdiff_t place_in(const std::vector<Index>& sorted, Index number) {
    return std::lower_bound(sorted.begin(), sorted.end(), number) - sorted.begin();
  }
};

void sort_unique(std::vector<Index>& numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

Part part_of_rows(const std::vector<Tetrahedron>& tetrahedra, const Sparsity& sparsity, Index first_row,
                  Index end_row) {
  Part part{first_row, end_row, {}, {}};
  part.elements.assign(sparsity.incidence.element.begin() + sparsity.incidence.begin[first_row],
                       sparsity.incidence.element.begin() + sparsity.incidence.begin[end_row]);
  sort_unique(part.elements);
  for (const Index element : part.elements)
    for (const Index node : tetrahedra[element])
      if (!part.owns(node)) part.around.push_back(node);
  sort_unique(part.around);
  return part;
}

/// The parts of runs of `slices_a_part` slices.
std::vector<Part> parts_of(const std::vector<Tetrahedron>& tetrahedra, const Sparsity& sparsity,
                           const EllWarpShape& shape, Index slices_a_part) {
  std::vector<Part> parts((shape.slices() + slices_a_part - 1) / slices_a_part);
  parallel_ranges(static_cast<std::int64_t>(parts.size()), 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t p = begin; p < end; ++p) {
      const auto first = static_cast<Index>(p) * slices_a_part;
      parts[p] = part_of_rows(tetrahedra, sparsity, shape.slice_row[first],
                              shape.slice_row[std::min(first + slices_a_part, shape.slices())]);
    }
  });
  return parts;
}

/// The sizes that follow from the parts.
void set_sizes(SharedNzPlan& plan, const std::vector<Part>& parts) {
  plan.most_elements = plan.most_nodes = 0;
  for (const Part& part : parts) {
    plan.most_elements = std::max(plan.most_elements, static_cast<Index>(part.elements.size()));
    plan.most_nodes = std::max(plan.most_nodes, part.own() + static_cast<Index>(part.around.size()));
  }
}

/// Warps of a block for each of its slices, at least one.
Index split_of(Index threads, Index slices_a_part) { return std::max<Index>(1, threads / warp_lanes / slices_a_part); }

/// Parts that fit, by halves of the slices that are asked for.
std::vector<Part> fitting_parts(SharedNzPlan& plan, const Mesh& mesh, const Sparsity& sparsity,
                                const EllWarpShape& shape, std::size_t most_bytes) {
  for (;;) {
    std::vector<Part> parts = parts_of(mesh.tetrahedra, sparsity, shape, plan.slices_a_part);
    plan.split = split_of(plan.threads, plan.slices_a_part);
    set_sizes(plan, parts);
    constexpr Index most_numbers = std::numeric_limits<std::uint16_t>::max();
    const bool fits = plan.shared_bytes() <= most_bytes && std::max(plan.most_elements, plan.most_nodes) < most_numbers;
    if (fits) return parts;
    if (plan.slices_a_part == 1)
      throw InputError(
          fmt::format("assembly.strategy: shared_nz keeps the elements of {} rows in shared memory, of which some have "
                      "{}, at {} nodes: they need {} KiB, there are {} KiB (auto takes the gather that suits)",
                      warp_lanes, plan.most_elements, plan.most_nodes, (plan.shared_bytes() + 1023) >> 10,
                      most_bytes >> 10));
    plan.slices_a_part /= 2;
  }
}

/// Where the lists of 32 neighbours begin, from how many words each has.
std::vector<Index> list_begins(const std::vector<Index>& words) {
  std::vector<std::int64_t> begin(words.size() + 1, 0);
  std::inclusive_scan(words.begin(), words.end(), begin.begin() + 1, std::plus<>(), std::int64_t{0});
  require_countable_slots(begin.back());
  return {begin.begin(), begin.end()};
}

/// Puts local element `number` at place k of a lane's list.
void put(std::vector<std::uint32_t>& list, Index begin, Index lane, Index k, std::uint16_t number) {
  std::uint32_t& word = list[(std::int64_t{begin} + k / 2) * warp_lanes + lane];
  const unsigned shift = 16u * (k % 2);
  word = (word & ~(0xffffu << shift)) | std::uint32_t{number} << shift;
}

/// Fills the lists of the words [begin, end) with a number.
void fill(std::vector<std::uint32_t>& list, Index begin, Index end, std::size_t number) {
  std::fill(list.begin() + std::int64_t{begin} * warp_lanes, list.begin() + std::int64_t{end} * warp_lanes,
            static_cast<std::uint32_t>(number | number << 16u));
}

/// The lists of a matrix: for each of its slots the elements that add to it but for the diagonal, for each row its
/// elements.
class Lists {
 public:
  Lists(const Sparsity& sparsity, const MatrixLayout& layout)
      : sparsity_(sparsity), layout_(layout), shape_(layout.ell_warp().shape) {}

  /// Where the lists begin.
  void lay_out(SharedNzPlan& plan) const {
    std::vector<Index> words(layout_.slots / warp_lanes), row_words(shape_.slices());
    parallel_for(shape_.slices(), [&](Index slice) {
      std::vector<Index> length;
      Index most = 0;
      for (Index row = shape_.slice_row[slice]; row < shape_.slice_row[slice + 1]; ++row) {
        most = std::max(most, lane_elements(slice, row));
        length.assign(sparsity_.row_begin[row + 1] - sparsity_.row_begin[row], 0);
        for_each_contribution(row, [&](Index, Index entry) { ++length[entry]; });
        for (Index entry = 0; entry < static_cast<Index>(length.size()); ++entry) {
          Index& of_layer = words[slot(row, entry) / warp_lanes];
          of_layer = std::max(of_layer, (length[entry] + 1) / 2);
        }
      }
      row_words[slice] = (most + 1) / 2;
    });
    plan.list_begin = list_begins(words);
    plan.node_list_begin = list_begins(row_words);
    resize_by_team(plan.list, std::int64_t{plan.list_begin.back()} * warp_lanes);
    resize_by_team(plan.node_list, std::int64_t{plan.node_list_begin.back()} * warp_lanes);
  }

  void write(SharedNzPlan& plan, Index slice, const Part& part) const {
    const auto first_layer = static_cast<Index>(shape_.slice_begin[slice] / warp_lanes),
               end_layer = static_cast<Index>(shape_.slice_begin[slice + 1] / warp_lanes);
    fill(plan.list, plan.list_begin[first_layer], plan.list_begin[end_layer], part.elements.size());
    fill(plan.node_list, plan.node_list_begin[slice], plan.node_list_begin[slice + 1], part.elements.size());
    const Index lanes = shape_.slice_lanes[slice];
    std::vector<Index> next;
    for (Index row = shape_.slice_row[slice]; row < shape_.slice_row[slice + 1]; ++row) {
      const Index first_lane = (row - shape_.slice_row[slice]) * lanes, begin = sparsity_.incidence.begin[row];
      next.assign(sparsity_.row_begin[row + 1] - sparsity_.row_begin[row], 0);
      for (Index k = begin; k < sparsity_.incidence.begin[row + 1]; ++k)
        put(plan.node_list, plan.node_list_begin[slice], first_lane + (k - begin) % lanes, (k - begin) / lanes,
            part.local_element(sparsity_.incidence.element[k]));
      for_each_contribution(row, [&](Index element, Index entry) {
        const std::int64_t at = slot(row, entry);
        put(plan.list, plan.list_begin[at / warp_lanes], static_cast<Index>(at % warp_lanes), next[entry]++,
            part.local_element(element));
      });
      for (Index entry = 0; entry < static_cast<Index>(next.size()); ++entry)
        plan.local_column[slot(row, entry)] = part.local_node(sparsity_.column[sparsity_.row_begin[row] + entry]);
    }
  }

 private:
  std::int64_t slot(Index row, Index entry) const { return layout_.slot_of_entry[sparsity_.row_begin[row] + entry]; }
  /// The most elements that a lane of a row has.
  Index lane_elements(Index slice, Index row) const {
    const Index elements = sparsity_.incidence.begin[row + 1] - sparsity_.incidence.begin[row];
    return (elements + shape_.slice_lanes[slice] - 1) / shape_.slice_lanes[slice];
  }
  /// visit(element, entry of the row) for what is added to the row beside the diagonal, by ascending elements.
  template <class Visit>
  void for_each_contribution(Index row, const Visit& visit) const {
    const Index diagonal = sparsity_.diagonal[row] - sparsity_.row_begin[row];
    for (Index k = sparsity_.incidence.begin[row]; k < sparsity_.incidence.begin[row + 1]; ++k)
      for (const Index entry : sparsity_.incident_slots[k])
        if (entry != diagonal) visit(sparsity_.incidence.element[k], entry);
  }

  const Sparsity& sparsity_;
  const MatrixLayout& layout_;
  const EllWarpShape& shape_;
};

/// Numbers of all parts one after the other.
template <class T, class CountOf, class Write>
void join(const std::vector<Part>& parts, std::vector<Index>& begin, std::vector<T>& joined, const CountOf& count_of,
          const Write& write) {
  std::vector<Index> count;
  for (const Part& part : parts) count.push_back(static_cast<Index>(count_of(part)));
  begin = list_begins(count);
  resize_by_team(joined, begin.back());
  parallel_for(static_cast<Index>(parts.size()), [&](Index p) { write(parts[p], joined.data() + begin[p], p); });
}

}  // namespace

SharedNzView SharedNzPlan::sizes() const {
  SharedNzView view{};
  view.parts = parts();
  view.slices_a_part = slices_a_part;
  view.split = split;
  view.most_elements = most_elements;
  view.most_nodes = most_nodes;
  return view;
}

std::int64_t SharedNzPlan::bytes() const {
  constexpr std::size_t of_evaluation = sizeof(std::uint32_t) + sizeof(std::uint64_t),
                        of_element = sizeof(Real) + 2 * sizeof(Real),
                        of_slot = 2 * sizeof(Real) + sizeof(std::uint16_t),
                        of_row = 4 * sizeof(Real) + sizeof(std::uint16_t);
  return static_cast<std::int64_t>(element.size() * of_evaluation + volume.size() * of_element +
                                   around.size() * sizeof(Index) + diffusion.size() * of_slot +
                                   (list.size() + node_list.size()) * sizeof(std::uint32_t) +
                                   (list_begin.size() + node_list_begin.size()) * sizeof(Index) +
                                   diagonal.size() * of_row);
}

bool shared_nz_suits(const MatrixLayout& layout) {
  return layout.options.format == MatrixFormat::ell_warp &&
         layout.options.ell_warp.renumbering != EllWarpRenumbering::none;
}

SharedNzPlan shared_nz_plan(const Mesh& mesh, const std::vector<Diffusivity>& diffusivity, const Sparsity& sparsity,
                            const MatrixLayout& layout, const Device& device, const SharedNzShape& wish) {
  const EllWarpShape& shape = layout.ell_warp().shape;
  SharedNzPlan plan;
  plan.slices_a_part = wish.slices_a_part > 0 ? wish.slices_a_part : 8;
  plan.threads = wish.threads > 0 ? wish.threads : 512;
  const std::size_t most_bytes =
      device.is_gpu ? std::min(usable_shared_bytes(device), most_part_bytes) : most_part_bytes;
  const std::vector<Part> parts = fitting_parts(plan, mesh, sparsity, shape, most_bytes);

  std::vector<Index> part_of_row(sparsity.rows());
  for (std::size_t p = 0; p < parts.size(); ++p)
    std::fill(part_of_row.begin() + parts[p].first_row, part_of_row.begin() + parts[p].end_row, static_cast<Index>(p));
  join(
      parts, plan.element_begin, plan.element, [](const Part& part) { return part.elements.size(); },
      [&](const Part& part, std::uint32_t* to, Index p) {
        for (const Index element : part.elements)
          *to++ = static_cast<std::uint32_t>(element) |
                  (part_of_row[mesh.tetrahedra[element][0]] == p ? 0u : other_stores);
      });
  join(
      parts, plan.element_begin, plan.corners, [](const Part& part) { return part.elements.size(); },
      [&](const Part& part, std::uint64_t* to, Index) {
        for (const Index element : part.elements) {
          std::uint64_t corners = 0;
          for (int i = 0; i < 4; ++i)
            corners |= std::uint64_t{part.local_node(mesh.tetrahedra[element][i])} << (16 * i);
          *to++ = corners;
        }
      });
  join(
      parts, plan.around_begin, plan.around, [](const Part& part) { return part.around.size(); },
      [](const Part& part, Index* to, Index) { std::copy(part.around.begin(), part.around.end(), to); });

  const Lists lists(sparsity, layout);
  lists.lay_out(plan);
  plan.local_column.assign(layout.slots, 0);
  parallel_for(static_cast<Index>(parts.size()), [&](Index p) {
    for (Index slice = p * plan.slices_a_part; slice < std::min((p + 1) * plan.slices_a_part, shape.slices()); ++slice)
      lists.write(plan, slice, parts[p]);
  });
  for (Index row = 0; row < sparsity.rows(); ++row)
    plan.diagonal.push_back(static_cast<std::uint16_t>(sparsity.diagonal[row] - sparsity.row_begin[row]));
  plan.diffusion = diffusion_matrix(mesh, diffusivity, sparsity, layout);
  plan.volume = element_volumes(mesh);
  return plan;
}

}  // namespace cardiowarp
