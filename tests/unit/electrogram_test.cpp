// The potential at points in the tissue: integrals of 1/r in closed form, plane fronts against the solid angle from
// which they are seen, and the columns that two points make.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "app/config/ecg_config.hpp"
#include "app/output/ecg_leads.hpp"
#include "app/output/ecg_picture.hpp"
#include "app/simulation/ecg.hpp"
#include "fem/diffusivity.hpp"
#include "fem/inverse_distance.hpp"
#include "fem/lead_field.hpp"
#include "fem/mesh.hpp"
#include "meshes/generate.hpp"
#include "tests/support/configuration.hpp"
#include "tests/support/input_error_of.hpp"
#include "tests/support/random_mesh.hpp"
#include "tests/support/text_file.hpp"

namespace cardiowarp {
namespace {

constexpr Real pi = std::numbers::pi_v<Real>;

Real product(const std::vector<Real>& lead, const std::vector<Real>& potential) {
  Real sum = 0;
  for (std::size_t i = 0; i < lead.size(); ++i) sum += lead[i] * potential[i];
  return sum;
}

/// ∫ 1/r over the rectangle [0, a] × [0, b] at height 0, by two triangles.
Real over_rectangle(Real a, Real b, Vector3 x) {
  const Vector3 corner[4]{{0, 0, 0}, {a, 0, 0}, {a, b, 0}, {0, b, 0}};
  return inverse_distance_over({corner[0], corner[1], corner[2]}, x) +
         inverse_distance_over({corner[2], corner[0], corner[3]}, x);
}

TEST(InverseDistance, OverASquareIsKnownAtItsMiddleItsEdgesAndItsCorners) {
  const Real of_corner = 2 * std::asinh(1.0), of_edge = std::asinh(2.0) + 2 * std::asinh(0.5);
  EXPECT_NEAR(over_rectangle(1, 1, {0.5, 0.5, 0}), 4 * std::asinh(1.0), 1e-14);
  EXPECT_NEAR(over_rectangle(1, 1, {1, 0, 0}), of_corner, 1e-14);
  EXPECT_NEAR(over_rectangle(1, 1, {0, 0.5, 0}), of_edge, 1e-14);
  EXPECT_NEAR(over_rectangle(1, 1, {0.5, 1 + 1e-13, 1e-13}), of_edge, 1e-11) << "nearly at an edge";
}

TEST(InverseDistance, OverARectangleAboveItsCornerIsThatOfTheTextbooks) {
  // ∫∫ dx dy / √(x² + y² + h²) = a asinh(b/√(a² + h²)) + b asinh(a/√(b² + h²)) − h atan(a b / (h √(a² + b² + h²)))
  constexpr Real a = 0.7, b = 1.9;
  for (const Real h : {0.03, 0.4, 5.0}) {
    const Real expected = a * std::asinh(b / std::hypot(a, h)) + b * std::asinh(a / std::hypot(b, h)) -
                          h * std::atan(a * b / (h * std::sqrt(a * a + b * b + h * h)));
    EXPECT_NEAR(over_rectangle(a, b, {0, 0, h}), expected, 1e-14) << h;
    EXPECT_NEAR(over_rectangle(a, b, {a, b, -h}), expected, 1e-14) << h;
  }
}

/// ∫ 1/r over a tetrahedron: half the sum over the faces of their distance from x times their ∫ 1/r, as
/// ∇·((y − x)/r) = 2/r.
Real over_tetrahedron(const std::array<Vector3, 4>& corners, Vector3 x) {
  Real sum = 0;
  for (std::size_t k = 0; k < 4; ++k) {
    const Vector3 a = corners[(k + 1) % 4], b = corners[(k + 2) % 4], c = corners[(k + 3) % 4];
    Vector3 normal = cross(b - a, c - a);
    if (dot(normal, corners[k] - a) > 0) normal = -1 * normal;
    sum += 0.5 * dot(a - x, normal) / norm(normal) * inverse_distance_over({a, b, c}, x);
  }
  return sum;
}

TEST(InverseDistance, HasTheGradientOverATetrahedronOfItsIntegralWhereverThePointIs) {
  const std::array<Vector3, 4> corners{{{0, 0, 0}, {1.1, 0.2, -0.1}, {0.3, 0.9, 0.2}, {0.2, -0.1, 1.3}}};
  const Vector3 middle = 0.25 * (corners[0] + corners[1] + corners[2] + corners[3]);
  constexpr Real step = 1e-4;
  for (const Vector3 x : {middle, Vector3{0.1, 0.1, 0.1}, Vector3{3, -2, 1}, 0.5 * (corners[0] + corners[1]),
                          corners[2], (Real(1) / 3) * (corners[0] + corners[1] + corners[2])}) {
    const Vector3 gradient = inverse_distance_gradient_over(corners, x);
    const auto slope = [&](Vector3 along) {  // the integral's by x, which is that of −∇ by y
      return (over_tetrahedron(corners, x - step * along) - over_tetrahedron(corners, x + step * along)) / (2 * step);
    };
    EXPECT_NEAR(gradient.x, slope({1, 0, 0}), 1e-3) << x.x << ' ' << x.y << ' ' << x.z;
    EXPECT_NEAR(gradient.y, slope({0, 1, 0}), 1e-3) << x.x << ' ' << x.y << ' ' << x.z;
    EXPECT_NEAR(gradient.z, slope({0, 0, 1}), 1e-3) << x.x << ' ' << x.y << ' ' << x.z;
  }
  const Vector3 far{70, -90, 40}, away = middle - far;
  const Real distance = norm(away), volume = dot(corners[1], cross(corners[2], corners[3])) / 6;
  const Vector3 of_point = (-volume / (distance * distance * distance)) * away;
  EXPECT_LT(norm(inverse_distance_gradient_over(corners, far) - of_point), 1e-3 * norm(of_point));
}

/// A bar along z in which a plane front goes upwards: V falls from 100 mV to 0 around z = 6 mm.
struct FrontInABar {
  static constexpr Real width = 5, depth = 3.5, height = 12, begin = 6, half_width = 0.8, sigma_i = 0.3, sigma_b = 0.7;

  static Real potential(Real z) { return 50 * (1 - std::tanh((z - begin) / half_width)); }
  static Real slope(Real z) { return -50 / half_width / std::pow(std::cosh((z - begin) / half_width), 2); }

  /// The share of all directions in which a point sees the cross section at a distance, negative behind it.
  static Real share(Vector3 at, Real distance) {
    Real angle = 0;
    for (const Real a : {at.x, width - at.x})
      for (const Real b : {at.y, depth - at.y})
        angle += std::atan(a * b / (std::fabs(distance) * std::sqrt(a * a + b * b + distance * distance)));
    return std::copysign(angle, distance) / (4 * pi);
  }
  /// σ_i/σ_b ∫ −V'(z) Ω(z)/4π dz by the midpoint rule, each half from where the point is.
  static Real exact(Vector3 at) {
    constexpr int points = 20'000;
    Real sum = 0;
    for (const auto& [from, to] : {std::pair<Real, Real>{0, at.z}, {at.z, height}})
      for (int k = 0; k < points; ++k) {
        const Real z = from + (to - from) * (k + 0.5) / points;
        sum -= (to - from) / points * slope(z) * share(at, at.z - z);
      }
    return sigma_i / sigma_b * sum;
  }

  static Real computed(const Mesh& mesh, Vector3 at) {
    const std::vector<Diffusivity> conductivity(mesh.tetrahedra.size(), {sigma_i, 0, {}});
    std::vector<Real> values;
    for (const Vector3& p : mesh.nodes) values.push_back(potential(p.z));
    return product(lead_vector(mesh, conductivity, at, 1 / (4 * pi * sigma_b)), values);
  }
};

const std::vector<Vector3> places_in_the_bar{{1.37, 2.21, 5.73}, {2.5, 1.75, 6}, {5, 1, 7}, {0, 0, 4.5}, {2, 3, 8.3}};

TEST(Electrogram, OfAPlaneFrontConvergesToTheSolidAngleWithTheSquareOfTheEdges) {
  std::vector<Real> worst;
  for (const Real edge : {1.0, 0.5, 0.25}) {
    const Mesh mesh = slab_mesh({FrontInABar::width, FrontInABar::depth, FrontInABar::height}, edge, true);
    worst.push_back(0);
    for (const Vector3& at : places_in_the_bar)
      worst.back() = std::max(worst.back(), std::fabs(FrontInABar::computed(mesh, at) - FrontInABar::exact(at)));
  }
  EXPECT_GT(FrontInABar::exact({2, 3, 8.3}), 1) << "positive before the front";
  EXPECT_LT(FrontInABar::exact({0, 0, 4.5}), -0.5) << "negative behind it";
  EXPECT_LT(worst[2], 0.1);
  EXPECT_GT(worst[0] / worst[1], 2.8) << worst[0] << ' ' << worst[1];
  EXPECT_GT(worst[1] / worst[2], 3.4) << worst[1] << ' ' << worst[2];
}

TEST(Electrogram, OfQuadraticElementsIsNearerToTheSolidAngleThanThatOfLinearOnesWithAsManyNodes) {
  const Mesh linear = slab_mesh({FrontInABar::width, FrontInABar::depth, FrontInABar::height}, 0.5, true);
  const Mesh quadratic =
      quadratic_mesh(slab_mesh({FrontInABar::width, FrontInABar::depth, FrontInABar::height}, 1, true));
  for (const Vector3& at : places_in_the_bar) {
    const Real exact = FrontInABar::exact(at);
    EXPECT_LT(std::fabs(FrontInABar::computed(quadratic, at) - exact), 0.15) << at.z;
  }
  const auto error_of = [&](const Mesh& mesh) {
    Real sum = 0;
    for (const Vector3& at : places_in_the_bar)
      sum += std::fabs(FrontInABar::computed(mesh, at) - FrontInABar::exact(at));
    return sum;
  };
  EXPECT_LT(error_of(quadratic), error_of(linear));
}

TEST(Electrogram, OfAPotentialThatIsLinearInEachElementIsTheSameOfLinearAndQuadraticElements) {
  const Mesh linear = random_mesh({2, 1, 1}, 0.5, 5);
  const Mesh quadratic = quadratic_mesh(linear);
  const auto electrogram = [](const Mesh& mesh, Vector3 at) {
    const std::vector<Diffusivity> conductivity(mesh.tetrahedra.size(), {1, 2, {0, 0.6, 0.8}});
    std::vector<Real> values;
    for (const Vector3& p : mesh.nodes) values.push_back(3 * p.x - 2 * p.y + p.z);
    return product(lead_vector(mesh, conductivity, at, 1), values);
  };
  for (const Vector3 at : {Vector3{1, 0.4, 0.3}, linear.nodes[7], Vector3{0.3, 0, 0}, Vector3{2.1, 0.5, 0.5}}) {
    const Real expected = electrogram(linear, at);
    EXPECT_GT(std::fabs(expected), 0.1);
    EXPECT_NEAR(electrogram(quadratic, at), expected, 2e-5 * std::fabs(expected)) << at.x;
  }
}

TEST(Electrogram, OfTwoPointsVanishesWhereTheFrontIsParallelToThem) {
  const Mesh mesh = slab_mesh({5, 3.5, 12}, 0.25, true);  // the front is linear between its layers of nodes
  const Vector3 middle{2.5, 1.75, 6.37};
  const auto difference = [&](Vector3 half) {
    return FrontInABar::computed(mesh, middle + half) - FrontInABar::computed(mesh, middle - half);
  };
  const Real along = difference({0, 0, 1});
  EXPECT_GT(std::fabs(along), 5) << along;
  EXPECT_LT(std::fabs(difference({1, 0, 0})), 1e-10);
  EXPECT_LT(std::fabs(difference({0, 0.8, 0})), 1e-10);
  EXPECT_NEAR(along, FrontInABar::exact(middle + Vector3{0, 0, 1}) - FrontInABar::exact(middle - Vector3{0, 0, 1}),
              0.3);
}

TEST(EcgLeads, HaveDifferencesOfTwoPointsBehindTheElectrodes) {
  const EcgLeads leads({"tip", "ring"}, {{"near", {0, 1}}, {"catheter", {3, 2}}});
  EXPECT_EQ(leads.names(), (std::vector<std::string>{"tip", "ring", "near", "catheter"}));
  const std::vector<Real> values = leads.values(std::vector<Real>{7, 2, -1, 4});
  EXPECT_EQ(values, (std::vector<Real>{7, 2, 5, 5}));
  EXPECT_EQ(leads.made_of({false, false, true, false}), (std::vector<bool>{false, false, false, true}));
}

TEST(EcgPicture, HasAxesOfTheirOwnForElectrogramsInTheTissue) {
  const std::string table = "time_ms,I,tip\n0,0,0\n1,1,80\n";
  const std::string together = ecg_picture(table);
  EXPECT_NE(together.find(">20</text>"), std::string::npos) << together;
  EXPECT_EQ(together.find(">0.5</text>"), std::string::npos);
  const std::string apart = ecg_picture(table, {false, true});
  EXPECT_NE(apart.find(">20</text>"), std::string::npos);
  EXPECT_NE(apart.find(">0.5</text>"), std::string::npos);
}

class Bipolar : public test::Configuration {
 protected:
  std::string refused(const std::string& pair) const {
    const std::string message =
        error(test::minimal +
              "output: {ecg: {electrodes: [{name: tip, point: [1, 2, 3]}, {name: ring, point: [1, 2, 5]}],"
              " bipolar: [" +
              pair + "]}}\n");
    return message.substr(std::min(message.find("output."), message.size()));
  }
};

TEST_F(Bipolar, PairsAreElectrodesByNameOrTheEndsOfACatheter) {
  const Config config = load(test::minimal +
                             "output:\n"
                             "  ecg:\n"
                             "    electrodes: [{name: tip, point: [1, 2, 3]}, {name: ring, point: [1, 2, 5]}]\n"
                             "    bipolar:\n"
                             "      - {name: distal, electrodes: [ring, tip]}\n"
                             "      - {name: cs, point: [4, 5 cm, 6], direction: [0, 0, 3], spacing: 2 mm}\n");
  const EcgPoints points = points_of(*config.output.ecg);
  ASSERT_EQ(points.points.size(), 4);
  EXPECT_EQ(points.pairs, (std::vector<std::array<std::size_t, 2>>{{1, 0}, {2, 3}}));
  EXPECT_EQ(points.points[2].point, (Vector3{4, 50, 7}));
  EXPECT_EQ(points.points[3].point, (Vector3{4, 50, 5}));
  const std::string resolved = resolved_yaml(config);
  EXPECT_NE(resolved.find("    bipolar:\n"
                          "      - {name: \"distal\", electrodes: [\"ring\", \"tip\"]}\n"
                          "      - {name: \"cs\", point: [4, 50, 6], direction: [0, 0, 3], spacing: 2}\n"),
            std::string::npos)
      << resolved;
  EXPECT_EQ(EcgLeads(*config.output.ecg).names(), (std::vector<std::string>{"tip", "ring", "distal", "cs"}));
}

TEST_F(Bipolar, PairsThatAreNoneAreRefused) {
  EXPECT_EQ(refused("{name: a, electrodes: [tip, rng]}"),
            "output.ecg.bipolar[0].electrodes[1]: expected one of tip, ring, got 'rng'; did you mean 'ring'?");
  EXPECT_EQ(refused("{name: a, electrodes: [tip]}"),
            "output.ecg.bipolar[0].electrodes: expected the names of two electrodes, [first, second], got 1 of them");
  EXPECT_EQ(refused("{name: a, electrodes: [tip, tip]}"),
            "output.ecg.bipolar[0].electrodes: expected the names of two different electrodes, got 'tip' twice");
  EXPECT_EQ(refused("{name: tip, electrodes: [tip, ring]}"),
            "output.ecg.bipolar[0].name: expected a name that is not yet taken, got 'tip'");
  EXPECT_EQ(refused("{name: a, electrodes: [tip, ring], spacing: 2}"),
            "output.ecg.bipolar[0].spacing: expected none beside electrodes, got one");
  EXPECT_EQ(refused("{name: a, point: [0, 0, 0], direction: [0, 0, 0], spacing: 2}"),
            "output.ecg.bipolar[0].direction: expected a direction other than zero, got [0, 0, 0]");
  EXPECT_EQ(refused("{name: a, point: [0, 0, 0], direction: [0, 0, 1], spacing: 0}"),
            "output.ecg.bipolar[0].spacing: expected a positive length (mm, cm, m, um), got '0'");
}

TEST_F(Bipolar, ElectrodesInTheTissueAreRefusedOnlyAsThoseOfTheTwelveLeads) {
  const Mesh mesh = slab_mesh({4, 3, 2}, 1, true);
  const auto config = [&](const std::string& name) {
    return load(test::minimal + "output: {ecg: {electrodes: [{name: " + name + ", point: [2, 1, 1]}]}}\n");
  };
  EXPECT_EQ(ecg_of(config("tip"), mesh, 1).electrodes.size(), 1);
  const std::string message = test::input_error_of([&] { ecg_of(config("V3"), mesh, 1); });
  EXPECT_NE(message.find("electrode 'V3': expected a point that is farther from every node"), std::string::npos)
      << message;
}

}  // namespace
}  // namespace cardiowarp
