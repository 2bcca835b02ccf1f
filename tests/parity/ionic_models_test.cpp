// Whole runs of every ionic cell model: one way to store the matrix against another on the CPU, and the GPU against the
// CPU.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string_view>
#include <vector>

#include "app/simulation/gpu.hpp"
#include "app/simulation/nodal_cells.hpp"
#include "cellml/tissue/tissue_model.hpp"
#include "fem/cells/cell_precision.hpp"
#include "tests/support/cellml_collection.hpp"
#include "tests/support/excitable_cellml.hpp"
#include "tests/support/gpu_test.hpp"
#include "tests/support/random_mesh.hpp"
#include "tests/support/single_run.hpp"
#include "tests/support/text_file.hpp"

namespace cardiowarp {
namespace {

constexpr int steps = 90;
constexpr Real step_ms = 0.03;

/// A stimulated wave in tissue of all kinds of cell of a model: in each slice across x another one.
Problem wave(const Mesh& mesh, const IonicModel& of, CellPrecision precision = CellPrecision::double_precision) {
  const IonicModel& model = in_precision(of, precision);
  Problem problem = resting_problem(mesh, 0.1, 0.3);
  std::vector<IonicCell> cells;
  for (std::size_t set = 0; set < model.sets().size(); ++set) cells.push_back(ionic_cell(model, set));
  cells.push_back(cells.front());
  cells.back().parameters.front() *= 0.9;
  const std::size_t elements = mesh.tetrahedra.size(), states = model.states().size();
  problem.states.resize(states * elements);
  for (std::size_t e = 0; e < elements; ++e) {
    const auto slice = static_cast<std::size_t>(mesh.nodes[mesh.tetrahedra[e][0]].x);
    problem.cell_model[e] = static_cast<std::uint16_t>(slice % cells.size());
    const std::vector<Real>& start = cells[problem.cell_model[e]].start().states;
    for (std::size_t i = 0; i < states; ++i) problem.states[i * elements + e] = start[i];
  }
  problem.cell_models = std::move(cells);
  Stimulus stimulus{{}, {0, 2}, model.scaling().stimulus(60)};
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i)
    if (mesh.nodes[i].x < 2) stimulus.nodes.push_back(static_cast<Index>(i));
  problem.stimuli.push_back(stimulus);
  problem.quadrature = Quadrature::vertices;
  return problem;
}

/// A wave through cells of two models, the first of which have a parameter that differs from node to node.
Problem wave_of_two_models(Mesh& mesh, const IonicModel& first, const IonicModel& second) {
  Problem problem = wave(mesh, first);
  const std::vector<IonicCell> cells{in_precision(ionic_cell(first), CellPrecision::double_precision),
                                     in_precision(ionic_cell(second), CellPrecision::double_precision)};
  mesh.values = {{"factor", true, {}}};
  for (const Vector3& node : mesh.nodes) mesh.values[0].values.push_back(0.7 + 0.1 * std::sin(3 * node.y + node.z));
  problem.cell_models = cells;
  const std::size_t elements = mesh.tetrahedra.size(), states = state_count(problem.cell_models);
  problem.states.assign(states * elements, 0);
  for (std::size_t e = 0; e < elements; ++e) {
    problem.cell_model[e] = mesh.nodes[mesh.tetrahedra[e][0]].x < 3 ? 0 : 1;
    const std::vector<Real>& start = cells[problem.cell_model[e]].start().states;
    for (std::size_t i = 0; i < start.size(); ++i) problem.states[i * elements + e] = start[i];
  }
  problem.nodal_cells =
      std::make_shared<NodalCells>(nodal_cells(mesh, cells, {{{0, 0, true}}, {}}, problem.cell_model));
  EXPECT_GT(problem.nodal_cells->cells.size(), 10U);
  return problem;
}

const IonicModel& built_in(std::string_view name) {
  return *std::ranges::find(ionic_models(), name, &IonicModel::name)[0];
}

Problem wave_of_several_models(Mesh& mesh) {
  return wave_of_two_models(mesh, built_in("ten_tusscher_2006"), built_in("courtemanche_1998"));
}

struct Results {
  std::vector<Real> potential_mv;  ///< [steps × nodes]
  std::vector<Real> states;        ///< [states × elements] at the end
};

/// The models but for that of Fenton and Karma, whose currents jump at thresholds: a stage that ends there has no
/// solution, however short, so that equal steps do not cross it.
std::vector<const IonicModel*> models() {
  std::vector<const IonicModel*> all(ionic_models().begin(), ionic_models().end());
  std::erase_if(all, [](const IonicModel* model) { return model->name() == "fenton_karma_1998"; });
  return all;
}

/// A step from one time to another, or two of half its length where it has no solution: rates of sodium gates jump at
/// −40 mV, and a stage that ends just there may have none.
bool steps_to(Simulation& simulation, Real from_ms, Real to_ms, int halvings) {
  if (!simulation.step_to(to_ms).failure) return true;
  if (halvings == 0) return false;
  const Real middle_ms = (from_ms + to_ms) / 2;
  return steps_to(simulation, from_ms, middle_ms, halvings - 1) && steps_to(simulation, middle_ms, to_ms, halvings - 1);
}

Results run(Simulation& simulation, const Problem& problem) {
  Results result;
  std::vector<Real> potential(problem.mesh->nodes.size()), state(problem.mesh->tetrahedra.size());
  for (int step = 1; step <= steps; ++step) {
    if (!steps_to(simulation, (step - 1) * step_ms, step * step_ms, 8)) {
      ADD_FAILURE() << "step " << step << " failed";
      return result;
    }
    simulation.potential_mv(potential);
    result.potential_mv.insert(result.potential_mv.end(), potential.begin(), potential.end());
  }
  for (std::size_t i = 0; i < state_count(problem.cell_models); ++i) {
    simulation.state(i, state);
    result.states.insert(result.states.end(), state.begin(), state.end());
  }
  return result;
}

/// `most_mv` of the potential, and of the states relative to them.
void expect_near(const Results& found, const Results& expected, Real most_mv = 1e-6, Real most_of_states = 1e-8) {
  ASSERT_EQ(found.potential_mv.size(), expected.potential_mv.size());
  EXPECT_GT(std::ranges::max(expected.potential_mv), 0);
  Real largest = 0;
  for (std::size_t i = 0; i < found.potential_mv.size(); ++i)
    largest = std::max(largest, std::fabs(found.potential_mv[i] - expected.potential_mv[i]));
  EXPECT_LE(largest, most_mv);
  ASSERT_EQ(found.states.size(), expected.states.size());
  for (std::size_t k = 0; k < found.states.size(); ++k)
    ASSERT_NEAR(found.states[k], expected.states[k], most_of_states * (1 + std::fabs(expected.states[k]))) << k;
}

std::vector<MatrixOptions> all_matrices() {
  const EllWarpOptions k2{EllWarpVariant::k2, EllWarpRenumbering::rows_and_columns_sorted, 8, default_window};
  return {{}, {.format = MatrixFormat::csr}, {MatrixFormat::ell_warp, k2, 64}};
}

TEST(RunsOfEveryIonicModel, AreTheSameForEveryMatrix) {
  const Mesh mesh = random_mesh({6, 2, 2}, 0.5, 5);
  for (const IonicModel* model : models()) {
    SCOPED_TRACE(model->name());
    Problem problem = wave(mesh, *model);
    const Results expected = run(*make_cpu_simulation(problem), problem);
    for (const MatrixOptions& matrix : all_matrices()) {
      problem.matrix = matrix;
      expect_near(run(*make_cpu_simulation(problem), problem), expected);
    }
  }
}

TEST(RunsOfSeveralIonicModels, AreTheSameForEveryMatrix) {
  Mesh mesh = random_mesh({6, 2, 2}, 0.5, 5);
  Problem problem = wave_of_several_models(mesh);
  const Results expected = run(*make_cpu_simulation(problem), problem);
  for (const MatrixOptions& matrix : all_matrices()) {
    problem.matrix = matrix;
    expect_near(run(*make_cpu_simulation(problem), problem), expected);
  }
}

/// A wave whose cells are evaluated in single precision. Newton's method ends before their rounding shows.
Problem wave_in_single(const Mesh& mesh, const IonicModel& model) {
  Problem problem = wave(mesh, model, CellPrecision::single);
  problem.newton.tolerance = 1e-6;
  return problem;
}

/// How far waves in single precision may be apart, in mV in the upstroke and relative to the states.
constexpr Real rounding_mv = 0.02, rounding_of_states = 1e-4;

TEST(RunsInSinglePrecision, AreThoseInDoubleButForRounding) {
  const Mesh mesh = random_mesh({6, 2, 2}, 0.5, 5);
  for (const IonicModel* model : models()) {
    SCOPED_TRACE(model->name());
    const Problem in_double = wave(mesh, *model), in_single = wave_in_single(mesh, *model);
    const Results expected = run(*make_cpu_simulation(in_double), in_double),
                  found = run(*make_cpu_simulation(in_single), in_single);
    expect_near(found, expected, rounding_mv, rounding_of_states);
    EXPECT_FALSE(found.states == expected.states);
  }
}

using GpuRunsOfEveryIonicModel = GpuTest;

TEST_F(GpuRunsOfEveryIonicModel, InSinglePrecisionAreTheCpusButForRoundingAndTheSameBitForBitInTwoRuns) {
  const Mesh mesh = random_mesh({6, 4, 4}, 0.5, 5);
  for (const IonicModel* model : models()) {
    SCOPED_TRACE(model->name());
    const Problem problem = wave_in_single(mesh, *model);
    const Results one = run(*make_gpu_simulation(problem), problem);
    expect_near(one, run(*make_cpu_simulation(problem), problem), rounding_mv, rounding_of_states);
    const Results other = run(*make_gpu_simulation(problem), problem);
    EXPECT_TRUE(one.potential_mv == other.potential_mv);
    EXPECT_TRUE(one.states == other.states);
  }
}

TEST_F(GpuRunsOfEveryIonicModel, OfSeveralModelsAreTheCpusForEveryMatrix) {
  Mesh mesh = random_mesh({6, 4, 4}, 0.5, 5);
  Problem problem = wave_of_several_models(mesh);
  const Results expected = run(*make_cpu_simulation(problem), problem);
  for (const MatrixOptions& matrix : all_matrices()) {
    problem.matrix = matrix;
    problem.path = matrix.format == MatrixFormat::automatic ? SolverPath::automatic : SolverPath::plain;
    expect_near(run(*make_gpu_simulation(problem), problem), expected);
  }
}

TEST_F(GpuRunsOfEveryIonicModel, AreTheCpusForEveryMatrixAndTheSameBitForBitInTwoRuns) {
  const Mesh mesh = random_mesh({6, 4, 4}, 0.5, 5);
  for (const IonicModel* model : models()) {
    SCOPED_TRACE(model->name());
    Problem problem = wave(mesh, *model);
    const Results expected = run(*make_cpu_simulation(problem), problem);
    for (const MatrixOptions& matrix : all_matrices()) {
      problem.matrix = matrix;
      problem.path = matrix.format == MatrixFormat::automatic ? SolverPath::automatic : SolverPath::plain;
      const Results one = run(*make_gpu_simulation(problem), problem);
      expect_near(one, expected);
      const Results other = run(*make_gpu_simulation(problem), problem);
      EXPECT_TRUE(one.potential_mv == other.potential_mv);
      EXPECT_TRUE(one.states == other.states);
    }
  }
}

/// The model of a published file; null where the collection is not there.
const RunTimeModel* published(const std::string& stem) {
  static const test::CellMlCollection collection(CARDIOWARP_SHARED_DATA "/cellml.tar.xz");
  const std::filesystem::path file = collection.file(stem);
  std::vector<std::string> warnings;
  return file.empty() ? nullptr : &cellml_tissue_model(file, {}, warnings);
}

/// The CPU's results are those of the GPU, which has the same bits each time. Newton's method for the potential ends
/// with slopes that are a thousandth apart.
void expect_parity(const Problem& problem) {
  const Results expected = run(*make_cpu_simulation(problem), problem);
  const Results one = run(*make_gpu_simulation(problem), problem);
  expect_near(one, expected, 1e-4, 1e-6);
  const Results other = run(*make_gpu_simulation(problem), problem);
  EXPECT_TRUE(one.potential_mv == other.potential_mv);
  EXPECT_TRUE(one.states == other.states);
}

using GpuRunsOfCellMlFiles = GpuTest;

TEST_F(GpuRunsOfCellMlFiles, OfPublishedModelsAreTheCpusAndTheSameBitForBitInTwoRuns) {
  if (!published("luo_rudy_1991")) GTEST_SKIP() << "no collection of CellML files in " << CARDIOWARP_SHARED_DATA;
  const Mesh mesh = random_mesh({6, 4, 4}, 0.5, 5);
  for (const char* stem : {"ten_tusscher_model_2006_epi", "courtemanche_ramirez_nattel_1998", "ohara_rudy_2011_endo",
                           "mahajan_shiferaw_2008", "ToRORd_dynCl_epi"}) {
    SCOPED_TRACE(stem);
    expect_parity(wave(mesh, *published(stem)));
  }
}

TEST_F(GpuRunsOfCellMlFiles, WithParametersOfEachNodeBesideABuiltInModelAreTheCpus) {
  const test::TemporaryDirectory folder;
  test::write_text(folder / "cell.cellml", test::excitable_cell());
  std::vector<std::string> warnings;
  const RunTimeModel& model = cellml_tissue_model(folder / "cell.cellml", {}, warnings);
  Mesh mesh = random_mesh({6, 4, 4}, 0.5, 5);
  expect_parity(wave_of_two_models(mesh, model, built_in("courtemanche_1998")));
  expect_parity(wave_of_two_models(mesh, built_in("courtemanche_1998"), model));
}

/// As wave(), of the first kind of cell alone.
Problem wave_of_one_kind(const Mesh& mesh, const IonicModel& model) {
  Problem problem = wave(mesh, model);
  const std::size_t elements = mesh.tetrahedra.size();
  const std::vector<Real>& start = model.sets()[0].states;
  std::ranges::fill(problem.cell_model, 0);
  for (std::size_t k = 0; k < problem.states.size(); ++k) problem.states[k] = start[k / elements];
  return problem;
}

/// The largest difference of potentials in a run of a CellML file and of the built-in model of the same equations.
Real difference_from_twin_mv(const Mesh& mesh, std::unique_ptr<Simulation> make(const Problem&)) {
  const Problem of_file = wave_of_one_kind(mesh, *published("ten_tusscher_model_2006_epi")),
                of_twin = wave_of_one_kind(mesh, built_in("ten_tusscher_2006"));
  const Results file = run(*make(of_file), of_file), twin = run(*make(of_twin), of_twin);
  Real largest = 0;
  for (std::size_t i = 0; i < file.potential_mv.size(); ++i)
    largest = std::max(largest, std::fabs(file.potential_mv[i] - twin.potential_mv[i]));
  return largest;
}

TEST(RunsOfACellMlFile, AreThoseOfTheBuiltInModelOfItsEquations) {
  if (!published("luo_rudy_1991")) GTEST_SKIP() << "no collection of CellML files in " << CARDIOWARP_SHARED_DATA;
  EXPECT_LE(difference_from_twin_mv(random_mesh({6, 2, 2}, 0.5, 5), make_cpu_simulation), 0.05);
}

TEST_F(GpuRunsOfCellMlFiles, AreThoseOfTheBuiltInModelOfTheirEquations) {
  if (!published("luo_rudy_1991")) GTEST_SKIP() << "no collection of CellML files in " << CARDIOWARP_SHARED_DATA;
  EXPECT_LE(difference_from_twin_mv(random_mesh({6, 4, 4}, 0.5, 5), make_gpu_simulation), 0.05);
}

}  // namespace
}  // namespace cardiowarp
