#pragma once
#include <string>

#include "assembly/joint_sums.hpp"
#include "tests/support/assembly_case.hpp"

namespace cardiowarp {

/// The system that SpmvAssembly with these sums assembles.
template <class Sums, Backend B>
AssembledSystem summed(B& backend, const AssemblyCase& assembly, const typename Sums::Plan& plan) {
  const Problem& problem = assembly.plan.problem();
  SpmvAssembly<B, AlievPanfilov, Sums> spmv(backend, plan, *problem.mesh, problem.diffusivity, cells_of(problem),
                                            problem.cell_model);
  return assembly.assembled(backend, static_cast<Assembly<B>&>(spmv));
}

/// One product for K and −R has the same bits as two: each sum adds the same numbers in the same order, if its row has
/// the same number of lanes, which a threshold that no row passes ensures.
template <Backend B>
void expect_joint_sums_are_two(B& backend, unsigned seed) {
  for (const Index elements : {1, 31, 32, 33, 97, 400})
    for (const EllWarpVariant variant : {EllWarpVariant::k1, EllWarpVariant::k2})
      for (const Index window : {0, 64}) {
        SCOPED_TRACE(std::to_string(elements) + " elements, window " + std::to_string(window));
        const AssemblyCase assembly(part_of_a_box(elements, seed), {.renumbering = EllWarpRenumbering::rows}, seed);
        const Problem& problem = assembly.plan.problem();
        AssemblyOptions options{.strategy = AssemblyStrategy::spmv};
        options.ell_warp = {.variant = variant, .threshold = 100, .window = window};
        const auto& tetrahedra = problem.mesh->tetrahedra;
        const auto& plan = assembly.plan;
        const AssembledSystem two = summed<EllWarpSums<B>>(
            backend, assembly, spmv_assembly_plan(tetrahedra, plan.sparsity, plan.matrix, options));
        const AssembledSystem one =
            summed<JointSums<B>>(backend, assembly, joint_sums_plan(tetrahedra, plan.sparsity, plan.matrix, options));
        EXPECT_TRUE(same_bits(one, two));
        EXPECT_GT(*std::max_element(one.value.begin(), one.value.end()), 0);
      }
}

}  // namespace cardiowarp
