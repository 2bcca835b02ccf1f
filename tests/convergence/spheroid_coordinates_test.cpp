// Coordinates in a left ventricle for which they are known: they converge to the exact ones under refinement.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <vector>

#include "app/anatomy/mesh_coordinates.hpp"
#include "fem/mesh_check.hpp"
#include "tests/support/spheroid.hpp"

namespace cardiowarp {
namespace {

/// The exact apicobasal coordinate by ν: the area of the surfaces of equal ν over the flux through them is
/// ∫ sqrt(sinh²μ + sin²ν) sinh μ dμ dν, but for a factor.
class HeightByNu {
 public:
  explicit HeightByNu(const test::Spheroid& heart) : heart_(heart), sum_(steps + 1, 0) {
    for (int i = 0; i < steps; ++i) sum_[i + 1] = sum_[i] + across(nu((i + Real(0.5)) / steps));
    for (Real& value : sum_) value /= sum_[steps];
  }

  Real operator()(Real at) const {
    const Real place = std::clamp<Real>((at - heart_.apex) / (heart_.base - heart_.apex), 0, 1) * steps;
    const int i = std::min(static_cast<int>(place), steps - 1);
    return sum_[i] + (place - i) * (sum_[i + 1] - sum_[i]);
  }

 private:
  static constexpr int steps = 2000;

  Real nu(Real share) const { return heart_.apex + share * (heart_.base - heart_.apex); }
  Real across(Real nu) const {
    Real sum = 0;
    for (int k = 0; k < 200; ++k) {
      const Real mu = heart_.inside + (heart_.outside - heart_.inside) * (k + Real(0.5)) / 200;
      sum += std::hypot(std::sinh(mu), std::sin(nu)) * std::sinh(mu);
    }
    return sum;
  }

  test::Spheroid heart_;
  std::vector<Real> sum_;
};

struct Errors {
  Real transmural = 0, apicobasal = 0, rotational = 0;  ///< root of the mean square over the nodes
};

Errors errors_of(Index n) {
  const test::Spheroid heart;
  Mesh mesh = heart.mesh(n);
  check_mesh(mesh);
  HeartSurfaces surfaces = surfaces_of_heart(mesh, {.place = "test"});
  const HeartFields fields = solve_heart_fields(mesh, surfaces, "test");
  const HeartCoordinates made = mesh_coordinates(mesh, surfaces, fields, {}, "test").coordinates;
  const HeightByNu height(heart);
  Errors errors;
  for (std::size_t node = 0; node < mesh.nodes.size(); ++node) {
    const Vector3 p = mesh.nodes[node];
    const Real r = std::hypot(p.x, p.y), below = std::hypot(r, p.z + heart.focus_mm),
               above = std::hypot(r, p.z - heart.focus_mm);
    const HeartPlace& place = made.nodes[node];
    EXPECT_EQ(place.part, HeartPart::left_wall);
    errors.transmural += std::pow(place.transmural - heart.place(p).depth, 2);
    errors.apicobasal += std::pow(place.apicobasal - height(std::acos((above - below) / (2 * heart.focus_mm))), 2);
    const Real turn = std::remainder(place.rotational - std::atan2(p.y, p.x), 2 * std::numbers::pi);
    errors.rotational += std::pow(turn, 2);
  }
  for (Real* error : {&errors.transmural, &errors.apicobasal, &errors.rotational})
    *error = std::sqrt(*error / static_cast<Real>(mesh.nodes.size()));
  return errors;
}

TEST(SpheroidCoordinates, ConvergeToTheExactOnesUnderRefinement) {
  const Errors coarse = errors_of(2), middle = errors_of(4), fine = errors_of(8);
  std::printf("transmural %.2e %.2e %.2e, apicobasal %.2e %.2e %.2e, rotational %.2e %.2e %.2e\n", coarse.transmural,
              middle.transmural, fine.transmural, coarse.apicobasal, middle.apicobasal, fine.apicobasal,
              coarse.rotational, middle.rotational, fine.rotational);
  EXPECT_GT(coarse.transmural / middle.transmural, 3);
  EXPECT_GT(middle.transmural / fine.transmural, 3);
  EXPECT_LT(fine.transmural, 1e-3);
  EXPECT_GT(coarse.apicobasal / middle.apicobasal, 3);
  EXPECT_GT(middle.apicobasal / fine.apicobasal, 3);
  EXPECT_LT(fine.apicobasal, 2e-3);
  for (const Errors& errors : {coarse, middle, fine}) EXPECT_LT(errors.rotational, 1e-9);
}

}  // namespace
}  // namespace cardiowarp
