// Laplace's equation with prescribed values: exact for linear fields, of order 2 for another harmonic one, and the same
// as where a run with prescribed potentials comes to rest.

#include "app/simulation/laplace.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "app/simulation/read_at.hpp"
#include "fem/mesh_check.hpp"
#include "fem/tetrahedron.hpp"
#include "meshes/generate.hpp"
#include "tests/support/input_error_of.hpp"
#include "tests/support/random_mesh.hpp"
#include "tests/support/setup_meshes.hpp"

namespace cardiowarp {
namespace {

PrescribedValues at(const Mesh& mesh, const std::vector<std::string>& words) {
  std::vector<PrescribedPlace> places;
  for (const std::string& word : words) places.push_back(read_at(mesh, word));
  return prescribed_values(mesh, places, "");
}

/// The values of `u` at the nodes of all named surfaces.
template <class Field>
PrescribedValues on_the_surfaces(const Mesh& mesh, const Field& u) {
  PrescribedValues values;
  std::vector<bool> on_surface(mesh.nodes.size(), false);
  for (const Triangle& triangle : mesh.triangles)
    for (const Index node : triangle) on_surface[node] = true;
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i) {
    if (!on_surface[i]) continue;
    values.node.push_back(static_cast<Index>(i));
    values.value.push_back(u(mesh.nodes[i]));
  }
  return values;
}

template <class Field>
Real largest_error(const Mesh& mesh, const LaplaceField& found, const Field& u) {
  Real largest = 0;
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i)
    largest = std::max(largest, std::fabs(found.value[i] - u(mesh.nodes[i])));
  return largest;
}

/// √(∫ (u_h − u)² / V), with a quarter of each tetrahedron at each of its corners.
template <class Field>
Real mean_error(const Mesh& mesh, const LaplaceField& found, const Field& u) {
  Real square = 0, volume = 0;
  for (const Tetrahedron& corners : mesh.tetrahedra) {
    const Real quarter = tetrahedron_geometry(mesh.nodes, corners).volume / 4;
    for (const Index node : corners) {
      const Real error = found.value[node] - u(mesh.nodes[node]);
      square += quarter * error * error;
      volume += quarter;
    }
  }
  return std::sqrt(square / volume);
}

TEST(Laplace, IsExactBetweenTwoSidesOfABoxWhateverItsElements) {
  for (const unsigned seed : {1u, 2u, 3u}) {
    const Mesh mesh = random_mesh({6, 4, 3}, 0.5, seed);
    const LaplaceField found = solve_laplace_on_cpu(mesh, at(mesh, {"x0=-80", "x1=40"}));
    EXPECT_EQ(found.status, CgStatus::converged);
    EXPECT_LE(found.residual, 1e-12);
    EXPECT_GT(found.iterations, 10);
    EXPECT_LT(largest_error(mesh, found, [](Vector3 p) { return -80 + 20 * p.x; }), 1e-9);
    for (const Vector3& slope : gradients(mesh, found.value)) EXPECT_LT(norm(slope - Vector3{20, 0, 0}), 1e-8);
  }
}

/// A quadratic box with curved edges inside.
Mesh curved_box(Real edge_mm) {
  Mesh mesh = quadratic_mesh(slab_mesh({2, 1, 1}, edge_mm, true));
  for (Vector3& p : mesh.nodes) {
    const Real inside = p.x * (2 - p.x) * p.y * (1 - p.y) * p.z * (1 - p.z);
    p = p + inside * Vector3{0.2, -0.3, 0.25};
  }
  check_mesh(mesh);
  return mesh;
}

/// With the nodes on the edges of triangles, which on_the_surfaces() leaves out.
template <class Field>
PrescribedValues on_the_sides(const Mesh& mesh, const Field& u) {
  PrescribedValues values;
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i) {
    const Vector3 p = mesh.nodes[i];
    const auto ends = [](Real x, Real end) { return x < 1e-9 || x > end - 1e-9; };
    if (!ends(p.x, 2) && !ends(p.y, 1) && !ends(p.z, 1)) continue;
    values.node.push_back(static_cast<Index>(i));
    values.value.push_back(u(p));
  }
  return values;
}

TEST(LaplaceOnQuadraticTetrahedra, IsExactForFieldsOfDegreeTwoWhereEdgesAreStraight) {
  const Mesh mesh = quadratic_mesh(random_mesh({2, 1, 1}, 0.4, 5));
  const auto u = [](Vector3 p) { return 3 + p.x - 2 * p.y + p.x * p.x - p.y * p.y + 0.5 * p.x * p.z; };
  const LaplaceField found = solve_laplace_on_cpu(mesh, on_the_sides(mesh, u));
  EXPECT_EQ(found.status, CgStatus::converged);
  EXPECT_LT(largest_error(mesh, found, u), 1e-10);
  // The gradient is linear: its mean is that at the centroid.
  const std::vector<Vector3> slopes = gradients(mesh, found.value);
  for (std::size_t e = 0; e < slopes.size(); ++e) {
    Vector3 p;
    for (const Index node : mesh.tetrahedra[e]) p = p + 0.25 * mesh.nodes[node];
    EXPECT_LT(norm(slopes[e] - Vector3{1 + 2 * p.x + 0.5 * p.z, -2 - 2 * p.y, 0.5 * p.x}), 1e-9);
  }
}

TEST(LaplaceOnQuadraticTetrahedra, IsExactForLinearFieldsWhereEdgesAreCurved) {
  const Mesh mesh = curved_box(0.5);
  const LaplaceField found = solve_laplace_on_cpu(mesh, at(mesh, {"x0=-80", "x1=40"}));
  EXPECT_LT(largest_error(mesh, found, [](Vector3 p) { return -80 + 60 * p.x; }), 1e-9);
  for (const Vector3& slope : gradients(mesh, found.value)) EXPECT_LT(norm(slope - Vector3{60, 0, 0}), 1e-8);
}

TEST(LaplaceOnQuadraticTetrahedra, HasOrderThreeForAnotherHarmonicField) {
  const auto u = [](Vector3 p) { return std::exp(2 * p.x) * std::sin(2 * p.y) + p.z; };
  std::vector<Real> errors;
  for (const Real edge_mm : {0.25, 0.125}) {
    const Mesh mesh = curved_box(edge_mm);
    errors.push_back(largest_error(mesh, solve_laplace_on_cpu(mesh, on_the_sides(mesh, u)), u));
  }
  EXPECT_GT(std::log2(errors[0] / errors[1]), 2.6) << errors[0] << " " << errors[1];
}

TEST(Laplace, IsExactForAnyLinearFieldInAHeart) {
  Mesh mesh = biventricle_mesh(8);
  check_mesh(mesh);
  const auto linear = [](Vector3 p) { return 3 - 0.7 * p.x + 0.2 * p.y + 1.1 * p.z; };
  const LaplaceField found = solve_laplace_on_cpu(mesh, on_the_surfaces(mesh, linear));
  EXPECT_LT(largest_error(mesh, found, linear), 1e-9);
}

/// The mean errors on a mesh and on it refined, each tetrahedron into eight, `levels` times; the order is 2. Largest
/// errors fall a little slower, as h² log(1/h), and are printed.
template <class Field, class Prescribe>
void expect_order_two(const Mesh& coarsest, int levels, const Field& u, const Prescribe& prescribed, const char* name) {
  std::vector<Real> errors;
  for (int level = 0; level <= levels; ++level) {
    const Mesh mesh = refine_mesh(coarsest, level);
    const LaplaceField found = solve_laplace_on_cpu(mesh, prescribed(mesh));
    errors.push_back(mean_error(mesh, found, u));
    const Real order = level == 0 ? NAN : std::log2(errors[level - 1] / errors[level]);
    std::printf(
        "RESULT laplace %s nodes=%zu iterations=%d residual=%.1e largest_error=%.3e mean_error=%.3e order=%.2f\n", name,
        mesh.nodes.size(), found.iterations, found.residual, largest_error(mesh, found, u), errors.back(), order);
    if (level < levels) continue;  // coarser meshes are still on their way there
    EXPECT_GT(order, 1.8) << name;
    EXPECT_LT(order, 2.2) << name;
  }
}

TEST(Laplace, IsOfOrderTwoForAHarmonicField) {
  const auto harmonic = [](Vector3 p) {
    return std::exp(0.8 * p.x) * std::sin(0.48 * p.y + 0.3) * std::cos(0.64 * p.z);
  };
  expect_order_two(
      random_mesh({2, 2, 2}, 0.5, 7), 3, harmonic, [&](const Mesh& mesh) { return on_the_surfaces(mesh, harmonic); },
      "all_sides");
}

/// cos(πx/L) cosh(πz/L) has no flux through five sides of a box of length L.
TEST(Laplace, LetsNothingThroughWhereNothingIsPrescribed) {
  constexpr Real pi = 3.14159265358979323846;
  const auto harmonic = [](Vector3 p) { return std::cos(pi * p.x / 2) * std::cosh(pi * p.z / 2); };
  const auto on_top = [&](const Mesh& mesh) {
    PrescribedValues top;
    for (std::size_t i = 0; i < mesh.nodes.size(); ++i) {
      if (mesh.nodes[i].z < 1 - 1e-9) continue;
      top.node.push_back(static_cast<Index>(i));
      top.value.push_back(harmonic(mesh.nodes[i]));
    }
    return top;
  };
  expect_order_two(random_mesh({2, 1, 1}, 0.25, 8), 3, harmonic, on_top, "one_side");
}

TEST(Laplace, StaysBetweenTheValuesOfOneAndTheSameOrTwo) {
  const Mesh mesh = slab_mesh({3, 2, 1}, 0.5, true);
  const LaplaceField same = solve_laplace_on_cpu(mesh, at(mesh, {"z0=7"}));
  EXPECT_LT(largest_error(mesh, same, [](Vector3) { return 7; }), 1e-9);
  const LaplaceField zero = solve_laplace_on_cpu(mesh, at(mesh, {"z0=0"}));
  EXPECT_EQ(zero.iterations, 0);
  EXPECT_EQ(largest_error(mesh, zero, [](Vector3) { return 0; }), 0);
}

TEST(Laplace, IsTheSameForValuesOfAnySizeButForTheirScale) {
  const Mesh mesh = random_mesh({5, 3, 2}, 0.5, 12);
  const auto field = [&](Real scale) {
    PrescribedValues values = at(mesh, {"x0=-1", "x1=2"});
    for (Real& value : values.value) value *= scale;
    return solve_laplace_on_cpu(mesh, values);
  };
  const LaplaceField near_one = field(1);
  ASSERT_EQ(near_one.status, CgStatus::converged);
  for (const int exponent : {-1022, -700, -530, -505, -20, 20, 505, 530, 700, 1022}) {
    const Real scale = std::ldexp(1.0, exponent);
    const LaplaceField scaled = field(scale);
    EXPECT_EQ(scaled.status, CgStatus::converged);
    EXPECT_EQ(scaled.residual, near_one.residual);
    for (std::size_t i = 0; i < mesh.nodes.size(); ++i)
      ASSERT_NEAR(scaled.value[i] / scale, near_one.value[i], 1e-15) << "2^" << exponent;
  }
}

TEST(Laplace, NeedsAValueInEachConnectedPart) {
  const Mesh mesh = test::side_by_side(slab_mesh({1, 1, 1}, 0.5, true), slab_mesh({2, 1, 1}, 0.5, true));
  const std::string message = test::input_error_of(
      [&] { solve_laplace_on_cpu(mesh, at(mesh, {"{box: {min: [0, 0, 0], max: [0, 1, 1]}}=1"})); });
  EXPECT_NE(message.find("--at: expected a prescribed value in each connected part of the mesh"), std::string::npos);
  EXPECT_NE(message.find("none in part 1 of 2, 45 nodes around (101, 0.5, 0.5) mm"), std::string::npos) << message;
}

TEST(Laplace, IsWhereAPassiveSlabComesToRest) {
  // The cells pull φ back to rest: ∇·D∇φ = k φ, which is Laplace's equation where k is next to nothing.
  const Mesh mesh = random_mesh({3, 2, 2}, 0.5, 9);
  Problem problem;
  problem.mesh = borrowed(mesh);
  problem.cell_models = std::vector{AlievPanfilov{.alpha = 1e-12, .gamma = 0, .c = 1e-12}};
  problem.cell_model.assign(mesh.tetrahedra.size(), 0);
  problem.diffusivity.assign(mesh.tetrahedra.size(), {1, 0, {}});
  problem.phi.assign(mesh.nodes.size(), 0);
  problem.states.assign(mesh.tetrahedra.size(), 0);
  problem.linear_solver = {1e-12, 5000};
  problem.newton = {1e-12, 30};
  set_boundary(at(mesh, {"x0=-80", "x1=20"}), problem);
  const auto simulation = make_cpu_simulation(problem);
  for (int step = 1; step <= 20; ++step) ASSERT_FALSE(simulation->step_to(400. * step).failure);
  std::vector<Real> potential_mv(mesh.nodes.size());
  simulation->potential_mv(potential_mv);
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i)
    ASSERT_NEAR(potential_mv[i], -80 + mesh.nodes[i].x * 100 / 3, 1e-5);
}

}  // namespace
}  // namespace cardiowarp
