// Elements of degree 1, 2 and 3 (fem/lagrange_tetrahedron.hpp): −Δu + 2 u = f with u = cos πx cos πy cos πz in a cube
// without flux through its surface. The error in L² falls with the power p + 1 of the edge.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <type_traits>
#include <vector>

#include "app/bench/degree_study.hpp"
#include "meshes/generate.hpp"
#include "tests/support/random_mesh.hpp"

namespace cardiowarp {
namespace {

Real wave(Vector3 p) { return std::cos(M_PI * p.x) * std::cos(M_PI * p.y) * std::cos(M_PI * p.z); }

/// The solution of a problem by conjugate gradients with Jacobi, in compressed rows.
template <int Degree>
std::vector<Real> solved(const DegreeProblem<Degree>& problem) {
  const Sparsity& of = problem.sparsity;
  const CsrView K{of.rows(), of.row_begin.data(), of.column.data(), problem.value.data()};
  const std::size_t n = problem.load.size();
  const auto dot_of = [&](const std::vector<Real>& a, const std::vector<Real>& b) {
    Real sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
  };
  std::vector<Real> x(n, 0), r = problem.load, z(n), q(n);
  const auto precondition = [&] {
    for (std::size_t i = 0; i < n; ++i) z[i] = r[i] / problem.value[of.diagonal[i]];
  };
  precondition();
  std::vector<Real> p = z;
  Real rz = dot_of(r, z);
  const Real goal = 1e-22 * rz;
  for (int iteration = 0; rz > goal && iteration < 2000; ++iteration) {
    for (Index row = 0; row < K.rows; ++row) q[row] = row_times_vector(K, row, p.data());
    const Real step = rz / dot_of(p, q);
    for (std::size_t i = 0; i < n; ++i) {
      x[i] += step * p[i];
      r[i] -= step * q[i];
    }
    precondition();
    const Real next = dot_of(r, z);
    for (std::size_t i = 0; i < n; ++i) p[i] = z[i] + next / rz * p[i];
    rz = next;
  }
  EXPECT_LE(rz, goal);
  return x;
}

/// The error in L², by four points of Gauss and Legendre a direction on a cube that is folded into a tetrahedron.
template <int Degree>
Real error_of(const DegreeProblem<Degree>& problem, const std::vector<Real>& u) {
  constexpr std::array<Real, 4> place{-0.86113631159405257522, -0.33998104358485626480, 0.33998104358485626480,
                                      0.86113631159405257522},
      weight{0.34785484513745385737, 0.65214515486254614263, 0.65214515486254614263, 0.34785484513745385737};
  Real sum = 0;
  for (std::size_t i = 0; i < place.size(); ++i)
    for (std::size_t j = 0; j < place.size(); ++j)
      for (std::size_t k = 0; k < place.size(); ++k) {
        const Real a = (1 + place[i]) / 2, b = (1 + place[j]) / 2 * (1 - a), c = (1 + place[k]) / 2 * (1 - a - b);
        const std::array<Real, 4> at{1 - a - b - c, a, b, c};
        const Real share = 6 * weight[i] * weight[j] * weight[k] / 8 * (1 - a) * (1 - a - b);
        const auto shape = lagrange_shapes<Degree>(at);
        for (std::size_t e = 0; e < problem.mesh.elements.size(); ++e) {
          Real here = 0;
          for (std::size_t n = 0; n < shape.size(); ++n) here += shape[n] * u[problem.mesh.elements[e][n]];
          Vector3 p;
          for (int n = 0; n < 4; ++n) p = p + at[n] * problem.mesh.position[problem.mesh.corners[e][n]];
          const Real volume = tetrahedron_geometry(problem.mesh.position, problem.mesh.corners[e]).volume;
          sum += share * volume * (here - wave(p)) * (here - wave(p));
        }
      }
  return std::sqrt(sum);
}

template <int Degree>
Real error_with(Real edge_mm) {
  DegreeProblem<Degree> problem(random_mesh({1, 1, 1}, edge_mm, 5), cpu_device());
  problem.diffusivity.assign(problem.mesh.elements.size(), {1, 0, {}});
  for (std::size_t i = 0; i < problem.source.size(); ++i)
    problem.source[i] = (3 * M_PI * M_PI + DegreeProblem<Degree>::reaction) * wave(problem.mesh.position[i]);
  problem.sum_elements();
  return error_of(problem, solved(problem));
}

template <class Degree>
class LagrangeElementsOf : public testing::Test {};
using Degrees =
    testing::Types<std::integral_constant<int, 1>, std::integral_constant<int, 2>, std::integral_constant<int, 3>>;
TYPED_TEST_SUITE(LagrangeElementsOf, Degrees);

TYPED_TEST(LagrangeElementsOf, TheirDegreeHaveAnOrderOfOneMore) {
  constexpr int p = TypeParam::value;
  const Real coarse = error_with<p>(1.0 / 5), fine = error_with<p>(1.0 / 10), order = std::log2(coarse / fine);
  EXPECT_GT(order, p + 1 - 0.25) << coarse << " " << fine;
  EXPECT_LT(order, p + 1 + 0.5) << coarse << " " << fine;
}

}  // namespace
}  // namespace cardiowarp
