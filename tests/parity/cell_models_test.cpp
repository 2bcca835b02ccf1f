// Whole runs of every cell model: one way to store and assemble against another on the CPU, and the GPU against the
// CPU.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "app/simulation/gpu.hpp"
#include "tests/support/all_cell_models.hpp"
#include "tests/support/gpu_test.hpp"
#include "tests/support/random_mesh.hpp"
#include "tests/support/single_run.hpp"

namespace cardiowarp {
namespace {

/// A stimulated wave in tissue of two cells, one in each half.
template <CellModel Cell>
Problem wave(const Mesh& mesh) {
  Problem problem = resting_problem<Cell>(mesh, 0.1, 0.3);
  std::vector<Cell> cells = test::all_parameter_sets<Cell>();
  cells.push_back(test::two_cells<Cell>().back());
  problem.cell_models = cells;
  for (std::size_t e = 0; e < mesh.tetrahedra.size(); ++e)
    if (mesh.nodes[mesh.tetrahedra[e][0]].x > 3) problem.cell_model[e] = static_cast<std::uint16_t>(cells.size() - 1);
  Stimulus stimulus{{}, {0, 2}, Cell::scaling.stimulus(60)};
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i)
    if (mesh.nodes[i].x < 2) stimulus.nodes.push_back(static_cast<Index>(i));
  problem.stimuli.push_back(stimulus);
  return problem;
}

struct Run {
  std::vector<std::vector<Real>> potential_mv;  ///< [steps][nodes]
  std::vector<Real> states;                     ///< [states × elements] at the end
};

template <CellModel Cell>
Run run(Simulation& simulation, const Mesh& mesh, int steps) {
  Run result;
  std::vector<Real> potential(mesh.nodes.size()), state(mesh.tetrahedra.size());
  for (int step = 1; step <= steps; ++step) {
    if (simulation.step_to(step * test::usual_step_ms<Cell>()).failure) {
      ADD_FAILURE() << "step " << step << " failed";
      return result;
    }
    simulation.potential_mv(potential);
    result.potential_mv.push_back(potential);
  }
  for (std::size_t i = 0; i < Cell::states; ++i) {
    simulation.state(i, state);
    result.states.insert(result.states.end(), state.begin(), state.end());
  }
  return result;
}

void expect_near(const Run& found, const Run& expected) {
  ASSERT_EQ(found.potential_mv.size(), expected.potential_mv.size());
  Real largest = 0, highest = -100;
  for (std::size_t step = 0; step < found.potential_mv.size(); ++step)
    for (std::size_t i = 0; i < found.potential_mv[step].size(); ++i) {
      largest = std::max(largest, std::fabs(found.potential_mv[step][i] - expected.potential_mv[step][i]));
      highest = std::max(highest, expected.potential_mv[step][i]);
    }
  EXPECT_GT(highest, 0);
  EXPECT_LE(largest, 1e-6);
  ASSERT_EQ(found.states.size(), expected.states.size());
  for (std::size_t k = 0; k < found.states.size(); ++k) ASSERT_NEAR(found.states[k], expected.states[k], 1e-8) << k;
}

struct Ways {
  const char* name;
  Quadrature quadrature;
  MatrixOptions matrix;
  AssemblyOptions assembly;
};

const std::vector<Ways>& all_ways() {
  const EllWarpOptions k2{EllWarpVariant::k2, EllWarpRenumbering::rows_and_columns_sorted, 8, default_window};
  static const std::vector<Ways> ways{
      {"auto", Quadrature::centroid, {}, {}},
      {"csr", Quadrature::centroid, {.format = MatrixFormat::csr}, {}},
      {"k2rs", Quadrature::centroid, {MatrixFormat::ell_warp, k2, 64}, {}},
      {"spmv_k2rs", Quadrature::centroid, {MatrixFormat::csr, {}, 0}, {AssemblyStrategy::spmv, k2, 64, false}},
      {"auto, vertices", Quadrature::vertices, {}, {}},
      {"csr, vertices", Quadrature::vertices, {.format = MatrixFormat::csr}, {}},
      {"k2rs, vertices", Quadrature::vertices, {MatrixFormat::ell_warp, k2, 64}, {}}};
  return ways;
}

constexpr int steps = 150;

/// Runs on the CPU with what `auto` chooses.
template <CellModel Cell>
class ExpectedRuns {
 public:
  explicit ExpectedRuns(Problem problem) {
    for (const Quadrature quadrature : {Quadrature::centroid, Quadrature::vertices}) {
      problem.quadrature = quadrature;
      runs_.emplace(quadrature, run<Cell>(*make_cpu_simulation(problem), *problem.mesh, steps));
    }
  }
  const Run& of(Quadrature quadrature) const { return runs_.at(quadrature); }

 private:
  std::map<Quadrature, Run> runs_;
};

template <class Cell>
class RunsOfEveryCellModel : public testing::Test {};
TYPED_TEST_SUITE(RunsOfEveryCellModel, test::AllCellModels, test::NameOfCellModel);

TYPED_TEST(RunsOfEveryCellModel, AreTheSameForEveryAssembly) {
  const Mesh mesh = random_mesh({6, 2, 2}, 0.5, 5);
  Problem problem = wave<TypeParam>(mesh);
  const ExpectedRuns<TypeParam> expected(problem);
  for (const Ways& ways : all_ways()) {
    SCOPED_TRACE(ways.name);
    problem.quadrature = ways.quadrature;
    problem.matrix = ways.matrix;
    problem.assembly = ways.assembly;
    expect_near(run<TypeParam>(*make_cpu_simulation(problem), mesh, steps), expected.of(ways.quadrature));
  }
}

template <class Cell>
class GpuRunsOfEveryCellModel : public GpuTest {};
TYPED_TEST_SUITE(GpuRunsOfEveryCellModel, test::AllCellModels, test::NameOfCellModel);

TYPED_TEST(GpuRunsOfEveryCellModel, AreTheCpusForEveryAssemblyAndTheSameBitForBitInTwoRuns) {
  const Mesh mesh = random_mesh({6, 4, 4}, 0.5, 5);
  Problem problem = wave<TypeParam>(mesh);
  const ExpectedRuns<TypeParam> expected(problem);
  for (const Ways& ways : all_ways()) {
    SCOPED_TRACE(ways.name);
    problem.quadrature = ways.quadrature;
    problem.matrix = ways.matrix;
    problem.path = ways.matrix.format == MatrixFormat::automatic ? SolverPath::automatic : SolverPath::plain;
    problem.assembly = ways.assembly;
    const Run one = run<TypeParam>(*make_gpu_simulation(problem), mesh, steps);
    expect_near(one, expected.of(ways.quadrature));
    const Run other = run<TypeParam>(*make_gpu_simulation(problem), mesh, steps);
    EXPECT_TRUE(one.potential_mv == other.potential_mv);
    EXPECT_TRUE(one.states == other.states);
  }
}

}  // namespace
}  // namespace cardiowarp
