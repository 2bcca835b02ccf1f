#include "assembly/papers/node_parts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "fem/input_error.hpp"
#include "kernels/libraries/metis_parts.hpp"

namespace cardiowarp {
namespace {

/// Grows parts node by node. What a node has been met by is stamped with the number of the part.
class Growth {
 public:
  Growth(const std::vector<Tetrahedron>& tetrahedra, const Sparsity& sparsity, const PartBytes& bytes)
      : tetrahedra_(tetrahedra),
        sparsity_(sparsity),
        bytes_(bytes),
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
    needed_ = bytes_(elements, nodes_ + new_nodes_.size(), part_.nodes.size() + 1);
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
  NodePart take() {
    NodePart part = std::move(part_);
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
  const PartBytes& bytes_;
  std::vector<Index> element_stamp_, node_stamp_, new_nodes_;
  Index number_ = 0;
  std::size_t nodes_ = 0, needed_ = 0;
  NodePart part_;
};

[[noreturn]] void refuse(const char* strategy, const char* what, std::size_t needed, std::size_t most_bytes) {
  throw InputError(
      fmt::format("assembly.strategy: {} keeps the numbers of elements in shared memory: {} needs {} KiB, there are {} "
                  "KiB (auto takes the gather that suits)",
                  strategy, what, (needed + 1023) >> 10, most_bytes >> 10));
}

}  // namespace

std::vector<NodePart> parts_in_order(const std::vector<Tetrahedron>& tetrahedra, const Sparsity& sparsity,
                                     std::span<const Index> order, const PartLimits& limits, const PartBytes& bytes,
                                     const char* strategy) {
  std::vector<NodePart> parts;
  Growth growth(tetrahedra, sparsity, bytes);
  for (const Index node : order) {
    if (growth.size() < limits.own && growth.add(node, limits.usual_bytes)) continue;
    if (growth.size() > 0) parts.push_back(growth.take());
    if (!growth.add(node, limits.usual_bytes) && !growth.add(node, limits.most_bytes))
      refuse(strategy, "one node", growth.needed(), limits.most_bytes);
  }
  if (growth.size() > 0) parts.push_back(growth.take());
  return parts;
}

std::vector<NodePart> parts_of_metis(const std::vector<Tetrahedron>& tetrahedra, const Sparsity& sparsity, Index own,
                                     std::size_t most_bytes, const PartBytes& bytes, const char* strategy) {
  if (!has_metis()) throw InputError(fmt::format("assembly.strategy: {} by METIS: this build has no METIS", strategy));
  const Index number = (sparsity.rows() + own - 1) / own;
  const std::vector<Index> part_of = metis_parts({sparsity.row_begin, sparsity.column}, number);
  std::vector<std::vector<Index>> nodes(number);
  for (Index node = 0; node < sparsity.rows(); ++node) nodes[part_of[node]].push_back(node);
  std::vector<NodePart> parts;
  Growth growth(tetrahedra, sparsity, bytes);
  for (const std::vector<Index>& of_part : nodes) {
    if (of_part.empty()) continue;
    for (const Index node : of_part)
      if (!growth.add(node, most_bytes)) refuse(strategy, "a part of METIS", growth.needed(), most_bytes);
    parts.push_back(growth.take());
  }
  return parts;
}

}  // namespace cardiowarp
