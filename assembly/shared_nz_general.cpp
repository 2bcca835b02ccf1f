#include "assembly/shared_nz_general.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "assembly/contributions.hpp"
#include "assembly/locality_order.hpp"
#include "fem/input_error.hpp"
#include "kernels/backend/thread_team.hpp"
#include "kernels/libraries/metis_parts.hpp"

namespace cardiowarp {
namespace {

constexpr std::uint32_t other_stores = 0x80000000u;
using View = GeneralPartsView;

std::size_t bytes_of(std::size_t elements, std::size_t nodes) {
  return GeneralPartMemory::numbers(static_cast<Index>(elements), static_cast<Index>(nodes)) * sizeof(Real);
}

/// A part by the numbers of the mesh: its own nodes, then those around them; its elements, ascending.
struct Part {
  std::vector<Index> nodes, elements;
  Index own = 0;
};

/// Grows parts node by node. What a node has been met by is stamped with the number of the part.
class Growth {
 public:
  Growth(const std::vector<Tetrahedron>& tetrahedra, const Sparsity& sparsity)
      : tetrahedra_(tetrahedra),
        sparsity_(sparsity),
        element_stamp_(tetrahedra.size(), -1),
        node_stamp_(sparsity.rows(), -1) {}

  /// Adds a node, unless the part would take more than `most_bytes`. Whether it was added.
  bool add(Index node, std::size_t most_bytes) {
    std::size_t elements = part_.elements.size();
    new_nodes_.clear();
    for (const Index element : sparsity_.incidence.elements_of(node)) {
      if (element_stamp_[element] == number_) continue;
      ++elements;
      for (const Index corner : tetrahedra_[element])
        if (node_stamp_[corner] != number_) {
          node_stamp_[corner] = number_;
          new_nodes_.push_back(corner);
        }
    }
    if (node_stamp_[node] != number_) {
      node_stamp_[node] = number_;
      new_nodes_.push_back(node);
    }
    needed_ = bytes_of(elements, nodes_ + new_nodes_.size());
    if (needed_ > most_bytes) {
      for (const Index met : new_nodes_) node_stamp_[met] = -1;
      return false;
    }
    nodes_ += new_nodes_.size();
    for (const Index element : sparsity_.incidence.elements_of(node))
      if (element_stamp_[element] != number_) {
        element_stamp_[element] = number_;
        part_.elements.push_back(element);
      }
    part_.nodes.push_back(node);
    return true;
  }

  /// The part grown so far; the next begins.
  Part take() {
    Part part = std::move(part_);
    part_ = {};
    nodes_ = 0;
    ++number_;
    part.own = static_cast<Index>(part.nodes.size());
    std::sort(part.elements.begin(), part.elements.end());
    std::sort(part.nodes.begin(), part.nodes.end());
    std::vector<Index> around;
    for (const Index element : part.elements)
      for (const Index corner : tetrahedra_[element])
        if (!std::binary_search(part.nodes.begin(), part.nodes.end(), corner)) around.push_back(corner);
    std::sort(around.begin(), around.end());
    around.erase(std::unique(around.begin(), around.end()), around.end());
    part.nodes.insert(part.nodes.end(), around.begin(), around.end());
    return part;
  }

  std::size_t size() const { return part_.nodes.size(); }
  std::size_t needed() const { return needed_; }  ///< bytes of the part with the last node

 private:
  const std::vector<Tetrahedron>& tetrahedra_;
  const Sparsity& sparsity_;
  std::vector<Index> element_stamp_, node_stamp_, new_nodes_;
  Index number_ = 0;
  std::size_t nodes_ = 0, needed_ = 0;
  Part part_;
};

[[noreturn]] void refuse(const char* what, std::size_t needed, std::size_t most_bytes) {
  throw InputError(fmt::format(
      "assembly.strategy: shared_nz_general keeps the numbers of elements in shared memory: {} needs {} KiB, there are "
      "{} KiB (auto takes the gather that suits)",
      what, (needed + 1023) >> 10, most_bytes >> 10));
}

/// Parts along the Hilbert curve, as many nodes in each as `shape` or the memory allows.
std::vector<Part> parts_along_the_curve(const Mesh& mesh, const Sparsity& sparsity, std::size_t usual_bytes,
                                        std::size_t most_bytes, std::size_t most_nodes) {
  std::vector<Part> parts;
  Growth growth(mesh.tetrahedra, sparsity);
  for (const Index node : locality_order(mesh.nodes)) {
    if (growth.size() < most_nodes && growth.add(node, usual_bytes)) continue;
    if (growth.size() > 0) parts.push_back(growth.take());
    if (!growth.add(node, usual_bytes) && !growth.add(node, most_bytes)) refuse("one node", growth.needed(), most_bytes);
  }
  if (growth.size() > 0) parts.push_back(growth.take());
  return parts;
}

/// Parts of METIS of about so many nodes.
std::vector<Part> parts_of_metis(const Mesh& mesh, const Sparsity& sparsity, std::size_t most_bytes, Index nodes) {
  if (!has_metis()) throw InputError("assembly.strategy: shared_nz_general by METIS: this build has no METIS");
  const Index number = (sparsity.rows() + nodes - 1) / nodes;
  const std::vector<Index> part_of = metis_parts({sparsity.row_begin, sparsity.column}, number);
  std::vector<std::vector<Index>> own(number);
  for (Index node = 0; node < sparsity.rows(); ++node) own[part_of[node]].push_back(node);
  std::vector<Part> parts;
  Growth growth(mesh.tetrahedra, sparsity);
  for (const std::vector<Index>& list : own) {
    if (list.empty()) continue;
    for (const Index node : list)
      if (!growth.add(node, most_bytes)) refuse("a part of METIS", growth.needed(), most_bytes);
    parts.push_back(growth.take());
  }
  return parts;
}

/// The sums of one part with their lists, the longest first, in groups of 32.
struct PartSums {
  std::vector<Index> words;  ///< [groups] of a lane
  std::vector<std::uint32_t> list, target, twin;
};

class SumsOfPart {
 public:
  SumsOfPart(const Mesh& mesh, const Sparsity& sparsity, const MatrixLayout& layout, const Part& part, Index stride)
      : mesh_(mesh), sparsity_(sparsity), layout_(layout), part_(part), stride_(stride) {
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

  bool owns(Index node) const {
    return std::binary_search(part_.nodes.begin(), part_.nodes.begin() + part_.own, node);
  }
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
      const auto local = static_cast<Index>(
          std::lower_bound(part_.elements.begin(), part_.elements.end(), element) - part_.elements.begin());
      sums_[of_residual].places.push_back(static_cast<std::uint16_t>((10 + i) * stride_ + local));
      for (int j = 0; j < 4; ++j) {
        if (corner[j] < row && owns(corner[j])) continue;
        const Index entry = sparsity_.incident_slots[k][j];
        if (of_entry_[entry] < 0) {
          of_entry_[entry] = static_cast<Index>(sums_.size());
          const std::uint32_t twin = corner[j] == row      ? row_name
                                     : !owns(corner[j]) ? View::no_target
                                                           : slot_at(corner[j], row);
          sums_.push_back({slot(first + entry), twin, {}});
        }
        sums_[of_entry_[entry]].places.push_back(
            static_cast<std::uint16_t>(symmetric_place(i, j) * stride_ + local));
      }
    }
  }

  const Mesh& mesh_;
  const Sparsity& sparsity_;
  const MatrixLayout& layout_;
  const Part& part_;
  Index stride_;
  std::vector<Sum> sums_;
  std::vector<Index> of_entry_;
};

template <class T>
void append(std::vector<T>& all, const std::vector<T>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

void write_elements(SharedNzGeneralPlan& plan, const Mesh& mesh, const Part& part) {
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
  constexpr Index nodes_of_metis = 64;
  const std::vector<Part> parts =
      wish.metis ? parts_of_metis(mesh, sparsity, most_bytes, wish.nodes > 0 ? wish.nodes : nodes_of_metis)
                 : parts_along_the_curve(mesh, sparsity, wish.nodes > 0 ? most_bytes : most_bytes / 2, most_bytes,
                                         wish.nodes > 0 ? wish.nodes : most_bytes);
  SharedNzGeneralPlan plan;
  plan.threads = wish.threads > 0 ? wish.threads : 256;
  plan.elements = static_cast<std::int64_t>(mesh.tetrahedra.size());
  plan.rows = sparsity.rows();
  plan.entries = sparsity.entries();
  plan.node_begin = plan.element_begin = plan.group_begin = {0};
  for (const Part& part : parts) {
    plan.most_nodes = std::max(plan.most_nodes, static_cast<Index>(part.nodes.size()));
    plan.most_elements = std::max(plan.most_elements, static_cast<Index>(part.elements.size()));
    write_elements(plan, mesh, part);
  }
  std::vector<PartSums> sums(parts.size());
  parallel_for(parts.size(), [&](std::size_t p) {
    sums[p] = SumsOfPart(mesh, sparsity, layout, parts[p], plan.most_elements + 1).in_groups();
  });
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
