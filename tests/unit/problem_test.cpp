// build_problem and what it warns of, on two tetrahedra whose numbers a person can check.

#include "app/simulation/problem.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "app/advice/problem_warnings.hpp"
#include "app/config/config.hpp"
#include "app/simulation/stimulated_nodes.hpp"
#include "fem/cells/cell_precision.hpp"
#include "fem/mesh_check.hpp"
#include "tests/support/input_error_of.hpp"
#include "tests/support/single_run.hpp"
#include "tests/support/small_mesh.hpp"

namespace cardiowarp {
namespace {

using Indices = std::vector<Index>;

const Box everything{{-9, -9, -9}, {9, 9, 9}};

Where where(decltype(Where::region) region) { return {std::move(region), "two.yaml:3:5: the place"}; }

/// Problems on test::small_mesh(): element 0 of tag 1, `lv`, and element 1 of tag 2, `scar`.
class BuildProblem : public testing::Test {
 protected:
  BuildProblem() { config.time = {100, 0.1, TimeScheme::backward_euler}; }

  Problem built() const { return build_problem(config, mesh); }
  const AlievPanfilov& cell(const Problem& problem, int element) const {
    return cells_of(problem)[problem.cell_model[element]];
  }
  void expect_diffusivity(const Problem& problem, int element, Real isotropic, Real anisotropic) const {
    EXPECT_DOUBLE_EQ(problem.diffusivity[element].isotropic, 12.9 * isotropic) << "of element " << element;
    EXPECT_DOUBLE_EQ(problem.diffusivity[element].anisotropic, 12.9 * anisotropic) << "of element " << element;
  }

  Config config;
  Mesh mesh = test::small_mesh();
};

/// Five elements of which 1, 2 and 4 have no direction as their fiber, as check_mesh leaves them.
Mesh mesh_with_missing_fibers() {
  constexpr Real nan = std::numeric_limits<Real>::quiet_NaN();
  Mesh mesh;
  for (Index k = 0; k < 5; ++k) {
    const Real x = 2 * k;
    for (const Vector3 p : {Vector3{x, 0, 0}, {x + 1, 0, 0}, {x, 1, 0}, {x, 0, 1}}) mesh.nodes.push_back(p);
    mesh.tetrahedra.push_back({4 * k, 4 * k + 1, 4 * k + 2, 4 * k + 3});
  }
  mesh.element_tags = {1, 7, 7, 1, 2};
  mesh.volume_names = {{"bath", 7}};
  mesh.fibers = {{0, 3, 0}, {0, 0, 0}, {nan, nan, nan}, {1, 0, 0}, {0, INFINITY, 0}};
  check_mesh(mesh);
  return mesh;
}

TEST_F(BuildProblem, TakesTheNodesOfTheStimulusBeforeOnlyForTheSamePlaceAndEdge) {
  const auto add = [&](const Where& region, StimulusEdge edge) {
    StimulusConfig stimulus;
    stimulus.where = region;
    stimulus.duration_ms = 1;
    stimulus.edge = edge;
    config.stimuli.push_back(stimulus);
    const StimulatedNodes expected = stimulated_nodes(mesh, region, edge);
    return std::pair(expected.nodes, expected.share);
  };
  const Box half{{0, 0, 0}, {0.4, 9, 9}}, third{{0, 0, 0}, {0.3, 9, 9}};
  std::vector<std::pair<std::vector<Index>, std::vector<Real>>> expected;
  for (const auto& [box, edge] : {std::pair(half, StimulusEdge::weighted), std::pair(half, StimulusEdge::weighted),
                                  std::pair(third, StimulusEdge::weighted), std::pair(third, StimulusEdge::nodes)})
    expected.push_back(add(where(box), edge));
  const Problem problem = built();
  ASSERT_EQ(problem.stimuli.size(), 4);
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(problem.stimuli[k].nodes, expected[k].first) << k;
    EXPECT_EQ(problem.stimuli[k].share, expected[k].second) << k;
  }
  EXPECT_NE(expected[1].second, expected[2].second);
  EXPECT_NE(expected[2].second, expected[3].second);
}

TEST_F(BuildProblem, TakesAnyFibreWhereTheTissueIsIsotropicAndKeepsNoneThatIsNoDirection) {
  mesh = mesh_with_missing_fibers();
  config.fibers.source = FiberSource::mesh;
  config.diffusivity = {2, 3};
  config.regions = {{where(Tag{"bath"}), DiffusivityConfig{4, 0}, {}}, {where(Tag{"2"}), DiffusivityConfig{5, 0}, {}}};
  const Problem problem = built();
  const Vector3 none{};
  EXPECT_EQ(problem.diffusivity[0].fiber, (Vector3{0, 1, 0}));
  for (const int element : {1, 2, 4}) EXPECT_EQ(problem.diffusivity[element].fiber, none) << element;
  config.regions.clear();
  config.diffusivity = {2, 0};
  EXPECT_EQ(built().diffusivity[2].fiber, none);
  EXPECT_EQ(built().diffusivity[3].fiber, (Vector3{1, 0, 0}));
}

TEST_F(BuildProblem, RefusesAFibreThatIsNoDirectionWhereALaterRegionIsAnisotropic) {
  mesh = mesh_with_missing_fibers();
  config.mesh.file = "heart.vtu";
  config.fibers = {FiberSource::mesh, {1, 0, 0}, "two.yaml:4:5: fibers.source"};
  config.diffusivity = {2, 3};
  const auto error = [&] { return test::input_error_of([&] { built(); }); };
  EXPECT_EQ(error(),
            "two.yaml:4:5: fibers.source: mesh, but the fiber of element 1 of 'heart.vtu' is (0, 0, 0), as in 3 of 5 "
            "elements of anisotropic tissue (tag 7 (bath): 2, tag 2: 1): expected a direction there, or a diffusivity "
            "without an anisotropic part (regions)");
  config.regions = {{where(Tag{"bath"}), DiffusivityConfig{4, 0}, {}}};
  EXPECT_NE(error().find("the fiber of element 4 of 'heart.vtu' is (0, inf, 0), as in 1 of 3 elements of anisotropic "
                         "tissue (tag 2: 1)"),
            std::string::npos)
      << error();
  config.diffusivity = {2, 0};
  config.regions = {{where(everything), DiffusivityConfig{4, 1}, {}},
                    {where(Tag{"2"}), DiffusivityConfig{4, 0}, {}},
                    {where(Tag{"1"}), DiffusivityConfig{4, 0}, {}}};
  config.regions[0].where.region = Box{{-1, -1, -1}, {3.5, 2, 2}};
  EXPECT_NE(error().find("element 1 of 'heart.vtu' is (0, 0, 0), as in 1 of 1 elements"), std::string::npos) << error();
}

TEST_F(BuildProblem, GivesEachElementWhatItsRegionSays) {
  config.diffusivity = {2, 3};
  config.cell_model.cell = AlievPanfilov{.b = 0.2};
  RegionConfig scar{where(Tag{"scar"}), DiffusivityConfig{4, 5}, {}};
  scar.cell_model.parameters["alpha"] = 0.07;
  config.regions = {scar};
  const Problem problem = built();
  expect_diffusivity(problem, 0, 2, 3);
  expect_diffusivity(problem, 1, 4, 5);
  EXPECT_EQ(cell(problem, 0), (AlievPanfilov{.b = 0.2}));
  EXPECT_EQ(cell(problem, 1), (AlievPanfilov{.alpha = 0.07, .b = 0.2}));
  EXPECT_EQ(problem.mesh.get(), &mesh);
}

TEST_F(BuildProblem, LetsTheLastOfTheRegionsAtAPlaceWin) {
  RegionConfig all{where(everything), DiffusivityConfig{2, 3}, {}},
      scar{where(Tag{"scar"}), DiffusivityConfig{4, 5}, {}};
  all.cell_model.parameters["c"] = 6;
  scar.cell_model.parameters["c"] = 7;
  config.regions = {all, scar};
  Problem problem = built();
  expect_diffusivity(problem, 0, 2, 3);
  expect_diffusivity(problem, 1, 4, 5);
  EXPECT_EQ(cell(problem, 0).c, 6);
  EXPECT_EQ(cell(problem, 1).c, 7);

  config.regions = {scar, all};
  problem = built();
  for (const int element : {0, 1}) {
    expect_diffusivity(problem, element, 2, 3);
    EXPECT_EQ(cell(problem, element).c, 6);
  }
}

TEST_F(BuildProblem, KeepsOfEarlierRegionsWhatALaterOneLeavesOut) {
  RegionConfig all{where(everything), DiffusivityConfig{2, 3}, {}}, scar{where(Tag{"scar"}), {}, {}};
  all.cell_model.parameters["alpha"] = 0.02;
  all.cell_model.parameters["gamma"] = 0.03;
  scar.cell_model.parameters["gamma"] = 0.04;
  scar.cell_model.parameters["mu2"] = 0.5;
  config.regions = {all, scar};
  const Problem problem = built();
  EXPECT_EQ(cell(problem, 0), (AlievPanfilov{.alpha = 0.02, .gamma = 0.03}));
  EXPECT_EQ(cell(problem, 1), (AlievPanfilov{.alpha = 0.02, .gamma = 0.04, .mu2 = 0.5}));
  expect_diffusivity(problem, 1, 2, 3);
}

TEST_F(BuildProblem, ChangesTheParametersThatARegionNamesAndNoOther) {
  const std::vector<std::pair<std::string, Real AlievPanfilov::*>> parameters{
      {"alpha", &AlievPanfilov::alpha}, {"gamma", &AlievPanfilov::gamma}, {"b", &AlievPanfilov::b},
      {"c", &AlievPanfilov::c},         {"mu1", &AlievPanfilov::mu1},     {"mu2", &AlievPanfilov::mu2}};
  for (const auto& [name, in_model] : parameters) {
    RegionConfig region{where(Tag{"lv"}), {}, {}};
    region.cell_model.parameters[name] = 0.9;
    config.regions = {region};
    AlievPanfilov expected;
    expected.*in_model = 0.9;
    const Problem problem = built();
    EXPECT_EQ(cell(problem, 0), expected);
    EXPECT_EQ(cell(problem, 1), AlievPanfilov{});
  }
}

TEST_F(BuildProblem, KeepsEachParameterSetOnceAndNoneThatNothingUses) {
  RegionConfig lv{where(Tag{"lv"}), {}, {}}, scar{where(Tag{"scar"}), {}, {}};
  lv.cell_model.parameters["b"] = scar.cell_model.parameters["b"] = 0.3;
  config.regions = {lv, scar};
  const Problem same = built();
  EXPECT_EQ(cells_of(same), (std::vector<AlievPanfilov>{{.b = 0.3}}));
  EXPECT_EQ(same.cell_model, (std::vector<std::uint16_t>{0, 0}));

  scar.cell_model.parameters["b"] = 0.4;
  config.regions = {lv, scar};
  const Problem two = built();
  EXPECT_EQ(cells_of(two), (std::vector<AlievPanfilov>{{.b = 0.3}, {.b = 0.4}}));
  EXPECT_EQ(two.cell_model, (std::vector<std::uint16_t>{0, 1}));
}

TEST_F(BuildProblem, GivesCellsWhoseModelARegionNamesThePrecisionOfThoseOutside) {
  config.newton.tolerance = 1e-6;
  config.quadrature = Quadrature::vertices;
  RegionConfig scar{where(Tag{"scar"}), {}, {}};
  for (const auto& [name, precision] : cell_precisions) {
    config.cell_model.cell = in_precision(ionic_cell(*ionic_models()[0]), precision);
    scar.cell_model.model = ionic_cell(*ionic_models()[0]);
    config.regions = {scar};
    const Problem same = built();
    EXPECT_EQ(std::get<std::vector<IonicCell>>(*same.cell_models).size(), 1U) << name;
    scar.cell_model.model = ionic_cell(*ionic_models()[1]);
    config.regions = {scar};
    const Problem two = built();
    const auto& cells = std::get<std::vector<IonicCell>>(*two.cell_models);
    ASSERT_EQ(cells.size(), 2U) << name;
    EXPECT_EQ(precision_of(*cells[0].model), precision_of(*cells[1].model)) << name;
  }
}

TEST_F(BuildProblem, MakesFibresUnitVectors) {
  config.fibers.source = FiberSource::constant;
  config.fibers.direction = {0, 3, -4};
  for (const Diffusivity& D : built().diffusivity) {
    EXPECT_DOUBLE_EQ(D.fiber.x, 0);
    EXPECT_DOUBLE_EQ(D.fiber.y, 0.6);
    EXPECT_DOUBLE_EQ(D.fiber.z, -0.8);
  }
  config.fibers.source = FiberSource::none;
  for (const Diffusivity& D : built().diffusivity) EXPECT_EQ(D.fiber, Vector3{});
}

TEST_F(BuildProblem, TakesTheFibreOfEachElementFromTheMeshThatHasThem) {
  config.fibers.source = FiberSource::mesh;
  EXPECT_NE(test::input_error_of([&] { built(); }).find("no fibers"), std::string::npos);
  mesh.fibers = {{1, 0, 0}, {0, 0, 1}};
  EXPECT_EQ(built().diffusivity[0].fiber, (Vector3{1, 0, 0}));
  EXPECT_EQ(built().diffusivity[1].fiber, (Vector3{0, 0, 1}));
  mesh.fibers[1] = {};
  EXPECT_NE(test::input_error_of([&] { built(); }).find("element 1"), std::string::npos);
}

TEST_F(BuildProblem, StartsFromTheInitialValuesOfEachRegionTheLastOneWinning) {
  // Nodes 1 2 3 are of both elements, node 0 of `lv` and node 4 of `scar`.
  config.initial = {-70, {{"recovery", 0.25}}, {}, {{where(Tag{"scar"}), -30, {{"recovery", 0.5}}}}};
  Problem problem = built();
  const auto expect_mv = [&](const std::vector<Real>& expected) {
    ASSERT_EQ(problem.phi.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_DOUBLE_EQ(problem.phi[i], (expected[i] + 80) / 100) << "node " << i;
  };
  expect_mv({-70, -30, -30, -30, -30});
  EXPECT_EQ(problem.states, (std::vector<Real>{0.25, 0.5}));

  config.initial.regions.push_back({where(Sphere{{0, 0, 0}, 1}), 20, {}});  // nodes 0 to 3 and element 0
  config.initial.regions.push_back({where(Sphere{{0, 0, 0}, 1}), {}, {{"recovery", 0.75}}});
  problem = built();
  expect_mv({20, 20, 20, 20, -30});
  EXPECT_EQ(problem.states, (std::vector<Real>{0.75, 0.5}));

  std::reverse(config.initial.regions.begin(), config.initial.regions.end());
  problem = built();
  expect_mv({20, -30, -30, -30, -30});
  EXPECT_EQ(problem.states, (std::vector<Real>{0.75, 0.5}));
}

TEST_F(BuildProblem, RefusesAStartOutsideTheRangeOfACellModelAroundTheNode) {
  RegionConfig scar{where(Tag{"scar"}), {}, {}};
  scar.cell_model.parameters["mu2"] = 0.125;
  config.regions = {scar};
  config.initial.potential_mv = -92.5;  // −100 µ2 − 80 of the scar's own, a bound that itself is outside
  const std::string error = test::input_error_of([&] { built(); });
  EXPECT_NE(error.find("node 1:"), std::string::npos) << error;
  EXPECT_NE(error.find("-92.5 mV"), std::string::npos) << error;
  config.initial.potential_mv = -92.25;
  EXPECT_DOUBLE_EQ(built().phi[4], -0.1225);
}

TEST_F(BuildProblem, PassesEveryNumberOfAStimulusOn) {
  config.stimuli = {{.name = "beats",
                     .where = where(Tag{"scar"}),
                     .start_ms = 1.5,
                     .duration_ms = 2,
                     .amplitude_mv_per_ms = 40,
                     .period_ms = 30.5,
                     .count = 3},
                    {.name = "once",
                     .where = where(Sphere{{0, 0, 0}, 0.1}),
                     .start_ms = 7,
                     .duration_ms = 0.5,
                     .amplitude_mv_per_ms = -10,
                     .period_ms = {}}};
  const Problem problem = built();
  ASSERT_EQ(problem.stimuli.size(), 2u);
  const Stimulus &beats = problem.stimuli[0], &once = problem.stimuli[1];
  EXPECT_EQ(beats.nodes, (Indices{1, 2, 3, 4}));
  EXPECT_EQ(beats.pulses.start_ms, 1.5);
  EXPECT_EQ(beats.pulses.duration_ms, 2);
  EXPECT_EQ(beats.pulses.period_ms, 30.5);
  EXPECT_EQ(beats.pulses.count, 3);
  EXPECT_DOUBLE_EQ(beats.amplitude, 0.129 * 40);
  EXPECT_EQ(once.nodes, (Indices{0}));
  EXPECT_EQ(once.pulses.start_ms, 7);
  EXPECT_EQ(once.pulses.duration_ms, 0.5);
  EXPECT_EQ(once.pulses.period_ms, 0);
  EXPECT_EQ(once.pulses.count, 1);
  EXPECT_DOUBLE_EQ(once.amplitude, -1.29);
}

TEST_F(BuildProblem, RefusesAStimulusBetweenTwoSteps) {
  const auto with_pulse = [&](Real start_ms, Real duration_ms) {
    config.stimuli = {{"short", where(everything), {}, start_ms, duration_ms, 40, {}, 1}};
  };
  with_pulse(10.02, 0.07);  // steps end at 10 and 10.1
  EXPECT_NE(test::input_error_of([&] { built(); }).find("'short'"), std::string::npos);
  with_pulse(10.02, 0.08);
  EXPECT_EQ(built().stimuli.size(), 1u);
  with_pulse(99.95, 0.5);  // the last step
  EXPECT_EQ(built().stimuli.size(), 1u);
  with_pulse(100, 0.05);  // after the end: a warning
  EXPECT_EQ(built().stimuli.size(), 1u);
  with_pulse(0, 0.05);
  EXPECT_NE(test::input_error_of([&] { built(); }).find("'short'"), std::string::npos);
  config.time.adaptive.enabled = true;  // adaptive steps begin and end with it
  EXPECT_EQ(built().stimuli.size(), 1u);
}

TEST_F(BuildProblem, PassesTheSettingsOfTheSolversOn) {
  config.newton = {1e-6, 7, ForcingChoice::fixed};
  config.linear_solver.tolerance = 1e-5;
  config.linear_solver.max_iterations = 13;
  config.linear_solver.preconditioner = PreconditionerChoice::block_jacobi;
  config.linear_solver.matrix.format = MatrixFormat::ell_warp;
  config.linear_solver.matrix.block_size = 96;
  config.assembly.strategy = AssemblyStrategy::spmv;
  config.assembly.through_csr = true;
  config.probes = {{"corner", {2, 2, 2}}, {"inside", {0.25, 0.25, 0.125}}};
  const Problem problem = built();
  EXPECT_EQ(problem.newton.tolerance, 1e-6);
  EXPECT_EQ(problem.newton.max_iterations, 7);
  EXPECT_EQ(problem.newton.forcing, ForcingChoice::fixed);
  EXPECT_EQ(problem.linear_solver.relative_tolerance, 1e-5);
  EXPECT_EQ(problem.linear_solver.max_iterations, 13);
  EXPECT_EQ(problem.preconditioner, PreconditionerChoice::block_jacobi);
  EXPECT_EQ(problem.matrix.format, MatrixFormat::ell_warp);
  EXPECT_EQ(problem.matrix.block_size, 96);
  EXPECT_EQ(problem.assembly.strategy, AssemblyStrategy::spmv);
  EXPECT_TRUE(problem.assembly.through_csr);
  ASSERT_EQ(problem.probes.size(), 2u);
  EXPECT_EQ(problem.probes[0].nodes, mesh.tetrahedra[1]);
  EXPECT_EQ(problem.probes[1].nodes, mesh.tetrahedra[0]);
}

TEST_F(BuildProblem, AsksOfANodeTheRangeOfAllCellModelsAroundIt) {
  RegionConfig scar{where(Tag{"scar"}), {}, {}};
  for (const Real mu2 : {0.2, 0.6}) {  // the narrower range first, then last
    scar.cell_model.parameters["mu2"] = mu2;
    config.regions = {scar};
    const Real both = -std::min(mu2, 0.3);
    EXPECT_EQ(lowest_admissible_phi(built()), (std::vector<Real>{-0.3, both, both, both, -mu2}));
  }
}

TEST_F(BuildProblem, HasAFrontOfTheThicknessOfItsProfile) {
  // δ² = 2 · 12.9 D / c: 1 mm² for D = 8 / 25.8 mm²/ms
  const Real D = 8 / 25.8;
  config.diffusivity = {D, 3 * D};
  auto [thinnest, thickest] = front_thickness_mm(built());
  EXPECT_DOUBLE_EQ(thinnest, 1);
  EXPECT_DOUBLE_EQ(thickest, 1);  // without fibers
  config.fibers.source = FiberSource::constant;
  config.fibers.direction = {5, 0, 0};
  std::tie(thinnest, thickest) = front_thickness_mm(built());
  EXPECT_DOUBLE_EQ(thinnest, 1);
  EXPECT_DOUBLE_EQ(thickest, 2);
  for (const char* tag : {"lv", "scar"}) {
    RegionConfig steep{where(Tag{tag}), DiffusivityConfig{D / 16, 0}, {}};
    steep.cell_model.parameters["c"] = 32;
    config.regions = {steep};
    std::tie(thinnest, thickest) = front_thickness_mm(built());
    EXPECT_DOUBLE_EQ(thinnest, 0.125);
    EXPECT_DOUBLE_EQ(thickest, 2);
  }
}

constexpr Real largest_loss_of_a_pulse = 1e-3;  // relative, without a warning

/// Two regular tetrahedra over one face with edges of 3 mm: all edges are the mean edge.
Mesh regular_mesh() {
  Mesh mesh = test::small_mesh();
  mesh.nodes = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}, {-5.0 / 3, -5.0 / 3, -5.0 / 3}};
  for (Vector3& node : mesh.nodes) node = 3 / std::sqrt(8.0) * node;
  return mesh;
}

class ProblemWarnings : public testing::Test {
 protected:
  ProblemWarnings() {
    config.time = {100, 0.1, TimeScheme::backward_euler};
    config.diffusivity = {10, 0};
    config.stimuli = {{"apex", where(everything), {}, 1, 2, 40, {}, 1}};
  }

  std::vector<std::string> warnings() const {
    Mesh mesh = regular_mesh();
    const MeshReport report = check_mesh(mesh);
    EXPECT_NEAR(report.shortest_edge_mm, 3, 1e-12);
    EXPECT_NEAR(report.longest_edge_mm, 3, 1e-12);
    return problem_warnings(config, build_problem(config, mesh));
  }
  /// The number of warnings that mention all of `words`.
  std::ptrdiff_t warnings_of(const std::vector<std::string>& words) const {
    const std::vector<std::string> all = warnings();
    return std::count_if(all.begin(), all.end(), [&](const std::string& warning) {
      return std::all_of(words.begin(), words.end(),
                         [&](const std::string& word) { return warning.find(word) != std::string::npos; });
    });
  }

  Config config;
};

TEST_F(ProblemWarnings, AreNoneWhereNothingIsWrong) { EXPECT_EQ(warnings(), std::vector<std::string>{}); }

TEST_F(ProblemWarnings, NameAStimulusThatWholeStepsCutShortOrMakeLonger) {
  const auto expect_warnings = [&](int expected, Real start_ms, Real duration_ms) {
    config.stimuli[0].start_ms = start_ms;
    config.stimuli[0].duration_ms = duration_ms;
    EXPECT_EQ(warnings_of({"'apex'"}), expected) << start_ms << " " << duration_ms;
  };
  expect_warnings(0, 1, 0.3);
  expect_warnings(0, 0, 0.1);
  expect_warnings(1, 1, 0.25);                                      // 0.2 of 0.25 ms
  expect_warnings(1, 0.95, 0.25);                                   // 0.3 of 0.25 ms
  expect_warnings(0, 1, 10 / (1 - 0.5 * largest_loss_of_a_pulse));  // 10 ms of a little more
  expect_warnings(1, 1, 10 / (1 - 2 * largest_loss_of_a_pulse));
  expect_warnings(0, 90, 20);  // as long as the run lasts
  config.time.adaptive.enabled = true;
  expect_warnings(0, 1, 0.25);
}

TEST_F(ProblemWarnings, NameTheStimulusThatBeginsAfterTheEndAndNoOther) {
  config.stimuli.push_back({"late", where(everything), {}, 100, 2, 40, {}, 1});
  EXPECT_EQ(warnings_of({"'late'"}), 1);
  EXPECT_EQ(warnings_of({"'apex'"}), 0);
  config.stimuli[1].start_ms = 99;
  config.stimuli[1].duration_ms = 1;
  EXPECT_EQ(warnings(), std::vector<std::string>{});
  config.time.adaptive.enabled = true;
  config.stimuli[1].start_ms = 100;
  EXPECT_EQ(warnings_of({"'late'"}), 1);
}

TEST_F(ProblemWarnings, TellOfAnOutputIntervalThatStepsDoNotHit) {
  const auto expect_warnings = [&](int expected, Real interval_ms) {
    config.output.interval_ms = interval_ms;
    EXPECT_EQ(warnings_of({"output.interval"}), expected) << interval_ms;
  };
  expect_warnings(0, 0.3);
  expect_warnings(0, 0.1);
  expect_warnings(1, 0.25);
  expect_warnings(1, 0.05);
  expect_warnings(0, 100.05);  // no frame but the first and the last
  config.time.adaptive.enabled = true;
  expect_warnings(0, 0.25);
}

TEST_F(ProblemWarnings, TellOfAnisotropyWithoutFibres) {
  EXPECT_EQ(warnings_of({"fibers.source"}), 0);
  for (const char* tag : {"lv", "scar"}) {
    config.regions = {{where(Tag{tag}), DiffusivityConfig{10, 3, "two.yaml:7:5: the diffusivity"}, {}}};
    EXPECT_EQ(warnings_of({"fibers.source"}), 1) << tag;
  }
  config.fibers.source = FiberSource::constant;
  EXPECT_EQ(warnings_of({"fibers.source"}), 0);
}

TEST_F(ProblemWarnings, TellThatNothingWillPropagate) {
  config.stimuli.clear();
  EXPECT_EQ(warnings_of({"nothing will propagate"}), 1);
  config.initial.regions = {{where(Sphere{regular_mesh().nodes[4], 0.1}), -20, {}}};  // the last node alone
  EXPECT_EQ(warnings(), std::vector<std::string>{});
}

}  // namespace
}  // namespace cardiowarp
