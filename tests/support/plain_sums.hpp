#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/simulation/simulation_plan.hpp"
#include "fem/tetrahedron.hpp"
#include "meshes/generate.hpp"
#include "tests/support/all_options.hpp"
#include "tests/support/single_run.hpp"

// K and R summed element by element from the formulas of paper 000 Table I, and every assembly strategy held against
// them on the meshes that a user has: a slab and hearts. Test programs on the CPU and on a GPU include this.

namespace cardiowarp {

/// A sum, and the sum of its terms made positive.
struct PlainSum {
  long double sum = 0;
  Real magnitude = 0;
  void add(Real term, Real size) {
    sum += term;
    magnitude += size;
  }
};

/// A mesh with random fibers and cells in a random state, and its K and R in the numbering of the mesh.
class PlainSums {
 public:
  static constexpr Real step = 0.05;

  PlainSums(const Mesh& mesh, unsigned seed) : mesh_(mesh) {
    std::mt19937 generator(seed);
    const auto random = [&](std::size_t n, Real low, Real high) {
      std::uniform_real_distribution<Real> uniform(low, high);
      std::vector<Real> values(n);
      for (Real& value : values) value = uniform(generator);
      return values;
    };
    const std::size_t nodes = mesh.nodes.size(), elements = mesh.tetrahedra.size();
    phi = random(nodes, -0.1, 1.1);
    load = random(nodes, -3, 27);
    recovery = random(elements, 0, 2);
    problem = resting_problem(mesh_, 1, 1);
    add_kind(problem, {.alpha = 0.1, .gamma = 0.004, .c = 6});
    const std::vector<Real> along = random(elements, 0, 1), angle = random(elements, 0, 7);
    for (std::size_t e = 0; e < elements; ++e) {
      problem.cell_model[e] = static_cast<std::uint16_t>(e % 2);
      problem.diffusivity[e] = {1, along[e], {0.6 * std::cos(angle[e]), 0.6 * std::sin(angle[e]), 0.8}};
    }
    sum();
  }
  PlainSums(const PlainSums&) = delete;
  PlainSums& operator=(const PlainSums&) = delete;

  const Mesh& mesh() const { return mesh_; }

  Problem problem;
  std::vector<Real> phi, load, recovery;
  std::vector<std::map<Index, PlainSum>> K;
  std::vector<PlainSum> R;

 private:
  void sum() {
    K.resize(mesh_.nodes.size());
    R.resize(mesh_.nodes.size());
    for (std::size_t e = 0; e < mesh_.tetrahedra.size(); ++e) {
      const Tetrahedron& node = mesh_.tetrahedra[e];
      const auto G = tetrahedron_geometry(mesh_.nodes, node);
      Real phi_q = 0, load_q = 0;
      for (const Index corner : node) {
        phi_q += phi[corner] / 4;
        load_q += load[corner] / 4;
      }
      const AlievPanfilov& cell = cells_of(problem)[problem.cell_model[e]];
      const StateStep<1> r = newton_states(cell, phi_q, &recovery[e], step);
      const auto rates = cell.rates(phi_q, r.state);
      const Real slope = rates.df_dphi + rates.df_dstate[0] * r.slope[0];
      for (int i = 0; i < 4; ++i) {
        R[node[i]].add(G.volume / 4 * (phi_q / step - load_q - rates.f),
                       G.volume / 4 * (std::fabs(phi_q / step) + std::fabs(load_q) + std::fabs(rates.f) + 16));
        for (int j = 0; j < 4; ++j) {
          const Vector3 flux = problem.diffusivity[e].times(G.gradient[j]);
          const Real diffusion = G.volume * dot(G.gradient[i], flux),
                     size = G.volume * norm(G.gradient[i]) * norm(flux);
          K[node[i]][node[j]].add(G.volume / 16 * (1 / step - slope) + diffusion,
                                  G.volume / 16 * (1 / step + std::fabs(slope) + 4) + size);
          R[node[i]].add(diffusion * phi[node[j]], size * std::fabs(phi[node[j]]));
        }
      }
    }
  }

  Mesh mesh_;
};

/// K, −R and 1 / K_II by a run's assembly of one strategy in one format, against the sums: each entry within the
/// rounding of its terms, of which `operations` bounds how often one is rounded, and padding 0.
template <Backend B>
void expect_plain_sums(B& backend, const Device& device, const PlainSums& plain, const AssemblyOptions& assembly,
                       const MatrixOptions& matrix) {
  constexpr Real operations = 60, epsilon = std::numeric_limits<Real>::epsilon();
  Problem problem = plain.problem;
  problem.assembly = assembly;
  problem.matrix = matrix;
  const SimulationPlan plan = plan_simulation(problem, device);
  const std::vector<Index>& node = plan.renumbered.node_in_input;
  const auto in_plan = [&](const std::vector<Real>& values, const std::vector<Index>& order) {
    std::vector<Real> ordered;
    for (const Index i : order) ordered.push_back(values[i]);
    return uploaded(backend, ordered);
  };
  const std::vector<Real> unknown(node.size(), NAN), unknown_recovery(plain.recovery.size(), NAN);
  const Buffer<Real> phi = in_plan(plain.phi, node), load = in_plan(plain.load, node),
                     old = in_plan(plain.recovery, plan.renumbered.element_in_input),
                     now = uploaded(backend, unknown_recovery), step = uploaded(backend, std::vector{PlainSums::step}),
                     on_residual = uploaded(backend, unknown), on_diagonal = uploaded(backend, unknown);
  const auto on_matrix = make_global_matrix(backend, plan.sparsity, plan.matrix);
  const auto sums = make_assembly(backend, plan);
  sums->evaluate_elements(backend, {phi.data(), load.data(), old.data(), now.data(), step.data(),
                                    static_cast<Index>(plain.recovery.size())});
  sums->assemble(backend, *on_matrix, phi.data(), on_residual.data(), on_diagonal.data());
  std::vector<Real> value(plan.matrix.slots), negative_residual(node.size()), inverse_diagonal(node.size());
  backend.download(static_cast<const Real*>(on_matrix->value()), std::span<Real>(value));
  backend.download(static_cast<const Real*>(on_residual.data()), std::span<Real>(negative_residual));
  backend.download(static_cast<const Real*>(on_diagonal.data()), std::span<Real>(inverse_diagonal));

  std::vector<bool> is_entry(value.size(), false);
  for (Index row = 0; row < plan.sparsity.rows(); ++row) {
    const auto& expected = plain.K[node[row]];
    ASSERT_EQ(plan.sparsity.row_begin[row + 1] - plan.sparsity.row_begin[row], static_cast<Index>(expected.size()));
    for (Index e = plan.sparsity.row_begin[row]; e < plan.sparsity.row_begin[row + 1]; ++e) {
      const std::int64_t slot = plan.matrix.slot_of_entry[e];
      is_entry[slot] = true;
      const PlainSum& entry = expected.at(node[plan.sparsity.column[e]]);
      ASSERT_NEAR(value[slot], static_cast<Real>(entry.sum), operations * epsilon * entry.magnitude)
          << "row " << node[row] << ", column " << node[plan.sparsity.column[e]];
    }
    const PlainSum& R = plain.R[node[row]];
    ASSERT_NEAR(-negative_residual[row], static_cast<Real>(R.sum), operations * epsilon * R.magnitude)
        << "row " << node[row];
    const Real diagonal = value[plan.matrix.slot_of_entry[plan.sparsity.diagonal[row]]];
    ASSERT_NEAR(inverse_diagonal[row] * diagonal, 1, 2 * epsilon) << "row " << node[row];
  }
  for (std::size_t slot = 0; slot < value.size(); ++slot)
    ASSERT_TRUE(is_entry[slot] || value[slot] == 0) << "padding " << slot << ": " << value[slot];
}

/// Every strategy, those that do not repeat their bits included, in these formats.
template <Backend B>
void expect_plain_sums_of_every_strategy(B& backend, const Device& device, const Mesh& mesh,
                                         const std::vector<MatrixOptions>& matrices) {
  const PlainSums plain(mesh, 59);
  std::vector<AssemblyOptions> assemblies =
      all_assemblies({{EllWarpVariant::k1, EllWarpRenumbering::rows_and_columns_sorted, 16, 1024},
                      {EllWarpVariant::k2, EllWarpRenumbering::none, 3, 64}});
  for (const AssemblyOptions& assembly : unrepeatable_assemblies()) assemblies.push_back(assembly);
  EXPECT_GE(assemblies.size(), assembly_strategies.size() - 5);  // less the names of gathers, which `auto` chooses
  for (const MatrixOptions& matrix : matrices)
    for (const AssemblyOptions& assembly : assemblies) {
      SCOPED_TRACE(std::to_string(mesh.tetrahedra.size()) + " elements, " + strategy_name(assembly) +
                   (assembly.through_csr ? " through CSR, " : ", ") + format_name(matrix));
      expect_plain_sums(backend, device, plain, assembly, matrix);
    }
}

inline const MatrixOptions plain_sums_csr{.format = MatrixFormat::csr},
    plain_sums_k1rs{
        MatrixFormat::ell_warp, {EllWarpVariant::k1, EllWarpRenumbering::rows_and_columns_sorted, 16, 1024}, 0};

/// What `cardiowarp mesh slab` makes: 13 × 9 × 7 nodes.
inline Mesh slab_of_plain_sums(bool regular) {
  Mesh mesh = slab_mesh({6, 4, 3}, 0.5, regular);
  check_mesh(mesh);
  return mesh;
}

/// The program's own heart.
inline Mesh heart_of_plain_sums() {
  Mesh mesh = biventricle_mesh(6);
  check_mesh(mesh);
  return mesh;
}

/// A human heart; nothing where its surface is not there.
inline std::optional<Mesh> human_heart_of_plain_sums(const std::filesystem::path& surface) {
  if (!std::filesystem::exists(surface)) return std::nullopt;
  Mesh mesh = fill_surface(surface, 0);
  check_mesh(mesh);
  return mesh;
}

}  // namespace cardiowarp
