#include "app/simulation/tissue.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <limits>

#include "fem/cells/cell_model.hpp"
#include "fem/cells/front.hpp"
#include "fem/mesh.hpp"
#include "kernels/backend/thread_team.hpp"

namespace cardiowarp {

std::vector<Real> lowest_admissible_phi(const Tissue& tissue) {
  std::vector<Real> lowest_of_set;
  for (std::size_t kind = 0; kind < tissue.cell_models.size(); ++kind)
    lowest_of_set.push_back(lowest_phi(tissue.cell_models[kind]));
  const bool all_the_same = std::ranges::adjacent_find(lowest_of_set, std::not_equal_to<>()) == lowest_of_set.end();
  if (all_the_same && !lowest_of_set.empty()) return std::vector<Real>(tissue.mesh->nodes.size(), lowest_of_set[0]);
  std::vector<Real> lowest(tissue.mesh->nodes.size(), -std::numeric_limits<Real>::infinity());
  const auto raise = [&](Index node, Real to) {
    std::atomic_ref of_node(lowest[node]);
    Real now = of_node.load(std::memory_order_relaxed);
    while (now < to && !of_node.compare_exchange_weak(now, to, std::memory_order_relaxed)) {
    }
  };
  constexpr std::int64_t least_elements = 4096;  // a thread
  parallel_ranges(static_cast<std::int64_t>(tissue.cell_model.size()), least_elements,
                  [&](std::int64_t begin, std::int64_t end) {
                    for (std::int64_t element = begin; element < end; ++element) {
                      const Real of_element = lowest_of_set[tissue.cell_model[element]];
                      for (const Index node : tissue.mesh->tetrahedra[element]) raise(node, of_element);
                      if (!tissue.mesh->is_quadratic()) continue;
                      for (const Index node : tissue.mesh->edge_nodes[element]) raise(node, of_element);
                    }
                  });
  return lowest;
}

std::vector<Front> fronts_of(const TissueCells& cells) {
  std::vector<Front> fronts;
  for (std::size_t kind = 0; kind < cells.size(); ++kind) fronts.push_back(front_of(cells[kind]));
  return fronts;
}

Real steepest_reaction(const TissueCells& cells) {
  Real steepest = 0;
  for (std::size_t kind = 0; kind < cells.size(); ++kind) steepest = std::max(steepest, steepest_reaction(cells[kind]));
  return steepest;
}

std::pair<Real, Real> front_thickness_mm(const Front& front, const Diffusivity& D) {
  const auto thickness = [&](Real diffusivity) { return std::sqrt(front.thickness_square * diffusivity); };
  return std::minmax({thickness(D.isotropic), thickness(D.isotropic + D.anisotropic * dot(D.fiber, D.fiber))});
}

namespace {

/// The thinnest and the thickest front of the elements element(k), k < number.
template <class Element>
std::pair<Real, Real> front_thickness_mm(const Tissue& tissue, std::int64_t number, const Element& element) {
  struct Extremes {
    Real thinnest = std::numeric_limits<Real>::infinity(), thickest = 0;
    void join(Real thin, Real thick) {
      thinnest = std::min(thinnest, thin);
      thickest = std::max(thickest, thick);
    }
  };
  const std::vector<Front> fronts = fronts_of(tissue.cell_models);
  const Extremes all = joined_blocks<Extremes>(
      number,
      [&](Extremes& some, std::int64_t k) {
        const auto e = element(k);
        if (!(tissue.diffusivity[e].isotropic > 0)) return;  // it does not conduct
        const auto [thin, thick] = front_thickness_mm(fronts[tissue.cell_model[e]], tissue.diffusivity[e]);
        some.join(thin, thick);
      },
      [](Extremes& joined, const Extremes& some) { joined.join(some.thinnest, some.thickest); });
  return {all.thinnest, all.thickest};
}

}  // namespace

std::pair<Real, Real> front_thickness_mm(const Tissue& tissue, const std::vector<Index>& elements) {
  return front_thickness_mm(tissue, static_cast<std::int64_t>(elements.size()),
                            [&](std::int64_t k) { return elements[k]; });
}

std::pair<Real, Real> front_thickness_mm(const Tissue& tissue) {
  return front_thickness_mm(tissue, static_cast<std::int64_t>(tissue.diffusivity.size()),
                            [](std::int64_t element) { return element; });
}

}  // namespace cardiowarp
