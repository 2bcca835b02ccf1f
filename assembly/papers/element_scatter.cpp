#include "assembly/papers/element_scatter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

#include "assembly/cell_contributions.hpp"
#include "assembly/constant_parts.hpp"
#include "fem/input_error.hpp"
#include "fem/quadratic_tetrahedron.hpp"

namespace cardiowarp {
namespace {

/// Which colors the nodes have met, 64 a word, with more words for all of them when these do not suffice.
class ColorsOfNodes {
 public:
  explicit ColorsOfNodes(Index nodes) : nodes_(nodes), words_(1), met_(nodes, 0) {}

  /// The first color that none of the nodes has met; they have met it then.
  template <class Nodes>
  Index next(const Nodes& nodes) {
    for (std::size_t word = 0;; ++word) {
      if (word == words_) add_word();
      std::uint64_t met = 0;
      for (const Index node : nodes) met |= met_[word * nodes_ + node];
      if (met == ~std::uint64_t{0}) continue;
      const int bit = std::countr_one(met);
      for (const Index node : nodes) met_[word * nodes_ + node] |= std::uint64_t{1} << bit;
      return static_cast<Index>(64 * word) + bit;
    }
  }

 private:
  void add_word() {
    ++words_;
    met_.resize(words_ * nodes_, 0);
  }

  std::size_t nodes_, words_;
  std::vector<std::uint64_t> met_;  ///< [words × nodes]
};

/// The places of things with a color, color by color, and the first of each color.
struct ByColor {
  std::vector<Index> order, begin;
};

ByColor by_color(const std::vector<Index>& color) {
  const Index colors = color.empty() ? 0 : *std::max_element(color.begin(), color.end()) + 1;
  ByColor result{std::vector<Index>(color.size()), std::vector<Index>(colors + 1, 0)};
  for (const Index c : color) ++result.begin[c + 1];
  std::partial_sum(result.begin.begin(), result.begin.end(), result.begin.begin());
  std::vector<Index> next(result.begin.begin(), result.begin.end() - 1);
  for (std::size_t i = 0; i < color.size(); ++i) result.order[next[color[i]]++] = static_cast<Index>(i);
  return result;
}

/// Each stretch between two numbers cut into `split` of about equal length.
std::vector<Index> cut(const std::vector<Index>& begin, Index split) {
  std::vector<Index> finer{0};
  for (std::size_t i = 0; i + 1 < begin.size(); ++i)
    for (Index k = 1; k <= split; ++k)
      finer.push_back(begin[i] + static_cast<Index>(std::int64_t{begin[i + 1] - begin[i]} * k / split));
  return finer;
}

/// The colors of the elements inside their blocks.
std::vector<std::uint8_t> colors_in_blocks(const std::vector<Tetrahedron>& tetrahedra) {
  static_assert(elements_a_block <= std::numeric_limits<std::uint8_t>::max() + 1);  // which numbers colors
  std::vector<std::uint8_t> result;
  for (std::size_t first = 0; first < tetrahedra.size(); first += elements_a_block) {
    const ElementBlock block = element_block(tetrahedra, first);
    for (const Index color : greedy_colors(block.tetrahedra, block.nodes(), 1))
      result.push_back(static_cast<std::uint8_t>(color));
  }
  return result;
}

}  // namespace

std::vector<Index> greedy_colors(const std::vector<Tetrahedron>& tetrahedra, Index nodes, Index group,
                                 Index most_colors) {
  ColorsOfNodes colors(nodes);
  std::vector<Index> color;
  for (std::size_t first = 0; first < tetrahedra.size(); first += group) {
    std::vector<Index> corners;
    for (std::size_t e = first; e < std::min(first + group, tetrahedra.size()); ++e)
      corners.insert(corners.end(), tetrahedra[e].begin(), tetrahedra[e].end());
    color.push_back(colors.next(corners));
    if (color.back() >= most_colors)
      throw InputError(
          fmt::format("assembly.strategy: a coloring of elements has at most {} colors, these {} elements of {} nodes "
                      "need more: too many have a node in common (auto takes the gather that suits)",
                      most_colors, tetrahedra.size(), nodes));
  }
  return color;
}

ScatterOrder scatter_order(ScatterWay way, const std::vector<Tetrahedron>& corners, Index nodes, Index split) {
  const auto elements = static_cast<Index>(corners.size());
  ScatterOrder result;
  result.order.resize(elements);
  std::iota(result.order.begin(), result.order.end(), 0);
  if (way == ScatterWay::atomics) {
    result.color_begin = {0, elements};
  } else if (way == ScatterWay::elem_color) {
    ByColor colors = by_color(greedy_colors(corners, nodes, 1));
    result.order = std::move(colors.order);
    result.color_begin = cut(colors.begin, split);
  } else {
    ByColor colors = by_color(greedy_colors(corners, nodes, elements_a_block));
    result.block = std::move(colors.order);
    result.color_begin = std::move(colors.begin);
    result.color_in_block = colors_in_blocks(corners);
  }
  return result;
}

ElementScatterPlan element_scatter_plan(const ScatterWish& wish, const Mesh& mesh,
                                        const std::vector<Diffusivity>& diffusivity, const Sparsity& sparsity,
                                        const MatrixLayout& layout) {
  require_countable_slots(layout.slots);
  ElementScatterPlan plan;
  static_cast<ScatterOrder&>(plan) = scatter_order(wish.way, mesh.tetrahedra, sparsity.rows(), wish.split);
  plan.way = wish.way;
  plan.kind = wish.kind;
  plan.slots = layout.slots;
  const std::vector<Index> place = inverse_permutation(plan.order);
  plan.slot = mesh.is_quadratic() ? scatter_slots(quadratic_nodes_of(mesh), place, sparsity, layout)
                                  : scatter_slots(mesh.tetrahedra, place, sparsity, layout);
  plan.diagonal_slot = diagonal_slots(sparsity, layout);
  ConstantParts constant = constant_parts(wish.kind, mesh, diffusivity, sparsity, layout);
  plan.diffusion = std::move(constant.diffusion);
  plan.volume = std::move(constant.volume);
  return plan;
}

std::int64_t ElementScatterPlan::bytes() const {
  const auto elements = static_cast<std::int64_t>(order.size()),
             nodes = static_cast<std::int64_t>(diagonal_slot.size());
  constexpr std::int64_t of_numbers = 2 * sizeof(Real), of_element = sizeof(Tetrahedron) + sizeof(Index) +
                                                                     sizeof(std::uint16_t) + 2 * sizeof(Real) +
                                                                     16 * sizeof(std::uint32_t);
  std::int64_t bytes = elements * of_element + slots * of_numbers + nodes * of_numbers + inverted_diagonal_bytes(nodes);
  if (kind == ElementKind::general)  // diffusivities and positions; K and −R are set to 0
    return bytes + elements * static_cast<std::int64_t>(sizeof(Diffusivity)) +
           nodes * static_cast<std::int64_t>(sizeof(Vector3) + 3 * sizeof(Real)) +
           slots * static_cast<std::int64_t>(sizeof(Real));
  // volumes; the diffusion matrix is copied, and multiplied by φ
  return bytes + elements * static_cast<std::int64_t>(sizeof(Real)) +
         slots * static_cast<std::int64_t>(3 * sizeof(Real) + sizeof(Index)) +
         nodes * static_cast<std::int64_t>(5 * sizeof(Real));
}

}  // namespace cardiowarp
