// The answer must not depend on how the mesh is written down: with tight tolerances, the same to 1e-8 mV.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "tests/support/random_mesh.hpp"
#include "tests/support/single_run.hpp"

namespace cardiowarp {
namespace {

constexpr unsigned seed = 11;

struct Result {
  std::vector<Real> potential_mv, recovery;
};

/// 20 ms of a front started in the corner nearest to `corner`; long enough to cross a good part of the mesh.
Result run_front(const Mesh& mesh, Vector3 corner, Real anisotropic_mm2_per_ms = 0.3) {
  Problem problem = resting_problem(mesh, 0.1, anisotropic_mm2_per_ms);
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i)
    if (norm(mesh.nodes[i] - corner) < 2.5) problem.phi[i] = 1;
  const auto simulation = make_cpu_simulation(problem);
  for (int step = 1; step <= 100; ++step) EXPECT_FALSE(simulation->step_to(step * 0.2).failure);
  Result result{std::vector<Real>(mesh.nodes.size()), std::vector<Real>(mesh.tetrahedra.size())};
  simulation->potential_mv(result.potential_mv);
  simulation->state(0, result.recovery);
  return result;
}

/// Largest difference, `other[i]` against `reference[order[i]]`.
Real largest_difference(const std::vector<Real>& other, const std::vector<Real>& reference,
                        const std::vector<Index>& order) {
  Real largest = 0;
  for (std::size_t i = 0; i < other.size(); ++i) largest = std::max(largest, std::fabs(other[i] - reference[order[i]]));
  return largest;
}

std::vector<Index> identity_order(std::size_t size) {
  std::vector<Index> order(size);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

class Invariance : public testing::Test {
 protected:
  const Mesh mesh = random_mesh({8, 5, 4}, 0.7, seed);
  const Result reference = run_front(mesh, {0, 0, 0});

  void SetUp() override {
    const auto [low, high] = std::minmax_element(reference.potential_mv.begin(), reference.potential_mv.end());
    ASSERT_LT(*low, -60);  // a front is inside the mesh, otherwise the comparisons prove nothing
    ASSERT_GT(*high, 0);
  }

  void expect_reference(const Result& other, const std::vector<Index>& nodes, const std::vector<Index>& elements) {
    EXPECT_LT(largest_difference(other.potential_mv, reference.potential_mv, nodes), 1e-8);
    EXPECT_LT(largest_difference(other.recovery, reference.recovery, elements), 1e-10);
  }
};

TEST_F(Invariance, RenumberingNodesAndElementsChangesNothing) {
  const Renumbering other = renumbered(mesh, seed + 1);
  expect_reference(run_front(other.mesh, {0, 0, 0}), other.node_order, other.element_order);
}

TEST_F(Invariance, ListingHalfTheElementsInvertedChangesNothing) {
  Mesh other = mesh;
  std::mt19937 generator(seed + 2);
  Index inverted = 0;
  for (Tetrahedron& nodes : other.tetrahedra)
    if (generator() % 2) {
      std::swap(nodes[generator() % 2], nodes[3]);
      ++inverted;
    }
  EXPECT_EQ(check_mesh(other).inverted_elements, inverted);
  expect_reference(run_front(other, {0, 0, 0}), identity_order(mesh.nodes.size()),
                   identity_order(mesh.tetrahedra.size()));
}

TEST_F(Invariance, MovingAndTurningTheHeartWithItsFibresChangesNothing) {
  const Vector3 shift{100, -30, 7};
  const auto turned = [](Vector3 v) {  // 3-4-5 and 5-12-13 rotations
    const Vector3 once{0.6 * v.x - 0.8 * v.y, 0.8 * v.x + 0.6 * v.y, v.z};
    return Vector3{once.x, 5.0 / 13 * once.y - 12.0 / 13 * once.z, 12.0 / 13 * once.y + 5.0 / 13 * once.z};
  };
  Mesh other = mesh;
  for (Vector3& node : other.nodes) node = turned(node) + shift;
  for (Vector3& fiber : other.fibers) fiber = turned(fiber);
  expect_reference(run_front(other, shift), identity_order(mesh.nodes.size()), identity_order(mesh.tetrahedra.size()));
}

TEST_F(Invariance, TheSignOfAFibreChangesNothing) {
  Mesh other = mesh;
  for (std::size_t e = 0; e < other.fibers.size(); e += 2) other.fibers[e] = Real(-1) * other.fibers[e];
  expect_reference(run_front(other, {0, 0, 0}), identity_order(mesh.nodes.size()),
                   identity_order(mesh.tetrahedra.size()));
}

TEST_F(Invariance, TheFibresMatter) {
  const Result other = run_front(mesh, {0, 0, 0}, 0);
  EXPECT_GT(largest_difference(other.potential_mv, reference.potential_mv, identity_order(mesh.nodes.size())), 1.0);
}

}  // namespace
}  // namespace cardiowarp
