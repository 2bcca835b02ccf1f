// Fibers by rule in a left ventricle whose fields are known: they converge to the exact ones under refinement.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "app/anatomy/rule_fibers.hpp"
#include "fem/mesh_check.hpp"
#include "tests/support/spheroid.hpp"

namespace cardiowarp {
namespace {

struct Errors {
  Real mean = 0, largest = 0;
};

/// Between the fibers of the rule and the exact ones in the middle of each element, in degrees.
Errors errors_of(Index n, bool finds_surfaces) {
  const test::Spheroid heart;
  Mesh mesh = heart.mesh(n);
  if (finds_surfaces) mesh.surface_names.erase("base");
  const MeshReport report = check_mesh(mesh);
  EXPECT_EQ(report.inverted_elements, 0);
  const RuleFibers made = rule_fibers(mesh, {}, "test");
  Errors errors;
  for (std::size_t e = 0; e < made.axes.size(); ++e) {
    const auto [depth, axes] = heart.place(test::centroid(mesh, e));
    const Axes exact = oriented(axes, (60 - 120 * depth) * std::numbers::pi / 180, 0);
    const Real error = test::angle_between(made.axes[e].fiber, exact.fiber);
    errors.mean += error / static_cast<Real>(made.axes.size());
    errors.largest = std::max(errors.largest, error);
  }
  return errors;
}

TEST(SpheroidFibers, ConvergeToTheExactOnesUnderRefinement) {
  const Errors coarse = errors_of(2, false), middle = errors_of(4, false), fine = errors_of(8, false);
  RecordProperty("mean_degrees", std::to_string(fine.mean));
  EXPECT_LT(coarse.mean, 6);
  EXPECT_GT(coarse.mean / middle.mean, 1.8);
  EXPECT_GT(middle.mean / fine.mean, 1.8);
  EXPECT_LT(fine.largest, 4);
}

TEST(SpheroidFibers, AreTheSameWithTheRestOfTheBoundaryAsBase) {
  EXPECT_NEAR(errors_of(3, true).mean, errors_of(3, false).mean, 1e-6);
}

}  // namespace
}  // namespace cardiowarp
