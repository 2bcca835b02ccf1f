#include "assembly/papers/shared_nz_general.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "assembly/constant_parts.hpp"
#include "assembly/contributions.hpp"
#include "assembly/locality_order.hpp"
#include "assembly/papers/node_parts.hpp"
#include "kernels/backend/thread_team.hpp"

namespace cardiowarp {
namespace {

constexpr std::uint32_t other_stores = 0x80000000u;
using View = GeneralPartsView;

template <int N>
std::size_t bytes_of(std::size_t elements, std::size_t nodes, std::size_t /*own*/) {
  return GeneralPartMemory<N>::numbers(elements, nodes) * sizeof(Real);
}

/// The sums of one part with their lists, the longest first, in groups of 32.
struct PartSums {
  std::vector<Index> words;  ///< [groups] of a lane
  std::vector<std::uint32_t> list, target, twin;
};

template <std::size_t N>
class SumsOfPart {
 public:
  SumsOfPart(const std::vector<std::array<Index, N>>& nodes_of, const Sparsity& sparsity, const MatrixLayout& layout,
             const NodePart& part)
      : nodes_of_(nodes_of),
        sparsity_(sparsity),
        layout_(layout),
        part_(part),
        stride_(static_cast<Index>(part.elements.size()) + 1) {
    for (Index i = 0; i < part.own; ++i) add_row(part.nodes[i]);
  }

  PartSums in_groups() const {
    std::vector<Index> order(sums_.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](Index a, Index b) { return sums_[a].places.size() > sums_[b].places.size(); });
    PartSums result;
    const std::uint32_t padding = static_cast<std::uint32_t>(part_.elements.size()) * 0x10001u;
    for (std::size_t first = 0; first < order.size(); first += 32) {
      const std::size_t words = (sums_[order[first]].places.size() + 1) / 2, at = result.list.size();
      result.words.push_back(static_cast<Index>(words));
      result.list.resize(at + 32 * words, padding);
      for (std::size_t lane = 0; lane < 32; ++lane) {
        const bool is_sum = first + lane < order.size();
        const Sum* sum = is_sum ? &sums_[order[first + lane]] : nullptr;
        result.target.push_back(is_sum ? sum->target : View::no_target);
        result.twin.push_back(is_sum ? sum->twin : View::no_target);
        for (std::size_t k = 0; is_sum && k < sum->places.size(); ++k) {
          std::uint32_t& word = result.list[at + 32 * (k / 2) + lane];
          const unsigned shift = 16u * (k % 2);
          word = (word & ~(0xffffu << shift)) | std::uint32_t{sum->places[k]} << shift;
        }
      }
    }
    return result;
  }

 private:
  struct Sum {
    std::uint32_t target, twin;
    std::vector<std::uint16_t> places;
  };

  bool owns(Index node) const { return std::binary_search(part_.nodes.begin(), part_.nodes.begin() + part_.own, node); }
  std::uint32_t slot(Index entry) const { return static_cast<std::uint32_t>(layout_.slot_of_entry[entry]); }
  /// The entry of a row with a column.
  Index entry_at(Index row, Index column) const {
    const auto begin = sparsity_.column.begin();
    return static_cast<Index>(
        std::find(begin + sparsity_.row_begin[row], begin + sparsity_.row_begin[row + 1], column) - begin);
  }

  /// The entry of a row with a column, node j of the k-th incidence, counted from the first entry of the row.
  Index entry_in_row(Index k, Index row, Index column, int j) const {
    if constexpr (N == 4)
      return sparsity_.incident_slots[k][j];
    else
      return entry_at(row, column) - sparsity_.row_begin[row];
  }

  /// The sums of a row but those that are the mirror images of an earlier row's.
  void add_row(Index row) {
    const Index first = sparsity_.row_begin[row];
    const auto row_name = static_cast<std::uint32_t>(row) | View::of_row;
    of_entry_.assign(sparsity_.row_begin[row + 1] - first, -1);
    const auto of_residual = sums_.size();
    sums_.push_back({row_name, View::no_target, {}});
    for (Index k = sparsity_.incidence.begin[row]; k < sparsity_.incidence.begin[row + 1]; ++k) {
      const Index element = sparsity_.incidence.element[k];
      const std::array<Index, N>& node = nodes_of_[element];
      const int i = place_in(node, row);
      const auto local = static_cast<Index>(std::lower_bound(part_.elements.begin(), part_.elements.end(), element) -
                                            part_.elements.begin());
      sums_[of_residual].places.push_back(
          static_cast<std::uint16_t>((GeneralPartMemory<N>::of_matrix + i) * stride_ + local));
      for (int j = 0; j < static_cast<int>(N); ++j) {
        if (node[j] < row && owns(node[j])) continue;
        const Index entry = entry_in_row(k, row, node[j], j);
        if (of_entry_[entry] < 0) {
          of_entry_[entry] = static_cast<Index>(sums_.size());
          const std::uint32_t twin = node[j] == row   ? row_name
                                     : !owns(node[j]) ? View::no_target
                                                      : slot(entry_at(node[j], row));
          sums_.push_back({slot(first + entry), twin, {}});
        }
        sums_[of_entry_[entry]].places.push_back(
            static_cast<std::uint16_t>(entry_place<N, false>(i, j) * stride_ + local));
      }
    }
  }

  const std::vector<std::array<Index, N>>& nodes_of_;
  const Sparsity& sparsity_;
  const MatrixLayout& layout_;
  const NodePart& part_;
  Index stride_;
  std::vector<Sum> sums_;
  std::vector<Index> of_entry_;
};

template <class T>
void append(std::vector<T>& all, const std::vector<T>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

void write_elements(SharedNzGeneralPlan& plan, const Mesh& mesh, const NodePart& part) {
  // Own nodes and those around them are ascending, one behind the other.
  const auto local = [&](Index node) {
    const auto middle = part.nodes.begin() + part.own;
    const auto own = std::lower_bound(part.nodes.begin(), middle, node);
    const auto at = own != middle && *own == node ? own : std::lower_bound(middle, part.nodes.end(), node);
    return static_cast<std::uint64_t>(at - part.nodes.begin());
  };
  for (const Index element : part.elements) {
    const Tetrahedron& corner = mesh.tetrahedra[element];
    std::uint64_t corners = 0;
    for (int i = 0; i < 4; ++i) corners |= local(corner[i]) << (16 * i);
    plan.corners.push_back(corners);
    plan.element.push_back(static_cast<std::uint32_t>(element) |
                           (local(corner[0]) < static_cast<std::uint64_t>(part.own) ? 0u : other_stores));
  }
  append(plan.node, part.nodes);
  plan.node_begin.push_back(static_cast<Index>(plan.node.size()));
  plan.element_begin.push_back(static_cast<Index>(plan.element.size()));
}

}  // namespace

std::int64_t SharedNzGeneralPlan::bytes() const {
  constexpr std::size_t of_evaluation = sizeof(std::uint32_t) + sizeof(std::uint64_t),
                        of_element = sizeof(Diffusivity) + sizeof(std::uint16_t) + 2 * sizeof(Real),
                        of_row = sizeof(Vector3) + 4 * sizeof(Real);
  return static_cast<std::int64_t>(element.size() * of_evaluation + node.size() * sizeof(Index) +
                                   (list.size() + target.size() + twin.size()) * sizeof(std::uint32_t)) +
         elements * static_cast<std::int64_t>(of_element) + rows * static_cast<std::int64_t>(of_row) +
         entries * static_cast<std::int64_t>(sizeof(Real));
}

namespace {

/// The parts, as many and as large as is asked for.
template <int N>
std::vector<NodePart> cut(const Mesh& mesh, const Sparsity& sparsity, const Device& device,
                          const GeneralPartsShape& wish, Index usual_nodes, const char* strategy) {
  const std::size_t most_bytes =
      device.is_gpu ? std::min(usable_shared_bytes(device), most_general_part_bytes) : most_general_part_bytes;
  constexpr Index nodes_of_metis = 128;  // whose parts are not all of one size
  const Index nodes = wish.nodes > 0 ? wish.nodes : usual_nodes;
  if (wish.metis)
    return parts_of_metis(mesh.tetrahedra, sparsity, wish.nodes > 0 ? nodes : nodes_of_metis, most_bytes, bytes_of<N>,
                          strategy);
  return parts_in_order(mesh.tetrahedra, sparsity, locality_order(mesh.nodes),
                        {std::size_t(nodes), most_bytes, most_bytes}, bytes_of<N>, strategy);
}

/// Sums and sizes of the parts.
template <std::size_t N>
void write_sums(SharedNzGeneralPlan& plan, const std::vector<std::array<Index, N>>& nodes_of, const Sparsity& sparsity,
                const MatrixLayout& layout, const std::vector<NodePart>& parts) {
  plan.elements = static_cast<std::int64_t>(nodes_of.size());
  plan.rows = sparsity.rows();
  plan.entries = sparsity.entries();
  for (const NodePart& part : parts)
    plan.shared_bytes = std::max(plan.shared_bytes, bytes_of<N>(part.elements.size(), part.nodes.size(), part.own));
  std::vector<PartSums> sums(parts.size());
  parallel_for(parts.size(),
               [&](std::size_t p) { sums[p] = SumsOfPart<N>(nodes_of, sparsity, layout, parts[p]).in_groups(); });
  std::int64_t words = 0;
  plan.list_begin = plan.group_begin = {0};
  for (const PartSums& part : sums) {
    for (const Index of_group : part.words) {
      words += of_group;
      require_countable_slots(words);
      plan.list_begin.push_back(static_cast<Index>(words));
    }
    append(plan.list, part.list);
    append(plan.target, part.target);
    append(plan.twin, part.twin);
    plan.group_begin.push_back(static_cast<Index>(plan.list_begin.size()) - 1);
  }
}

}  // namespace

SharedNzGeneralPlan shared_nz_general_plan(const Mesh& mesh, const Sparsity& sparsity, const MatrixLayout& layout,
                                           const Device& device, const GeneralPartsShape& wish) {
  require_countable_slots(layout.slots);
  constexpr Index usual_nodes = 192;  // the fastest of 64 to 192 on an H200 with 222 thousand nodes
  const std::vector<NodePart> parts = cut<4>(mesh, sparsity, device, wish, usual_nodes, "shared_nz_general");
  SharedNzGeneralPlan plan;
  plan.threads = wish.threads > 0 ? wish.threads : 512;
  plan.node_begin = plan.element_begin = {0};
  for (const NodePart& part : parts) write_elements(plan, mesh, part);
  write_sums(plan, mesh.tetrahedra, sparsity, layout, parts);
  return plan;
}

SharedNzGeneralPlan quadratic_shared_nz_plan(const Mesh& mesh, const std::vector<Diffusivity>& diffusivity,
                                             const Sparsity& sparsity, const MatrixLayout& layout, const Device& device,
                                             const QuadraticPartsWish& wish) {
  require_countable_slots(layout.slots);
  const auto& [kind, shape] = wish;
  const Index as_many_as_fit = sparsity.rows() + 1;
  const std::vector<NodePart> parts = cut<quadratic_nodes>(
      mesh, sparsity, device, shape, as_many_as_fit, kind == ElementKind::general ? "shared_nz_general" : "shared_nz");
  SharedNzGeneralPlan plan;
  plan.kind = kind;
  plan.threads = shape.threads > 0 ? shape.threads : 256;
  plan.node_begin.assign(parts.size() + 1, 0);
  plan.element_begin = {0};
  for (const NodePart& part : parts) {
    for (const Index element : part.elements) plan.element.push_back(static_cast<std::uint32_t>(element));
    plan.element_begin.push_back(static_cast<Index>(plan.element.size()));
  }
  write_sums(plan, quadratic_nodes_of(mesh), sparsity, layout, parts);
  ConstantParts constant = constant_parts(kind, mesh, diffusivity, sparsity, layout);
  plan.diffusion = std::move(constant.diffusion);
  plan.volume = std::move(constant.volume);
  return plan;
}

}  // namespace cardiowarp
