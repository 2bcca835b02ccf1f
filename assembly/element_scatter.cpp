#include "assembly/element_scatter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

#include "assembly/contributions.hpp"
#include "assembly/diffusion_matrix.hpp"
#include "fem/input_error.hpp"

namespace cardiowarp {
namespace {

/// Which colours the nodes have met, 64 a word, with more words for all of them when these do not suffice.
class ColorsOfNodes {
 public:
  explicit ColorsOfNodes(Index nodes) : nodes_(nodes), words_(1), met_(nodes, 0) {}

  /// The first colour that none of the nodes has met; they have met it then.
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

/// The places of things with a colour, colour by colour, and the first of each colour.
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

/// The colours of the elements inside their blocks.
std::vector<std::uint8_t> colors_in_blocks(const std::vector<Tetrahedron>& tetrahedra) {
  static_assert(elements_a_block <= std::numeric_limits<std::uint8_t>::max() + 1);  // which numbers colours
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
      throw InputError(fmt::format(
          "assembly.strategy: a colouring of elements has at most {} colours, these {} elements of {} nodes "
          "need more: too many have a node in common (auto takes the gather that suits)",
          most_colors, tetrahedra.size(), nodes));
  }
  return color;
}

ElementScatterPlan element_scatter_plan(ScatterWay way, ElementKind kind, const Mesh& mesh,
                                        const std::vector<Diffusivity>& diffusivity, const Sparsity& sparsity,
                                        const MatrixLayout& layout, Index split) {
  require_countable_slots(layout.slots);
  const auto elements = static_cast<Index>(mesh.tetrahedra.size());
  ElementScatterPlan plan;
  plan.way = way;
  plan.kind = kind;
  plan.slots = layout.slots;
  plan.order.resize(elements);
  std::iota(plan.order.begin(), plan.order.end(), 0);
  if (way == ScatterWay::atomics) {
    plan.color_begin = {0, elements};
  } else if (way == ScatterWay::elem_color) {
    ByColor colors = by_color(greedy_colors(mesh.tetrahedra, sparsity.rows(), 1));
    plan.order = std::move(colors.order);
    plan.color_begin = cut(colors.begin, split);
  } else {
    ByColor colors = by_color(greedy_colors(mesh.tetrahedra, sparsity.rows(), elements_a_block));
    plan.block = std::move(colors.order);
    plan.color_begin = std::move(colors.begin);
    plan.color_in_block = colors_in_blocks(mesh.tetrahedra);
  }

  // The slot of each number of an element, from the contributions to each slot.
  const Contributions contributions =
      entry_contributions(mesh.tetrahedra, sparsity, layout.slot_of_entry, layout.slots);
  std::vector<Index> place(elements);
  for (Index i = 0; i < elements; ++i) place[plan.order[i]] = i;
  plan.slot.assign(std::size_t{16} * elements, no_slot);
  std::size_t c = 0;
  for (std::size_t row = 0; row < contributions.length.size(); ++row)
    for (Index k = 0; k < contributions.length[row]; ++k, ++c)
      plan.slot[static_cast<std::size_t>(contributions.local[c]) * elements + place[contributions.element[c]]] =
          static_cast<std::uint32_t>(row);
  plan.diagonal_slot = diagonal_slots(sparsity, layout);
  if (kind == ElementKind::two_numbers) {
    plan.diffusion = diffusion_matrix(mesh, diffusivity, sparsity, layout);
    plan.volume = element_volumes(mesh);
  }
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
