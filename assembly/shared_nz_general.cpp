#include "assembly/shared_nz_general.hpp"

#include <algorithm>
#include <numeric>

#include "assembly/contributions.hpp"
#include "assembly/locality_order.hpp"
#include "assembly/node_parts.hpp"
#include "kernels/backend/thread_team.hpp"

namespace cardiowarp {
namespace {

constexpr std::uint32_t other_stores = 0x80000000u;
using View = GeneralPartsView;

std::size_t bytes_of(std::size_t elements, std::size_t nodes, std::size_t /*own*/) {
  return GeneralPartMemory::numbers(elements, nodes) * sizeof(Real);
}

/// The sums of one part with their lists, the longest first, in groups of 32.
struct PartSums {
  std::vector<Index> words;  ///< [groups] of a lane
  std::vector<std::uint32_t> list, target, twin;
};

class SumsOfPart {
 public:
  SumsOfPart(const Mesh& mesh, const Sparsity& sparsity, const MatrixLayout& layout, const NodePart& part)
      : mesh_(mesh),
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
  /// The slot of the entry of a row with a column.
  std::uint32_t slot_at(Index row, Index column) const {
    const auto begin = sparsity_.column.begin();
    return slot(static_cast<Index>(
        std::find(begin + sparsity_.row_begin[row], begin + sparsity_.row_begin[row + 1], column) - begin));
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
      const Tetrahedron& corner = mesh_.tetrahedra[element];
      const int i = static_cast<int>(std::find(corner.begin(), corner.end(), row) - corner.begin());
      const auto local = static_cast<Index>(std::lower_bound(part_.elements.begin(), part_.elements.end(), element) -
                                            part_.elements.begin());
      sums_[of_residual].places.push_back(static_cast<std::uint16_t>((10 + i) * stride_ + local));
      for (int j = 0; j < 4; ++j) {
        if (corner[j] < row && owns(corner[j])) continue;
        const Index entry = sparsity_.incident_slots[k][j];
        if (of_entry_[entry] < 0) {
          of_entry_[entry] = static_cast<Index>(sums_.size());
          const std::uint32_t twin = corner[j] == row   ? row_name
                                     : !owns(corner[j]) ? View::no_target
                                                        : slot_at(corner[j], row);
          sums_.push_back({slot(first + entry), twin, {}});
        }
        sums_[of_entry_[entry]].places.push_back(static_cast<std::uint16_t>(symmetric_place(i, j) * stride_ + local));
      }
    }
  }

  const Mesh& mesh_;
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

SharedNzGeneralPlan shared_nz_general_plan(const Mesh& mesh, const Sparsity& sparsity, const MatrixLayout& layout,
                                           const Device& device, const GeneralPartsShape& wish) {
  require_countable_slots(layout.slots);
  const std::size_t most_bytes =
      device.is_gpu ? std::min(usable_shared_bytes(device), most_general_part_bytes) : most_general_part_bytes;
  constexpr Index nodes_of_metis = 128;  // whose parts are not all of one size
  constexpr Index usual_nodes = 192;     // the fastest of 64 to 192 on an H200 with 222 thousand nodes
  constexpr const char* name = "shared_nz_general";
  const Index nodes = wish.nodes > 0 ? wish.nodes : usual_nodes;
  const PartLimits limits{std::size_t(nodes), most_bytes, most_bytes};
  const std::vector<NodePart> parts =
      wish.metis ? parts_of_metis(mesh.tetrahedra, sparsity, wish.nodes > 0 ? nodes : nodes_of_metis, most_bytes,
                                  bytes_of, name)
                 : parts_in_order(mesh.tetrahedra, sparsity, locality_order(mesh.nodes), limits, bytes_of, name);
  SharedNzGeneralPlan plan;
  plan.threads = wish.threads > 0 ? wish.threads : 512;
  plan.elements = static_cast<std::int64_t>(mesh.tetrahedra.size());
  plan.rows = sparsity.rows();
  plan.entries = sparsity.entries();
  plan.node_begin = plan.element_begin = plan.group_begin = {0};
  for (const NodePart& part : parts) {
    plan.shared_bytes = std::max(plan.shared_bytes, bytes_of(part.elements.size(), part.nodes.size(), part.own));
    write_elements(plan, mesh, part);
  }
  std::vector<PartSums> sums(parts.size());
  parallel_for(parts.size(),
               [&](std::size_t p) { sums[p] = SumsOfPart(mesh, sparsity, layout, parts[p]).in_groups(); });
  std::int64_t words = 0;
  plan.list_begin = {0};
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
  return plan;
}

}  // namespace cardiowarp
