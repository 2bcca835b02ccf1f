// A build without METIS: this program has metis_absent.cpp in place of metis_parts.cpp.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "app/bench/matrix.hpp"
#include "app/bench/spmv.hpp"
#include "app/simulation/window_order.hpp"
#include "assembly/papers/element_blocks.hpp"
#include "assembly/papers/global_nz.hpp"
#include "assembly/papers/shared_nz_general.hpp"
#include "kernels/backend/device_error.hpp"
#include "kernels/libraries/metis_parts.hpp"
#include "tests/support/assembly_case.hpp"
#include "tests/support/input_error_of.hpp"

namespace cardiowarp {
namespace {

constexpr unsigned seed = 53;

TEST(WithoutMetis, NothingIsCutAndTheReasonIsSaid) {
  ASSERT_FALSE(has_metis());
  const std::vector<Index> row_begin{0, 2, 4}, column{0, 1, 0, 1}, length{1, 1};
  EXPECT_THROW(metis_parts({row_begin, column}, 2), MissingLibrary);
  EXPECT_THROW(metis_parts({row_begin, column}, length), MissingLibrary);
  EXPECT_THROW(metis_window_order({row_begin, column}, 1), MissingLibrary);
}

TEST(WithoutMetis, WhatIsAskedForByNameIsRefusedBeforeAnythingIsComputed) {
  for (const std::string order : {"metis", "metis_nodes"})
    EXPECT_EQ(test::input_error_of([&] { parse_bench_order(order); }),
              "--order: '" + order + "' needs METIS, which this build does not have");
  for (const std::string format : {"ehyb", "ehyb_fixed"})
    EXPECT_EQ(test::input_error_of([&] { require_valid(SpmvBenchOptions{.formats = {format}}); }),
              "--format: '" + format + "' needs METIS, which this build does not have");
  const AssemblyCase assembly(random_mesh({3, 2, 2}, 0.5, seed), {}, seed);
  const SimulationPlan& plan = assembly.plan;
  const Mesh& mesh = *plan.problem().mesh;
  EXPECT_EQ(test::input_error_of(
                [&] { shared_nz_general_plan(mesh, plan.sparsity, plan.matrix, nvidia_h200(), {.metis = true}); }),
            "assembly.strategy: shared_nz_general by METIS: this build has no METIS");
  EXPECT_EQ(test::input_error_of([&] {
              global_nz_plan(mesh, plan.sparsity, plan.matrix, {.elements = GlobalElements::prefetched, .metis = true});
            }),
            "assembly.strategy: global_nz_prefetched_general by METIS: this build has no METIS");
}

TEST(WithoutMetis, AllElseIsThere) {
  for (const std::string order : {"hilbert", "mesh", "rcm"}) EXPECT_NO_THROW(parse_bench_order(order));
  const AssemblyCase assembly(random_mesh({3, 2, 2}, 0.5, seed), {}, seed);
  const SimulationPlan& plan = assembly.plan;
  EXPECT_GT(
      shared_nz_general_plan(*plan.problem().mesh, plan.sparsity, plan.matrix, nvidia_h200(), {.nodes = 40}).parts(),
      1);
}

}  // namespace
}  // namespace cardiowarp
