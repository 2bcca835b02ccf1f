#include "app/advice/resolution.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "app/advice/step_resolution.hpp"
#include "app/cells/lattice_speeds.hpp"
#include "app/config/config.hpp"
#include "app/config/config_names.hpp"
#include "meshes/generate.hpp"
#include "tests/support/single_run.hpp"
#include "tests/support/text_file.hpp"

namespace cardiowarp {
namespace {

constexpr Real front_of_one_mm = 8 / (2 * AlievPanfilov::scaling.ms_per_tau);  // diffusivity, mm²/ms, with c = 8

/// Tetrahedra with three edges of `edge_mm` along the axes.
Mesh corners(const std::vector<Real>& edges_mm) {
  Mesh mesh;
  for (const Real a : edges_mm) {
    const auto first = static_cast<Index>(mesh.nodes.size());
    mesh.nodes.insert(mesh.nodes.end(), {{0, 0, 0}, {a, 0, 0}, {0, a, 0}, {0, 0, a}});
    mesh.tetrahedra.push_back({first, first + 1, first + 2, first + 3});
  }
  mesh.element_tags.assign(mesh.tetrahedra.size(), 0);
  return mesh;
}

Config steps(Real step_ms, AdaptiveConfig adaptive = {}) {
  Config config;
  config.time.end_ms = 100;
  config.time.step_ms = step_ms;
  config.time.scheme = TimeScheme::backward_euler;
  config.time.adaptive = adaptive;
  return config;
}

std::string joined(const std::vector<std::string>& warnings) {
  std::string text;
  for (const std::string& warning : warnings) text += warning + "\n";
  return text;
}

TEST(StepResolution, HasTheSpeedErrorsOfBackwardEulerThatWereMeasured) {
  // A front solved to convergence in space, for steps of c h = 0.031, 0.31, 0.62 and 1.24 (tests/convergence: the 3D
  // one)
  const auto error = [](Real alpha, Real c, Real c_times_h) {
    return speed_error_of_step(AlievPanfilov{.alpha = alpha, .c = c}.front(), c_times_h / c);
  };
  for (const Real c : {0.5, 8.0, 30.0}) {
    EXPECT_NEAR(error(0.01, c, 0.031), 0.0037, 0.0002);
    EXPECT_NEAR(error(0.01, c, 0.31), 0.0390, 0.002);
    EXPECT_NEAR(error(0.01, c, 0.62), 0.0820, 0.004);
    EXPECT_NEAR(error(0.01, c, 1.24), 0.183, 0.015);
    EXPECT_NEAR(error(0.15, c, 1.24), 0.0874, 0.004);
    EXPECT_NEAR(error(0.3, c, 1.24), 0.0274, 0.002);
  }
  EXPECT_EQ(speed_error_of_step(AlievPanfilov{}.front(), 7 / 12.9), INFINITY);
  EXPECT_EQ(speed_error_of_step(AlievPanfilov{.alpha = 0.6}.front(), 100), 0);  // no front travels
}

TEST(StepResolution, FindsTheStepOfAnError) {
  for (const Real error : {0.001, 0.01, 0.3})
    for (const AlievPanfilov& cell : {AlievPanfilov{}, AlievPanfilov{.alpha = 0.2, .c = 3}})
      EXPECT_NEAR(speed_error_of_step(cell.front(), step_of_speed_error(cell.front(), error)), error, 1e-12);
  EXPECT_EQ(step_of_speed_error(AlievPanfilov{.alpha = 0.5}.front(), 0.01), INFINITY);
}

TEST(StepResolution, OfALongStepIsToldInMillisecondsAndPerCent) {
  const Mesh mesh = corners({0.1});
  const Problem problem = resting_problem(mesh, 1, 0);
  EXPECT_EQ(joined(resolution_warnings(steps(1), problem)),
            "time.step of 1 ms makes the front about 8.4 % too fast; 0.13 ms about 1 %\n");
  EXPECT_EQ(joined(resolution_warnings(steps(2), problem)),
            "time.step of 2 ms makes the front about 19 % too fast; 0.13 ms about 1 %\n");
  EXPECT_EQ(
      joined(resolution_warnings(steps(6), problem)),
      "time.step of 6 ms makes the front more than 30 % too fast; 0.13 ms about 1 %, and from 4.89 ms on a step may "
      "have no solution\n");
  EXPECT_EQ(joined(resolution_warnings(steps(0.5), problem)), "");
}

TEST(StepResolution, IsJudgedForTheFastestOfTheCellModels) {
  const Mesh mesh = corners({0.1, 0.1});
  Problem problem = resting_problem(mesh, 1, 0, AlievPanfilov{.alpha = 0.3});
  EXPECT_EQ(joined(resolution_warnings(steps(1), problem)), "");
  add_kind(problem, {.c = 16});
  problem.cell_model = {0, 1};
  EXPECT_EQ(joined(resolution_warnings(steps(1), problem)),
            "time.step of 1 ms makes the front about 19 % too fast; 0.066 ms about 1 %\n");
}

TEST(StepResolution, OfAdaptiveStepsIsJudgedByWhatLimitsThemAtTheFront) {
  const Mesh mesh = corners({0.1});
  const Problem problem = resting_problem(mesh, 1, 0);
  EXPECT_EQ(joined(resolution_warnings(steps(0.1, {true, 1e-3, 0.01, 50}), problem)), "");
  EXPECT_EQ(joined(resolution_warnings(steps(0.1, {true, 1e-2, 0.01, 50}), problem)),
            "time.adaptive.tolerance of 0.01 makes the front about 7.5 % too fast; 0.0002 about 1 %\n");
  EXPECT_EQ(joined(resolution_warnings(steps(0.1, {true, 0.5, 0.01, 1}), problem)),
            "time.adaptive.max_step of 1 ms makes the front about 8.4 % too fast; 0.13 ms about 1 %\n");
  EXPECT_EQ(joined(resolution_warnings(steps(0.1, {true, 0.5, 0.01, 0.5}), problem)), "");
  EXPECT_EQ(joined(resolution_warnings(steps(2, {false, 1e-3, 0.01, 2}), problem)).find("time.step"), 0u);
}

Config steps_of(TimeScheme scheme, Real step_ms, AdaptiveConfig adaptive = {}) {
  Config config = steps(step_ms, adaptive);
  config.time.scheme = scheme;
  return config;
}

TEST(StepResolution, OfEqualStepsOfOrderTwoIsWarnedOfAboveTwoPerCent) {
  // A wave along a cable of 20 mm with the default parameters: speeds with equal steps against those with a tolerance
  // of 1e-6: sdirk2 0.36, 1.1 and 3.2 % too fast with 3, 5 and 8 ms; bdf2 1.7 and 7.7 % with 2 and 4 ms; rkc2 1.9
  // and 4.8 % too slow with 5 and 8 ms (docs/method/time_stepping.md)
  const Mesh mesh = corners({0.1});
  const Problem problem = resting_problem(mesh, 1, 0);
  const auto warnings = [&](TimeScheme scheme, Real step_ms) {
    return joined(resolution_warnings(steps_of(scheme, step_ms), problem));
  };
  for (const TimeScheme scheme : {TimeScheme::sdirk2, TimeScheme::trbdf2}) {
    EXPECT_EQ(warnings(scheme, 5), "");
    EXPECT_EQ(warnings(scheme, 8), "time.step of 8 ms makes the front about 2.8 % too fast; 4.7 ms about 1 %\n");
  }
  EXPECT_EQ(warnings(TimeScheme::bdf2, 2), "");
  EXPECT_EQ(warnings(TimeScheme::bdf2, 4),
            "time.step of 4 ms makes the front about 6.7 % too fast; 1.5 ms about 1 %\n");
  EXPECT_EQ(warnings(TimeScheme::bdf2, 8),
            "time.step of 8 ms makes the front more than 10 % too fast; 1.5 ms about 1 %\n");
  EXPECT_EQ(warnings(TimeScheme::rkc2, 5), "");
  EXPECT_EQ(warnings(TimeScheme::rkc2, 8),
            "time.step of 8 ms makes the front about 4.8 % too slow; 3.6 ms about 1 %\n");
}

TEST(StepResolution, OfAdaptiveStepsOfOrderTwoIsJudgedByToleranceOrLongestStep) {
  // On that cable the activation times of sdirk2 were 0.2, 0.72, 1.8 and 4.1 % off with tolerances of 0.01, 0.1, 0.3
  // and 0.9 and steps of up to 50 ms, those of bdf2 0.7 and 4.8 % with 0.01 and 0.1.
  const Mesh mesh = corners({0.1});
  const Problem problem = resting_problem(mesh, 1, 0);
  const auto warnings = [&](TimeScheme scheme, Real tolerance, Real max_step_ms) {
    return joined(resolution_warnings(steps_of(scheme, 0.1, {true, tolerance, 0.01, max_step_ms}), problem));
  };
  EXPECT_EQ(warnings(TimeScheme::sdirk2, 2e-3, 50), "");
  EXPECT_EQ(warnings(TimeScheme::sdirk2, 0.1, 50), "");
  EXPECT_EQ(warnings(TimeScheme::sdirk2, 0.5, 50),
            "time.adaptive.tolerance of 0.5 puts activation times about 3.8 % off; 0.07 about 1 %\n");
  EXPECT_EQ(warnings(TimeScheme::sdirk2, 0.5, 5), "");
  EXPECT_EQ(warnings(TimeScheme::sdirk2, 0.5, 8),
            "time.adaptive.max_step of 8 ms makes the front about 2.8 % too fast; 4.7 ms about 1 %\n");
  EXPECT_EQ(warnings(TimeScheme::bdf2, 0.1, 5),
            "time.adaptive.tolerance of 0.1 puts activation times about 4.3 % off; 0.01 about 1 %\n");
}

TEST(StepResolution, OfOrderTwoIsJudgedForTheFastestOfTheCellModels) {
  const Mesh mesh = corners({0.1, 0.1});
  Problem problem = resting_problem(mesh, 1, 0, AlievPanfilov{.alpha = 0.3});
  EXPECT_EQ(joined(resolution_warnings(steps_of(TimeScheme::sdirk2, 5), problem)), "");
  add_kind(problem, {.c = 16});
  problem.cell_model = {0, 1};
  EXPECT_EQ(joined(resolution_warnings(steps_of(TimeScheme::sdirk2, 5), problem)),
            "time.step of 5 ms makes the front about 4.4 % too fast; 2.4 ms about 1 %\n");
}

LatticeSpeeds lattice_of(const AlievPanfilov& cell) { return {cell, cell.front(), 64}; }

/// A row of tests/data/space_speed.csv.
struct MeasuredSpeed {
  std::string mesh, fibres, quadrature;
  Real edge_over_front, error;
};

std::vector<MeasuredSpeed> measured_speeds() {
  std::istringstream lines(test::read_text(std::filesystem::path(CARDIOWARP_TEST_DATA) / "space_speed.csv"));
  std::vector<MeasuredSpeed> rows;
  for (std::string line; std::getline(lines, line);) {
    std::array<std::string, 6> cells;
    std::istringstream columns(line);
    for (std::string& cell : cells) std::getline(columns, cell, ',');
    if (line[0] != '#' && cells[0] != "mesh")
      rows.push_back({cells[0], cells[1], cells[2], std::stod(cells[3]), std::stod(cells[5]) / 100});
  }
  return rows;
}

TEST(MeshResolution, HasTheSpeedErrorsThatWereMeasured) {
  const LatticeSpeeds lattice = lattice_of(AlievPanfilov{});
  const std::vector<MeasuredSpeed> rows = measured_speeds();
  ASSERT_EQ(rows.size(), 84u);
  const std::map<std::string, Quadrature> quadratures(quadrature_names.begin(), quadrature_names.end());
  std::map<std::pair<bool, Real>, Real> squares;  // ℓ²/δ² of the bars
  for (const MeasuredSpeed& row : rows) {
    SCOPED_TRACE(row.mesh + " " + row.fibres + " " + row.quadrature + " " + std::to_string(row.edge_over_front));
    const bool structured = row.mesh == "structured";
    Real& square = squares[{structured, row.edge_over_front}];
    if (square == 0) {
      const Real edge = row.edge_over_front;
      const Mesh mesh = slab_mesh({40, 3 * edge, 3 * edge}, edge, structured);
      square = front_resolution(resting_problem(mesh, front_of_one_mm, 0)).mean_error / 0.01;
      EXPECT_NEAR(square, edge * edge * (structured ? 1.667 : 1.04), 0.05 * square);
    }
    const Quadrature quadrature = quadratures.at(row.quadrature);
    const Real law = speed_error_of_mesh(quadrature, &lattice, square);
    if (quadrature == Quadrature::vertices_and_centroid) {
      EXPECT_NEAR(row.error, law, 0.008);
      continue;
    }
    // On unstructured meshes the law is rather the largest error that was measured.
    const bool at_vertices = quadrature == Quadrature::vertices;
    const bool met = structured || (at_vertices && row.fibres == "along");
    const Real least = at_vertices ? 0.85 : 0.7;
    EXPECT_GT(row.error / law, met ? least : 0);
    EXPECT_LT(row.error / law, 1.15);
  }
}

// Of two tetrahedra the larger one bulges: between its curved edges it has another volume than between its corners.
TEST(MeshResolution, OfCurvedElementsIsTheMeanByTheVolumesBetweenTheirEdges) {
  Mesh mesh = quadratic_mesh(corners({1, 2}));
  Vector3& middle = mesh.nodes[mesh.edge_nodes[1][1]];
  middle = middle + Vector3{0.3, 0.3, 0};
  const auto mean_error = [](const Mesh& of) {
    Problem problem = resting_problem(of, front_of_one_mm, 0);
    problem.quadrature = Quadrature::fourteen_points;
    return front_resolution(problem).mean_error;
  };
  const Real small = mean_error(quadratic_mesh(corners({1}))), large = mean_error(quadratic_mesh(corners({2})));
  ASSERT_GT(large, 2 * small);
  const Real volume = check_mesh(mesh).volume_mm3, of_small = 1.0 / 6;
  EXPECT_GT(volume, 1.05 * 9 / 6);
  EXPECT_NEAR(mean_error(mesh), (of_small * small + (volume - of_small) * large) / volume, 1e-14);
}

TEST(MeshResolution, AtTheVerticesHasTheErrorsOfCoarseBarsAndOfOtherThresholds) {
  // Structured bars with edges of `edge` δ: speeds measured with sdirk2 and a tolerance of 1e-4, in per cent
  const auto error = [](Real alpha, Real edge) {
    const LatticeSpeeds lattice = lattice_of(AlievPanfilov{.alpha = alpha});
    return 100 * speed_error_of_mesh(Quadrature::vertices, &lattice, edge * edge * 10 / 6);
  };
  EXPECT_NEAR(error(0.01, 3) / -4.98, 1, 0.2);
  EXPECT_NEAR(error(0.01, 4) / -6.51, 1, 0.2);
  EXPECT_NEAR(error(0.05, 2) / -4.29, 1, 0.2);
  EXPECT_NEAR(error(0.05, 4) / -10.93, 1, 0.2);
  EXPECT_NEAR(error(0.15, 2) / -7.5, 1, 0.2);
  EXPECT_NEAR(error(0.15, 4) / -24.4, 1, 0.2);
  EXPECT_NEAR(error(0.3, 2) / -14.2, 1, 0.3);
  EXPECT_EQ(error(0.3, 8), -100);
}

TEST(MeshResolution, AtTheVerticesTellsWhereAFrontMayStop) {
  // Structured bars: fronts stopped between edges of 60 and 80 δ, 20 and 25 δ, 7 and 8 δ, and 3 and 4 δ.
  const auto stops = [](Real alpha, Real edge) {
    const AlievPanfilov cell{.alpha = alpha};
    const LatticeSpeeds lattice = lattice_of(cell);
    return front_may_stop(Quadrature::vertices, cell.front(), &lattice, edge * edge * 10 / 6);
  };
  for (const auto& [alpha, travelled, stopped] :
       std::vector<std::array<Real, 3>>{{0.01, 60, 80}, {0.05, 20, 25}, {0.15, 7, 8}, {0.3, 3, 4}}) {
    EXPECT_FALSE(stops(alpha, 0.65 * travelled)) << alpha;
    EXPECT_TRUE(stops(alpha, stopped)) << alpha;
  }
  const AlievPanfilov slow{.alpha = 0.3}, without_front{.alpha = 0.6};
  const LatticeSpeeds of_slow = lattice_of(slow), of_none = lattice_of(without_front);
  EXPECT_FALSE(front_may_stop(Quadrature::centroid, slow.front(), nullptr, 1000));
  EXPECT_FALSE(front_may_stop(Quadrature::vertices_and_centroid, slow.front(), &of_slow, 1000));
  EXPECT_FALSE(front_may_stop(Quadrature::vertices, without_front.front(), &of_none, 1000));
}

Problem at_vertices(Problem problem) {
  problem.quadrature = Quadrature::vertices;
  return problem;
}

TEST(MeshResolution, AtTheVerticesIsToldAsTooSlow) {
  std::vector<Real> edges(999, 0.5);
  edges.push_back(8);
  const Mesh mesh = corners(edges);
  EXPECT_EQ(
      joined(resolution_warnings(steps(0.1), at_vertices(resting_problem(mesh, front_of_one_mm, 0)))),
      "the mesh is coarse for the front: 1 of 1000 elements, 80.4 % of the volume, make it more than 5 % too slow; "
      "the worst, element 999 at (2, 2, 2) mm with edges up to 11.3 mm where the front is 1 mm thick. Activation comes "
      "too late there: refine (edges of 2 mm make about 1.8 %) or give a larger diffusivity\n");
  edges.back() = 2.5;  // 3.8 %
  const Mesh finer = corners(edges);
  EXPECT_EQ(joined(resolution_warnings(steps(0.1), at_vertices(resting_problem(finer, front_of_one_mm, 0)))), "");
  const Mesh one = corners({1});
  EXPECT_EQ(describe(front_resolution(at_vertices(resting_problem(one, front_of_one_mm, 0)))),
            "about 0.76 % too slow on average, about 0.76 % in the worst element");
  EXPECT_EQ(describe(front_resolution(at_vertices(resting_problem(one, 1e-9, 0)))),
            "more than 60 % too slow on average, more than 60 % in the worst element");
}

TEST(MeshResolution, AtTheVerticesIsWarnedOfAsStoppingWithAHighThreshold) {
  const Mesh mesh = corners({1, 5});
  EXPECT_EQ(
      joined(resolution_warnings(steps(0.1), at_vertices(resting_problem(mesh, front_of_one_mm, 0, {.alpha = 0.3})))),
      "the mesh is coarse for the front: 1 of 2 elements, 99.2 % of the volume, make it more than 5 % too slow; "
      "the worst, element 1 at (1.25, 1.25, 1.25) mm with edges up to 7.07 mm where the front is 1 mm thick. "
      "Activation comes too late there, and in 1 of them a front may stop: refine (edges of 1 mm make about "
      "1.5 %) or give a larger diffusivity\n");
}

TEST(MeshResolution, AtBothKindsOfPointsIsNotGivenInDigitsWhereTheErrorsCancel) {
  std::vector<Real> edges(999, 1);
  edges.push_back(5);
  const Mesh mesh = corners(edges);
  Problem problem = resting_problem(mesh, front_of_one_mm, 0);
  problem.quadrature = Quadrature::vertices_and_centroid;
  EXPECT_EQ(describe(front_resolution(problem)),
            "less than 1 % off on average, about 7.6 % too fast in the worst element");
}

TEST(MeshResolution, IsOnePerCentForEdgesAsLongAsTheFrontIsThick) {
  // Edges 1, 1, 1, √2, √2, √2 mm: mean square 1.5
  const Mesh mesh = corners({1});
  const FrontResolution found = front_resolution(resting_problem(mesh, front_of_one_mm, 0));
  EXPECT_NEAR(found.worst_error, 0.015, 1e-12);
  EXPECT_NEAR(found.mean_error, 0.015, 1e-12);
  EXPECT_NEAR(found.worst_front_mm, 1, 1e-12);
  EXPECT_NEAR(found.worst_edge_mm, std::sqrt(2.0), 1e-12);
  EXPECT_EQ(found.worst_at, (Vector3{0.25, 0.25, 0.25}));
  EXPECT_EQ(found.coarse_elements, 0);
}

TEST(MeshResolution, OfAFewLongElementsIsNotHiddenBehindTheOthers) {
  std::vector<Real> edges(999, 0.5);
  edges.push_back(8);
  const Mesh mesh = corners(edges);
  const Problem problem = resting_problem(mesh, front_of_one_mm, 0);
  const FrontResolution found = front_resolution(problem);
  EXPECT_EQ(found.coarse_elements, 1);
  EXPECT_EQ(found.worst, 999u);
  EXPECT_NEAR(found.coarse_share, 512 / (512 + 999 * 0.125), 1e-12);
  EXPECT_EQ(
      joined(resolution_warnings(steps(0.1), problem)),
      "the mesh is coarse for the front: 1 of 1000 elements, 80.4 % of the volume, make it more than 10 % too fast; "
      "the worst, element 999 at (2, 2, 2) mm with edges up to 11.3 mm where the front is 1 mm thick, more than "
      "30 %. Activation comes too early there: refine (edges of 2 mm make about 4 %) or give a larger "
      "diffusivity\n");
  edges.back() = 2.5;  // 9.4 %
  const Mesh finer = corners(edges);
  EXPECT_EQ(joined(resolution_warnings(steps(0.1), resting_problem(finer, front_of_one_mm, 0))), "");
}

TEST(MeshResolution, IsThatOfTheDirectionInWhichTheFrontIsThinnest) {
  Mesh mesh = corners({1});
  mesh.fibers = {{0, 0, 1}};
  // Mean squares of the edges along each axis: 3 of 6 edges of 1 mm
  const FrontResolution across = front_resolution(resting_problem(mesh, front_of_one_mm / 4, 3 * front_of_one_mm / 4));
  EXPECT_NEAR(across.worst_error, 0.01 * 1.5 * 4, 1e-12);
  EXPECT_NEAR(across.worst_front_mm, 0.5, 1e-12);
  const FrontResolution along = front_resolution(resting_problem(mesh, front_of_one_mm, -0.75 * front_of_one_mm));
  EXPECT_NEAR(along.worst_error, 0.01 * 1.5 * 4, 1e-12);
  EXPECT_NEAR(along.worst_front_mm, 0.5, 1e-12);
}

TEST(MeshResolution, IsJudgedWithTheCellModelOfTheElement) {
  const Mesh mesh = corners({1, 1});
  Problem problem = resting_problem(mesh, front_of_one_mm, 0);
  add_kind(problem, {.c = 80});
  problem.cell_model = {0, 1};
  const FrontResolution found = front_resolution(problem);
  EXPECT_EQ(found.worst, 1u);
  EXPECT_NEAR(found.worst_error, 0.15, 1e-12);
  EXPECT_NEAR(found.mean_error, (0.15 + 0.015) / 2, 1e-12);
}

TEST(MeshResolution, AtTheVerticesIsToldAlongAndAcrossTheFibersOfALattice) {
  Mesh mesh = slab_mesh({10, 3, 3}, 1, true);
  mesh.fibers.assign(mesh.tetrahedra.size(), {1, 0, 0});
  const FrontResolution found =
      front_resolution(at_vertices(resting_problem(mesh, front_of_one_mm / 9, 8 * front_of_one_mm / 9)));
  const LatticeSpeeds lattice = lattice_of(AlievPanfilov{});
  EXPECT_TRUE(found.has_fibers && found.knows_across);
  EXPECT_NEAR(found.mean_along, lattice.error(1), 0.02 * std::abs(found.mean_along));
  EXPECT_NEAR(found.mean_across, lattice.error(3), 0.02 * std::abs(found.mean_across));
  EXPECT_EQ(found.mean_error, found.mean_across);
  EXPECT_EQ(describe(found),
            "about 0.84 % too slow along the fibers and about 4.6 % across them on average, about 4.8 % in the worst "
            "element");
}

TEST(MeshResolution, AtTheVerticesOfIrregularElementsIsToldAlongTheFibersAlone) {
  Mesh mesh = slab_mesh({10, 4, 4}, 1, false);
  mesh.fibers.assign(mesh.tetrahedra.size(), {1, 0, 0});
  const Problem problem = at_vertices(resting_problem(mesh, front_of_one_mm / 9, 8 * front_of_one_mm / 9));
  const FrontResolution found = front_resolution(problem);
  EXPECT_TRUE(found.has_fibers);
  EXPECT_FALSE(found.knows_across);
  EXPECT_EQ(found.mean_error, found.mean_along);
  EXPECT_NE(describe(found).find("too slow along the fibers on average"), std::string::npos) << describe(found);
  EXPECT_NE(describe(found).find("(across the fibers of irregular elements it is not known)"), std::string::npos);
  Problem centroids = problem;
  centroids.quadrature = Quadrature::centroid;
  EXPECT_TRUE(front_resolution(centroids).knows_across);
}

TEST(LatticeSpeeds, AreThoseOfTheProgramOnTheirCablesAndOrderedByTheirSpacing) {
  const LatticeSpeeds lattice = lattice_of(AlievPanfilov{});
  EXPECT_EQ(lattice.error(0), 0);
  for (Real spacing = 0.2; spacing < 40; spacing *= 1.3)
    EXPECT_LT(lattice.error(1.3 * spacing), lattice.error(spacing));
  // In the limit of short edges −(3 − 2r²)/120 a²/δ² with r = 1 − 2α: the term a²/12 D ∂⁴ of the lattice's diffusion
  const Real r = 1 - 2 * AlievPanfilov{}.alpha;
  EXPECT_NEAR(lattice.error(0.5) / (-(3 - 2 * r * r) / 120 * 0.25), 1, 0.1);
  EXPECT_FALSE(lattice.stops(40));
  EXPECT_TRUE(lattice.stops(64));
  EXPECT_EQ(LatticeSpeeds(AlievPanfilov{.alpha = 0.6}, AlievPanfilov{.alpha = 0.6}.front(), 4).error(1), -1);
}

TEST(LatticeSpeeds, ThatAreKnownAreNotComputedAgainUnlessALongerEdgeIsAskedFor) {
  const TissueCells cells = std::vector<AlievPanfilov>{{.alpha = 0.07}};
  const std::vector<Front> fronts{AlievPanfilov{.alpha = 0.07}.front()};
  const Real first = lattice_speeds(cells, fronts, {4}).front().error(3);
  EXPECT_EQ(lattice_speeds(cells, fronts, {2}).front().coarsest(), 4);
  EXPECT_EQ(lattice_speeds(cells, fronts, {5}).front().coarsest(), 8);
  EXPECT_EQ(lattice_speeds(cells, fronts, {4}).front().error(3), first);
}

TEST(MeshResolution, OfTissueThatHardlyConductsIsNotGivenInDigits) {
  const Mesh mesh = corners({1});
  EXPECT_EQ(describe(front_resolution(resting_problem(mesh, 1e-9, 0))),
            "more than 30 % too fast on average, more than 30 % in the worst element");
}

}  // namespace
}  // namespace cardiowarp
