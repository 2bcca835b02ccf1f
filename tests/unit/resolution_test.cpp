#include "app/advice/resolution.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "meshes/generate.hpp"
#include "tests/support/single_run.hpp"

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
  cells_of(problem).push_back({.c = 16});
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
  cells_of(problem).push_back({.c = 80});
  problem.cell_model = {0, 1};
  const FrontResolution found = front_resolution(problem);
  EXPECT_EQ(found.worst, 1u);
  EXPECT_NEAR(found.worst_error, 0.15, 1e-12);
  EXPECT_NEAR(found.mean_error, (0.15 + 0.015) / 2, 1e-12);
}

TEST(MeshResolution, OfTissueThatHardlyConductsIsNotGivenInDigits) {
  const Mesh mesh = corners({1});
  EXPECT_EQ(describe(front_resolution(resting_problem(mesh, 1e-9, 0))),
            "more than 30 % too fast on average, more than 30 % in the worst element");
}

}  // namespace
}  // namespace cardiowarp
