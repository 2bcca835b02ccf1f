// What METIS answers in place of a good partition: an error, one part for all, parts without rows. The linker puts
// __wrap_METIS_PartGraphKway in place of the function (--wrap).

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <metis.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "app/bench/assembly_order.hpp"
#include "app/bench/matrix.hpp"
#include "app/simulation/choose_assembly.hpp"
#include "app/simulation/window_order.hpp"
#include "assembly/papers/global_nz.hpp"
#include "assembly/papers/shared_nz_general.hpp"
#include "fem/input_error.hpp"
#include "kernels/backend/cpu_backend.hpp"
#include "kernels/backend/device_error.hpp"
#include "kernels/libraries/metis_parts.hpp"
#include "kernels/rivals/ehyb.hpp"
#include "tests/support/assembly_case.hpp"
#include "tests/support/random_csr.hpp"

namespace {

/// What METIS answers, with the part of each vertex where it is METIS_OK.
struct Answer {
  int status = METIS_OK;
  std::function<idx_t(idx_t vertex, idx_t parts)> part;
};
Answer answer;
int calls = 0;

}  // namespace

extern "C" int __wrap_METIS_PartGraphKway(idx_t* vertices, idx_t*, idx_t*, idx_t*, idx_t*, idx_t*, idx_t*,  // NOLINT
                                          idx_t* parts, real_t*, real_t*, idx_t*, idx_t*, idx_t* part) {
  ++calls;
  if (answer.status == METIS_OK)
    for (idx_t vertex = 0; vertex < *vertices; ++vertex) part[vertex] = answer.part(vertex, *parts);
  return answer.status;
}

namespace cardiowarp {
namespace {

constexpr unsigned seed = 47;
using Indices = std::vector<Index>;

class MetisAnswers : public testing::Test {
 protected:
  MetisAnswers() { calls = 0; }
  ~MetisAnswers() override { EXPECT_GT(calls, 0) << "METIS was not asked"; }

  SharedNzGeneralPlan shared_nz() const {
    const SimulationPlan& plan = assembly.plan;
    return shared_nz_general_plan(*plan.problem().mesh, plan.sparsity, plan.matrix, nvidia_h200(),
                                  {.nodes = 40, .metis = true});
  }
  GlobalNzPlan global_nz() const {
    const SimulationPlan& plan = assembly.plan;
    return global_nz_plan(*plan.problem().mesh, plan.sparsity, plan.matrix,
                          {.elements = GlobalElements::prefetched, .metis = true});
  }

  const Mesh mesh = random_mesh({6, 5, 4}, 0.5, seed);  // 1287 nodes: two parts of 1024
  const AssemblyCase assembly{mesh, {EllWarpVariant::k1, EllWarpRenumbering::rows_and_columns_sorted, 3, 64}, seed};
  const BenchMatrix matrix = mesh_matrix("box", mesh);
  const CsrPattern pattern{matrix.row_begin, matrix.column};
};

std::string device_error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const DeviceError& error) {
    return error.what();
  }
  return "no DeviceError";
}

/// All that asks METIS says so, in the words of one error, of which `bench` leaves out the method or ends.
TEST_F(MetisAnswers, WithAnErrorAreReportedInWordsByAllThatAskIt) {
  const Indices windows{640, 640, 7};
  for (const auto& [status, reason] :
       std::vector<std::pair<int, std::string>>{{METIS_ERROR_MEMORY, "it has no memory left"},
                                                {METIS_ERROR_INPUT, "it does not take the graph"},
                                                {METIS_ERROR, "status " + std::to_string(METIS_ERROR)}}) {
    answer = {status, {}};
    const auto expected = [reason = reason](int vertices, int parts) {
      return fmt::format("METIS could not cut {} rows into {} parts: {}", vertices, parts, reason);
    };
    EXPECT_EQ(device_error_of([&] { metis_parts(pattern, 7); }), expected(1287, 7));
    EXPECT_EQ(device_error_of([&] { metis_parts(pattern, windows); }), expected(1287, 3));
    EXPECT_EQ(device_error_of([&] { metis_window_order(pattern, 1024); }), expected(1287, 2));
    EXPECT_EQ(device_error_of([&] { in_bench_order(matrix, mesh, BenchOrder::metis_nodes); }), expected(1287, 2));
    EXPECT_EQ(device_error_of([&] { assembly_order(mesh, BenchOrder::metis_nodes); }), expected(1287, 2));
    EXPECT_EQ(device_error_of([&] { shared_nz(); }), expected(1287, 33));
    EXPECT_EQ(device_error_of([&] { global_nz(); }), expected(5760, 24));
  }
}

/// Partitions that no one would call good: a matrix and an assembly stay right with them.
std::vector<std::function<idx_t(idx_t, idx_t)>> bad_partitions() {
  return {[](idx_t, idx_t) { return idx_t{0}; },                     // all in the first
          [](idx_t, idx_t parts) { return parts - 1; },              // all in the last
          [](idx_t vertex, idx_t parts) { return vertex % parts; },  // neighbors in different parts
          [](idx_t vertex, idx_t parts) { return vertex == 0 ? parts - 1 : idx_t{0}; }};
}

TEST_F(MetisAnswers, ThatAreBadPartitionsStillGiveAnOrderOfAllRows) {
  for (const auto& part : bad_partitions()) {
    answer = {METIS_OK, part};
    for (const Index window : {32, 97, 1024}) {
      Indices order = metis_window_order(pattern, window);
      std::sort(order.begin(), order.end());
      for (Index row = 0; row < matrix.rows(); ++row) ASSERT_EQ(order[row], row);
    }
    Indices node = assembly_order(mesh, BenchOrder::metis_nodes).node;
    std::sort(node.begin(), node.end());
    for (std::size_t i = 0; i < mesh.nodes.size(); ++i) ASSERT_EQ(node[i], static_cast<Index>(i));
  }
}

TEST_F(MetisAnswers, ThatAreBadPartitionsStillMultiplyInEhyb) {
  CpuBackend backend;
  const std::vector<Real> x = random_values(matrix.rows(), seed);
  const Real largest = *std::max_element(matrix.value.begin(), matrix.value.end());
  for (const auto& part_of : bad_partitions()) {
    answer = {METIS_OK, part_of};
    for (const Index parts : {2, 7, 132}) {
      Indices part = metis_parts(pattern, parts);
      limit_parts(part, parts, (matrix.rows() + parts - 1) / parts);
      const EhybMatrix host = ehyb_matrix(matrix.view(), part, parts);
      EXPECT_LE(host.longest_part(), (matrix.rows() + parts - 1) / parts);
      const EhybBuffers<CpuBackend> ehyb(backend, host);
      std::vector<Real> own_x(matrix.rows()), y(matrix.rows(), NAN);
      for (Index k = 0; k < matrix.rows(); ++k) own_x[k] = x[host.row[k]];
      ehyb_multiply(backend, SliceSchedule::dynamic, 0, ehyb.view(), own_x.data(), y.data());
      for (Index k = 0; k < matrix.rows(); ++k)
        ASSERT_NEAR(y[k], row_times_vector(matrix.view(), host.row[k], x.data()), 1e-13 * largest);
    }
  }
}

TEST_F(MetisAnswers, ThatAreBadPartitionsStillAssembleOrAreRefusedWithTheNumbers) {
  CpuBackend backend;
  const Problem& problem = assembly.plan.problem();
  const std::vector<AlievPanfilov>& cells = cells_of(problem);
  const AssembledSystem expected = assembly.assembled<ScalarGather>(backend, assembly.scalar_gather(), cells);
  const auto expect_near = [&](const AssembledSystem& system) {
    ASSERT_EQ(system.value.size(), expected.value.size());
    for (std::size_t i = 0; i < system.value.size(); ++i) ASSERT_NEAR(system.value[i], expected.value[i], 1e-10);
    for (std::size_t i = 0; i < system.negative_residual.size(); ++i)
      ASSERT_NEAR(system.negative_residual[i], expected.negative_residual[i], 1e-9);
  };
  int refused = 0;
  for (const auto& part : bad_partitions()) {
    answer = {METIS_OK, part};
    GlobalNz<CpuBackend, AlievPanfilov> global(backend, global_nz(), *problem.mesh, problem.diffusivity, cells,
                                               problem.cell_model);
    expect_near(assembly.assembled(backend, global));
    try {
      using Arrays = ElementArrays<CpuBackend, AlievPanfilov>;
      SharedNzGeneral<CpuBackend, Arrays> shared(
          backend, shared_nz(), Arrays(backend, *problem.mesh, problem.diffusivity, {}, cells, problem.cell_model));
      expect_near(assembly.assembled(backend, shared));
    } catch (const InputError& error) {
      ++refused;
      EXPECT_NE(std::string(error.what())
                    .find("shared_nz_general keeps the numbers of elements in shared memory: a "
                          "part of METIS needs"),
                std::string::npos)
          << error.what();
    }
  }
  EXPECT_EQ(refused, 3);  // where all nodes but one are in one part
}

}  // namespace
}  // namespace cardiowarp
