#include "assembly/quadratic_assembly.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "assembly/contributions.hpp"
#include "fem/input_error.hpp"
#include "kernels/backend/thread_team.hpp"

namespace cardiowarp {

QuadraticPoints quadratic_points_of(const Mesh& mesh) {
  QuadraticPoints points{quadratic_nodes_of(mesh), {}};
  resize_by_team(points.volume, quadratic_points * mesh.tetrahedra.size());
  parallel_for(mesh.tetrahedra.size(), [&](std::size_t element) {
    std::ranges::copy(quadratic_volumes(positions_of(mesh, element)),
                      points.volume.begin() + static_cast<std::ptrdiff_t>(quadratic_points * element));
  });
  return points;
}

/// The numbers of each element's diffusion, summed in the order in which those of an iteration are.
QuadraticDiffusion quadratic_diffusion_matrix(const Mesh& mesh, const std::vector<Diffusivity>& diffusivity,
                                              const Sparsity& sparsity, const MatrixLayout& layout,
                                              bool diagonal_alone) {
  const std::size_t elements = mesh.tetrahedra.size();
  std::vector<std::array<Real, quadratic_entries>> number;
  resize_by_team(number, elements);
  parallel_for(elements, [&](std::size_t element) {
    number[element] = quadratic_diffusion(positions_of(mesh, element), diffusivity[element]);
  });
  QuadraticDiffusion matrix;
  matrix.in_slots.assign(layout.slots, 0);
  for_each_contribution(quadratic_nodes_of(mesh), sparsity, layout.slot_of_entry,
                        [&](std::int64_t slot, Index element, int i, int j) {
                          matrix.in_slots[slot] += number[element][quadratic_place(i, j)];
                        });
  for (const Index entry : sparsity.diagonal) matrix.diagonal.push_back(matrix.in_slots[layout.slot_of_entry[entry]]);
  if (diagonal_alone) matrix.in_slots = {};
  return matrix;
}

void require_countable_contributions(const Mesh& mesh, const MatrixLayout& layout) {
  require_countable_slots(layout.slots);
  const auto elements = static_cast<std::int64_t>(mesh.tetrahedra.size());
  constexpr std::int64_t most = std::numeric_limits<std::uint32_t>::max() / (quadratic_nodes * quadratic_nodes);
  if (elements > most)
    throw InputError(
        fmt::format("mesh too large: {} quadratic tetrahedra, at most {} can be assembled", elements, most));
}

QuadraticPlan quadratic_plan(bool gathers, const Mesh& mesh, const std::vector<Diffusivity>& diffusivity,
                             const Sparsity& sparsity, const MatrixLayout& layout) {
  require_countable_contributions(mesh, layout);
  QuadraticPlan plan;
  plan.gathers = gathers;
  plan.points = quadratic_points_of(mesh);
  plan.slots = layout.slots;
  plan.diagonal_slot = diagonal_slots(sparsity, layout);
  if (!gathers) return plan;
  QuadraticDiffusion diffusion = quadratic_diffusion_matrix(mesh, diffusivity, sparsity, layout, false);
  plan.diffusion_diagonal = std::move(diffusion.diagonal);
  plan.diffusion = std::move(diffusion.in_slots);
  plan.gather = cell_gather(plan.points.nodes, sparsity, layout);
  return plan;
}

}  // namespace cardiowarp
