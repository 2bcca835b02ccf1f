// A format that is added by the line in the list that CMake puts there and by its header, backwards_format.hpp; beside
// it formats_test.cpp holds it against the rows of its matrices.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "app/bench/spmv.hpp"
#include "assembly/build_sparsity.hpp"
#include "assembly/global_matrix.hpp"
#include "assembly/options.hpp"
#include "kernels/backend/cpu_backend.hpp"
#include "kernels/backend/sizing_backend.hpp"

namespace cardiowarp {
namespace {

const std::vector<Tetrahedron> two_tetrahedra{{0, 1, 2, 3}, {2, 1, 3, 4}};

TEST(ANewFormat, HasItsNameInYamlAndInReports) {
  EXPECT_EQ(named_formats().back().first, "backwards");
  EXPECT_EQ(format_name({.format = MatrixFormat::backwards}), "backwards");
  EXPECT_FALSE(needs_gpu(MatrixFormat::backwards));
}

TEST(ANewFormat, IsWhatAMatrixIsLaidOutAndMadeIn) {
  const Sparsity sparsity = build_sparsity(two_tetrahedra, 5);
  const MatrixLayout layout = matrix_layout(sparsity, {.format = MatrixFormat::backwards});
  EXPECT_EQ(layout.slots, 23);
  EXPECT_EQ(layout.slot_of_entry.front(), 22);
  CpuBackend cpu;
  const auto A = make_global_matrix(cpu, sparsity, layout);
  for (Index entry = 0; entry < 23; ++entry) A->value()[layout.slot_of_entry[entry]] = entry;
  const std::vector<Real> ones(5, 1);
  std::vector<Real> sums(5);
  A->multiply(cpu, A->value(), ones.data(), sums.data());
  EXPECT_EQ(sums, (std::vector<Real>{0 + 1 + 2 + 3, 4 + 5 + 6 + 7 + 8, 9 + 10 + 11 + 12 + 13, 14 + 15 + 16 + 17 + 18,
                                     19 + 20 + 21 + 22}));
  EXPECT_EQ(A->slices(A->value()).rows, 0);
}

TEST(ANewFormat, HasItsMemoryPlanned) {
  const Sparsity sparsity = build_sparsity(two_tetrahedra, 5);
  SizingBackend backend;
  make_global_matrix(backend, sparsity, matrix_layout(sparsity, {.format = MatrixFormat::backwards}));
  EXPECT_GE(backend.bytes(), 23 * (sizeof(Real) + sizeof(Index)) + 6 * sizeof(Index));
}

TEST(ANewFormat, IsAmongThoseThatTheBenchMeasures) {
  const std::vector<std::string>& measured = spmv_formats();
  EXPECT_EQ(std::count(measured.begin(), measured.end(), "backwards"), 1);
  EXPECT_NO_THROW(require_valid(SpmvBenchOptions{.formats = {"backwards"}}));
}

}  // namespace
}  // namespace cardiowarp
