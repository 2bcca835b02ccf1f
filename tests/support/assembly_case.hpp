#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include "app/simulation/simulation_plan.hpp"
#include "assembly/scalar_gather.hpp"
#include "assembly/slice_gather.hpp"
#include "tests/support/random_mesh.hpp"
#include "tests/support/single_run.hpp"

namespace cardiowarp {

/// `elements` tetrahedra around one edge, in random order: its two nodes have rows of elements + 2 entries.
inline Mesh wheel_mesh(Index elements, unsigned seed) {
  Mesh mesh;
  mesh.nodes = {{0, 0, 0}, {0, 0, 1}};
  for (Index i = 0; i < elements; ++i) {
    const Real angle = 2 * std::acos(-1.0) * i / elements;
    mesh.nodes.push_back({std::cos(angle), std::sin(angle), 0.5});
    mesh.tetrahedra.push_back({0, 1, 2 + i, 2 + (i + 1) % elements});
  }
  mesh.element_tags.assign(elements, 0);
  return renumbered(mesh, seed).mesh;
}

/// The first of `elements` of a moved box, and their nodes alone.
inline Mesh part_of_a_box(Index elements, unsigned seed) {
  Mesh box = random_mesh({4, 3, 3}, 0.5, seed);
  Mesh part;
  std::vector<Index> number(box.nodes.size(), -1);
  for (Index e = 0; e < elements; ++e) {
    Tetrahedron corners = box.tetrahedra[e];
    for (Index& corner : corners) {
      if (number[corner] < 0) {
        number[corner] = static_cast<Index>(part.nodes.size());
        part.nodes.push_back(box.nodes[corner]);
      }
      corner = number[corner];
    }
    part.tetrahedra.push_back(corners);
    part.fibers.push_back(box.fibers[e]);
  }
  part.element_tags.assign(elements, 0);
  return part;
}

/// K [slots], −R and 1 / K_II [nodes].
struct AssembledSystem {
  std::vector<Real> value, negative_residual, inverse_diagonal;
};

/// A mesh in one format of K, two cell models and a random state, at which it is assembled.
class AssemblyCase {
 public:
  AssemblyCase(const Mesh& mesh, const EllWarpOptions& format, unsigned seed) {
    std::mt19937 generator(seed);
    const auto random = [&](std::size_t n, Real low, Real high) {
      std::uniform_real_distribution<Real> uniform(low, high);
      std::vector<Real> values(n);
      for (Real& value : values) value = uniform(generator);
      return values;
    };
    Problem problem = resting_problem(mesh, 1, 1);
    add_kind(problem, {.alpha = 0.1, .gamma = 0.004, .c = 6});
    for (std::size_t e = 1; e < problem.cell_model.size(); e += 2) problem.cell_model[e] = 1;
    problem.matrix = {MatrixFormat::ell_warp, format, 0};
    problem.path = SolverPath::plain;  // in the windows that the format has
    plan = plan_simulation(problem, nvidia_h200());
    phi = random(mesh.nodes.size(), -0.1, 1.1);
    load = random(mesh.nodes.size(), -3, 27);
    recovery = random(mesh.tetrahedra.size(), 0, 2);
  }

  ScalarGatherPlan scalar_gather() const {
    return scalar_gather_plan(*plan.problem().mesh, plan.problem().diffusivity, plan.sparsity, plan.matrix);
  }

  /// The system that `Gather`, ScalarGather or SliceGather, assembles by `gather_plan`. All that it has to write is NaN
  /// before.
  template <template <Backend, CellModel> class Gather, CellModel Cell, Backend B, class Plan>
  AssembledSystem assembled(B& backend, const Plan& gather_plan, const std::vector<Cell>& cell_models) const {
    const Mesh& mesh = *plan.problem().mesh;
    Gather<B, Cell> gather(backend, gather_plan, mesh.tetrahedra, cell_models, plan.problem().cell_model);
    return assembled(backend, gather);
  }

  template <Backend B>
  AssembledSystem assembled(B& backend, Assembly<B>& gather) const {
    const Mesh& mesh = *plan.problem().mesh;
    const auto K = make_global_matrix(backend, plan.sparsity, plan.matrix);
    const std::vector<Real> unknown(mesh.nodes.size(), NAN), unknown_recovery(recovery.size(), NAN);
    std::vector<Real> no_entry(plan.matrix.slots, 0);  // padding stays 0
    for (const std::int64_t slot : plan.matrix.slot_of_entry) no_entry[slot] = NAN;
    backend.upload(std::span<const Real>(no_entry), K->value());
    const Buffer<Real> on_phi = uploaded(backend, phi), on_load = uploaded(backend, load),
                       old = uploaded(backend, recovery), now = uploaded(backend, unknown_recovery),
                       step = uploaded(backend, std::vector<Real>{0.05}),
                       negative_residual = uploaded(backend, unknown), inverse_diagonal = uploaded(backend, unknown);
    gather.evaluate_elements(backend, {on_phi.data(), on_load.data(), old.data(), now.data(), step.data(),
                                       static_cast<Index>(mesh.tetrahedra.size())});
    gather.assemble(backend, *K, on_phi.data(), negative_residual.data(), inverse_diagonal.data());
    AssembledSystem system{std::vector<Real>(plan.matrix.slots), unknown, unknown};
    backend.download(static_cast<const Real*>(K->value()), std::span<Real>(system.value));
    backend.download(static_cast<const Real*>(negative_residual.data()), std::span<Real>(system.negative_residual));
    backend.download(static_cast<const Real*>(inverse_diagonal.data()), std::span<Real>(system.inverse_diagonal));
    return system;
  }

  SimulationPlan plan;
  std::vector<Real> phi, load, recovery;
};

inline bool same_bits(const std::vector<Real>& a, const std::vector<Real>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(Real)) == 0;
}

inline bool same_bits(const AssembledSystem& a, const AssembledSystem& b) {
  return same_bits(a.value, b.value) && same_bits(a.negative_residual, b.negative_residual) &&
         same_bits(a.inverse_diagonal, b.inverse_diagonal);
}

/// What the slice gather has to be for a given scalar gather of the same state: the same K bit for bit where each row
/// has one lane, unless it sums in another order; elsewhere, as −R, up to the rounding of such sums. In an AssemblyCase
/// the brackets of tangent and residual (fem/cells/reaction_element.hpp) stay below 64.
inline void expect_scalar_gather(const AssemblyCase& assembly, const AssembledSystem& slices,
                                 const AssembledSystem& entries, bool in_its_order = true) {
  const SimulationPlan& plan = assembly.plan;
  const auto& gather = std::get<SliceGatherPlan>(plan.assembly);
  const Sparsity& sparsity = plan.sparsity;
  constexpr Real epsilon = std::numeric_limits<Real>::epsilon();
  const Real largest_volume = *std::max_element(gather.volume.begin(), gather.volume.end());
  if (in_its_order && plan.matrix.options.ell_warp.variant == EllWarpVariant::k1) {
    EXPECT_TRUE(same_bits(slices.value, entries.value));
  }
  ASSERT_EQ(slices.value.size(), entries.value.size());
  std::vector<Real> padding = slices.value;
  for (Index row = 0; row < sparsity.rows(); ++row) {
    const Index elements = sparsity.incidence.begin[row + 1] - sparsity.incidence.begin[row],
                length = sparsity.row_begin[row + 1] - sparsity.row_begin[row];
    const Real of_elements = elements * largest_volume * 64;
    Real magnitude = 0;  // Σ_J |D_IJ φ_J|
    for (Index e = sparsity.row_begin[row]; e < sparsity.row_begin[row + 1]; ++e) {
      const std::int64_t slot = plan.matrix.slot_of_entry[e];
      ASSERT_NEAR(slices.value[slot], entries.value[slot],
                  epsilon * (elements * of_elements / 16 + std::fabs(entries.value[slot])))
          << "entry " << e << " of row " << row;
      magnitude += std::fabs(gather.diffusion[slot] * assembly.phi[sparsity.column[e]]);
      padding[slot] = 0;
    }
    const Real diagonal = slices.value[plan.matrix.slot_of_entry[sparsity.diagonal[row]]];
    ASSERT_EQ(slices.inverse_diagonal[row], 1 / diagonal) << "row " << row;
    ASSERT_NE(diagonal, 0) << "row " << row;
    ASSERT_NEAR(slices.negative_residual[row], entries.negative_residual[row],
                epsilon * (elements + length) * (of_elements / 4 + magnitude))
        << "row " << row;
  }
  for (const Real value : padding) ASSERT_EQ(value, 0);
}

}  // namespace cardiowarp
