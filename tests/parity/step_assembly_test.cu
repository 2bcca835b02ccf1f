// Assemblies on the device against the CPU, and twice on the device (tests/support/on_both.cuh).

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "app/simulation/simulation_plan.hpp"
#include "assembly/papers/local_sums.hpp"
#include "kernels/sparse/ell_warp.cuh"
#include "kernels/sparse/scatter.cuh"
#include "tests/support/all_options.hpp"
#include "tests/support/plain_cell.hpp"
#include "tests/support/step_elements.cuh"

namespace cardiowarp {
namespace {

using StepKernels = GpuTest;

const MatrixOptions as_csr{.format = MatrixFormat::csr},
    as_k1rs{MatrixFormat::ell_warp, {EllWarpVariant::k1, EllWarpRenumbering::rows_and_columns_sorted, 2, 64}, 0},
    as_k2{MatrixFormat::ell_warp, {EllWarpVariant::k2, EllWarpRenumbering::none, 2, 64}, 0};

/// K [slots], −R and 1 / K_II [nodes], and the states of the cells, one behind the other.
template <Backend B>
Values assembled(B& backend, const SimulationPlan& plan, Assembly<B>& assembly, const StateOn<B>& on, const Real* phi) {
  const std::size_t nodes = plan.problem().mesh->nodes.size();
  const auto K = make_global_matrix(backend, plan.sparsity, plan.matrix);
  const Buffer<Real> negative_residual = uploaded(backend, Values(nodes, NAN)),
                     inverse_diagonal = uploaded(backend, Values(nodes, NAN));
  assembly.begin(backend, *K);
  assembly.evaluate_elements(backend, on.view());
  assembly.assemble(backend, *K, phi, negative_residual.data(), inverse_diagonal.data());
  Values values = downloaded(backend, K->value(), plan.matrix.slots);
  for (const Buffer<Real>* more : {&negative_residual, &inverse_diagonal, &on.states}) {
    const Values part = downloaded(backend, *more);
    values.insert(values.end(), part.begin(), part.end());
  }
  return values;
}

TEST_F(StepKernels, TheScalarGatherIsTheCpusBitForBitWhereTheElementsAre) {
  std::vector<Mesh> meshes{wheel_mesh(300)};
  for (const Index n : all_sizes) meshes.push_back(chain_mesh(n));
  for (const Mesh& mesh : meshes)
    for (const MatrixOptions& matrix : {as_csr, as_k1rs}) {
      SCOPED_TRACE(std::to_string(mesh.tetrahedra.size()) + " elements, " + format_name(matrix));
      Problem problem = problem_on(mesh);
      problem.matrix = matrix;
      const SimulationPlan plan = plan_simulation(problem, gpu_device());
      const ScalarGatherPlan gather =
          scalar_gather_plan(*plan.problem().mesh, plan.problem().diffusivity, plan.sparsity, plan.matrix);
      const State<> state(mesh, false);
      const OnBoth system([&]<Backend B>(B& backend) {
        const StateOn<B> on(backend, state);
        ScalarGather<B, PlainCell> assembly(backend, gather, plan.problem().mesh->tetrahedra,
                                            {PlainCell{}, PlainCell{}}, plan.problem().cell_model);
        // At φ = 0 the products of the diffusion part are exact.
        const Buffer<Real> zero = backend.template allocate<Real>(mesh.nodes.size());
        return assembled<B>(backend, plan, assembly, on, zero.data());
      });
      expect_equal(system.gpu, system.cpu);
      expect_some_nan(system.gpu, false);
      EXPECT_NE(system.gpu[plan.matrix.slot_of_entry[0]], 0);
      EXPECT_NE(system.gpu[plan.matrix.slots], 0);
    }
}

/// Every variant, straight and through CSR; for many elements one of each kernel.
std::vector<AssemblyOptions> assemblies_for(Index elements) {
  if (elements < million) {
    std::vector<AssemblyOptions> assemblies = all_assemblies(all_variants(2, 64));
    for (const AssemblyOptions& assembly : unrepeatable_assemblies()) assemblies.push_back(assembly);
    if (elements > most_local_entries<4>)  // all around one edge
      std::erase_if(assemblies, [](const AssemblyOptions& assembly) {
        return assembly.strategy == AssemblyStrategy::local_row ||
               assembly.strategy == AssemblyStrategy::local_row_general;
      });
    return assemblies;
  }
  return {{},
          {AssemblyStrategy::shared_nz},
          {AssemblyStrategy::shared_nz_general},
          {AssemblyStrategy::global_nz_prefetched_general},
          {AssemblyStrategy::global_nz_packed_general},
          {AssemblyStrategy::two_level_color},
          {AssemblyStrategy::spmv, {EllWarpVariant::k1, EllWarpRenumbering::none, 2, 1024}, 0, false},
          {AssemblyStrategy::spmv, {EllWarpVariant::k2, EllWarpRenumbering::rows, 2, 1024}, 0, true}};
}

std::string name_of(const AssemblyOptions& assembly, const MatrixOptions& matrix, const Mesh& mesh) {
  return std::to_string(mesh.tetrahedra.size()) + " elements, " + strategy_name(assembly) +
         (assembly.through_csr ? " through CSR, " : ", ") + format_name(matrix);
}

TEST_F(StepKernels, SumsOfContributionsAreTheCpusBitForBit) {
  std::vector<Mesh> meshes{wheel_mesh(300)};
  for (const Index n : all_sizes) meshes.push_back(chain_mesh(n));
  for (const Mesh& mesh : meshes) {
    const Index elements = static_cast<Index>(mesh.tetrahedra.size());
    for (const AssemblyOptions& assembly : assemblies_for(elements)) {
      if (assembly.strategy != AssemblyStrategy::spmv) continue;
      SCOPED_TRACE(name_of(assembly, as_csr, mesh));
      Problem problem = problem_on(mesh);
      problem.matrix = as_csr;
      problem.assembly = assembly;
      const SimulationPlan plan = plan_simulation(problem, gpu_device());
      const auto& spmv = std::get<SpmvAssemblyPlan>(plan.assembly);
      const Values contribution = random_values(16 * std::size_t(elements), seed);
      const auto sums = [&](const SummationPlan& summation, std::size_t rows) {
        Values stored(summation.layout.shape.stored_entries());
        for (std::size_t k = 0; k < summation.slots.size(); ++k) stored[summation.slots[k]] = contribution[k];
        return OnBoth([&]<Backend B>(B& backend) {
          Summation<B> sum(backend, summation, assembly.block_size);
          backend.upload(std::span<const Real>(stored), sum.contributions());
          const Buffer<Real> out = uploaded(backend, Values(rows, NAN));
          sum.sum(backend, out.data());
          return downloaded(backend, out);
        });
      };
      for (const OnBoth& both : {sums(spmv.entries, plan.sparsity.entries()), sums(spmv.nodes, plan.sparsity.rows())}) {
        expect_equal(both.gpu, both.cpu);
        expect_some_nan(both.gpu, false);
        EXPECT_NE(both.gpu[0], 0);
      }
    }
  }
}

/// The system and the states of the cells, on a GPU and on the CPU.
void expect_system_of_the_cpu(const Mesh& mesh, const AssemblyOptions& assembly, const MatrixOptions& matrix,
                              bool broken, Quadrature quadrature = Quadrature::centroid) {
  SCOPED_TRACE(name_of(assembly, matrix, mesh) + (quadrature == Quadrature::vertices ? ", vertices" : "") +
               (broken ? ", broken" : ""));
  Problem problem = problem_on(mesh);
  problem.matrix = matrix;
  problem.assembly = assembly;
  problem.quadrature = quadrature;
  const SimulationPlan plan = plan_simulation(problem, gpu_device());
  State<> state(mesh, broken);
  state.set_points(plan.points());
  const OnBoth system(
      [&]<Backend B>(B& backend) {
        const StateOn<B> on(backend, state);
        const auto assembly_on = make_assembly(backend, plan);
        return assembled<B>(backend, plan, *assembly_on, on, on.phi.data());
      },
      repeats_bits(assembly.strategy));

  ElementBound worst;
  for (Index e = 0; e < static_cast<Index>(mesh.tetrahedra.size()); ++e) {
    const ElementBound bound = element_bound(plan.problem(), e);
    worst.shape = std::max(worst.shape, bound.shape);
    // With points at the nodes an entry of the diagonal gets V/4 in place of V/16.
    const Mesh& in_order = *plan.problem().mesh;
    const Real volume = tetrahedron_geometry(in_order.nodes, in_order.tetrahedra[e]).volume,
               more = quadrature == Quadrature::vertices ? (volume / 4 - volume / 16) * 64 : 0;
    worst.entry_magnitude = std::max(worst.entry_magnitude, bound.entry_magnitude + more);
    worst.node_magnitude = std::max(worst.node_magnitude, bound.node_magnitude);
  }
  // The elements at a node add up one after the other; its row has at most three entries for each and the diagonal.
  const std::vector<Index> around = row_lengths(plan.sparsity.incidence.begin);
  const Real most = *std::max_element(around.begin(), around.end());
  const Real operations = most * (64 * worst.shape + 4 * most + 1);
  const Real entry_bound = operations * epsilon * worst.entry_magnitude,
             node_bound = operations * epsilon * worst.node_magnitude;
  const std::size_t slots = plan.matrix.slots, rows = mesh.nodes.size();
  expect_near(system.gpu, system.cpu, [&](std::size_t k) {
    if (k < slots) return entry_bound;
    if (k < slots + rows) return node_bound;
    if (k >= slots + 2 * rows) return states_bound<AlievPanfilov>;
    const Real inverse = system.cpu[k];  // 1 / (K_II + δ) is off by δ / K_II², to first order
    return 2 * entry_bound * inverse * inverse + epsilon * std::fabs(inverse);
  });
  expect_some_nan(system.gpu, broken);
}

TEST_F(StepKernels, TheSystemOfEveryStrategyAndFormatIsTheCpusAndNotANumberInTheSamePlaces) {
  std::vector<Mesh> meshes{wheel_mesh(300)};
  for (const Index n : small_sizes) meshes.push_back(chain_mesh(n));
  for (const Mesh& mesh : meshes)
    for (const AssemblyOptions& assembly : assemblies_for(static_cast<Index>(mesh.tetrahedra.size())))
      for (const MatrixOptions& matrix : {as_csr, as_k1rs, as_k2}) {
        expect_system_of_the_cpu(mesh, assembly, matrix, false);
        expect_system_of_the_cpu(mesh, assembly, matrix, true);
      }
}

TEST_F(StepKernels, TheSystemOfPointsAtTheNodesIsTheCpusInEveryFormatAndNotANumberInTheSamePlaces) {
  std::vector<Mesh> meshes{wheel_mesh(300)};
  for (const Index n : small_sizes) meshes.push_back(chain_mesh(n));
  for (const Mesh& mesh : meshes)
    for (const bool broken : {false, true}) {
      expect_system_of_the_cpu(mesh, {}, as_csr, broken, Quadrature::vertices);
      for (const EllWarpOptions& variant : all_variants(2, 64))
        expect_system_of_the_cpu(mesh, {}, {MatrixFormat::ell_warp, variant, 0}, broken, Quadrature::vertices);
    }
}

TEST_F(StepKernels, TheSystemOfAMillionElementsIsTheCpus) {
  const Mesh mesh = chain_mesh(million);
  for (const MatrixOptions& matrix : {as_csr, as_k1rs, as_k2})
    expect_system_of_the_cpu(mesh, {}, matrix, false, Quadrature::vertices);
  for (const AssemblyOptions& assembly : assemblies_for(million))
    expect_system_of_the_cpu(mesh, assembly, assembly.through_csr ? as_k2 : as_k1rs, false);
}

}  // namespace
}  // namespace cardiowarp
