// K in ELLPACK, the format of `bench assembly --format ell`: where its entries are, its product, and assemblies into
// it.

#include "app/bench/ell_target.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "app/bench/assembly_bench.hpp"
#include "assembly/build_sparsity.hpp"
#include "assembly/papers/paper_assembly.hpp"
#include "kernels/backend/cpu_backend.hpp"
#include "tests/support/assembly_case.hpp"
#include "tests/support/input_error_of.hpp"

namespace cardiowarp {
namespace {

constexpr unsigned seed = 5;

TEST(EllTarget, HasEntryKOfAllRowsBesideEachOther) {
  // Two tetrahedra with a common face: rows of 4, 5, 5, 5 and 4 entries.
  const Sparsity sparsity = build_sparsity({{0, 1, 2, 3}, {2, 1, 3, 4}}, 5);
  const MatrixLayout layout = ell_layout(sparsity, matrix_layout(sparsity, {.format = MatrixFormat::csr}));
  EXPECT_EQ(layout.slots, 25);
  const std::vector<std::int64_t> slots(layout.slot_of_entry.begin(), layout.slot_of_entry.end());
  EXPECT_EQ(slots, (std::vector<std::int64_t>{0, 5, 10, 15,      //
                                              1, 6, 11, 16, 21,  //
                                              2, 7, 12, 17, 22,  //
                                              3, 8, 13, 18, 23,  //
                                              4, 9, 14, 19}));
}

TEST(EllTarget, IsAssembledAsAnyOtherFormat) {
  const AssemblyCase assembly(random_mesh({3, 2, 2}, 0.5, seed),
                              {EllWarpVariant::k1, EllWarpRenumbering::rows_and_columns_sorted, 3, 64}, seed);
  const SimulationPlan& plan = assembly.plan;
  const MatrixLayout layout = ell_layout(plan.sparsity, matrix_layout(plan.sparsity, {.format = MatrixFormat::csr}));
  const std::vector<AlievPanfilov>& cells = cells_of(plan.problem());
  CpuBackend backend;
  const AssembledSystem expected = assembly.assembled<ScalarGather>(backend, assembly.scalar_gather(), cells);
  const auto nodes = static_cast<std::size_t>(plan.sparsity.rows());
  const Buffer<Real> phi = uploaded(backend, assembly.phi), load = uploaded(backend, assembly.load),
                     old = uploaded(backend, assembly.recovery), now = uploaded(backend, assembly.recovery),
                     step = uploaded(backend, std::vector<Real>{0.05}),
                     negative_residual = uploaded(backend, std::vector<Real>(nodes, NAN)),
                     inverse_diagonal = uploaded(backend, std::vector<Real>(nodes, NAN));
  Real largest = 0;
  for (const Real value : expected.value) largest = std::max(largest, std::fabs(value));
  using enum AssemblyStrategy;
  for (const AssemblyStrategy strategy : {elem_color, elem_color_general, two_level_color, atomics, local_row,
                                          global_nz_general, global_nz_packed_general, shared_nz_general}) {
    SCOPED_TRACE(strategy_name({.strategy = strategy}));
    ASSERT_EQ(missing_in_ell(strategy_name({.strategy = strategy})), "");
    const TissueToAssemble tissue = tissue_to_assemble(plan);
    const auto made =
        make_paper_assembly(backend, plan_paper_assembly(strategy, 1, tissue, layout, nvidia_h200()), tissue);
    EllTarget<CpuBackend> K(backend, plan.sparsity);
    made->evaluate_elements(backend, {phi.data(), load.data(), old.data(), now.data(), step.data(),
                                      static_cast<Index>(tissue.mesh.tetrahedra.size())});
    made->assemble(backend, K, phi.data(), negative_residual.data(), inverse_diagonal.data());
    std::vector<Real> padding(K.value(), K.value() + layout.slots);
    for (Index e = 0; e < plan.sparsity.entries(); ++e) {
      ASSERT_NEAR(K.value()[layout.slot_of_entry[e]], expected.value[plan.matrix.slot_of_entry[e]], 1e-12 * largest);
      padding[layout.slot_of_entry[e]] = 0;
    }
    EXPECT_EQ(padding, std::vector<Real>(padding.size(), 0));
    for (std::size_t i = 0; i < nodes; ++i) {
      ASSERT_NEAR(negative_residual.data()[i], expected.negative_residual[i], 1e-9) << "node " << i;
      ASSERT_NEAR(inverse_diagonal.data()[i], expected.inverse_diagonal[i],
                  1e-12 * std::fabs(expected.inverse_diagonal[i]));
    }
  }
}

TEST(AssemblyBench, LeavesOutOfEllWhatAsksForMoreThanPlaces) {
  EXPECT_EQ(missing_in_ell("slice_gather"), "it needs a format of a run, got 'ell'");
  EXPECT_EQ(missing_in_ell("diagonal"), "it needs a format of a run, got 'ell'");
  EXPECT_EQ(missing_in_ell("spmv_k1_joint"), "it needs a format of a run, got 'ell'");
  EXPECT_EQ(missing_in_ell("shared_nz_128x512"), "it needs compressed rows or slices, got 'ell'");
  EXPECT_EQ(missing_in_ell("shared_nz_general_metis"), "");
}

TEST(AssemblyBench, RefusesFormatsAndSizesWithWhatIsExpected) {
  EXPECT_EQ(test::input_error_of([] {
              require_valid(AssemblyBenchOptions{.block_sizes = {128, 48}});
            }),
            "--block-size: expected multiples of 32 from 32 to 1024, got 48");
  EXPECT_EQ(test::input_error_of([] { require_valid(AssemblyBenchOptions{.format = "k1x"}); }),
            "--format: unknown format 'k1x'; expected auto, csr, cusparse, k1, k1r, k1rs, k2, k2r, k2rs, ell; did you "
            "mean 'k1'?");
  EXPECT_EQ(test::input_error_of([] { require_valid(AssemblyBenchOptions{.order = BenchOrder::metis}); }),
            "--order: expected hilbert, mesh, rcm or metis_nodes, got 'metis'");
  EXPECT_NO_THROW(require_valid(AssemblyBenchOptions{.block_sizes = {32, 1024}, .format = "ell"}));
}

}  // namespace
}  // namespace cardiowarp
