#include "fem/lagrange_tetrahedron.hpp"

#include <algorithm>
#include <cstddef>

#include "fem/mesh.hpp"
#include "kernels/backend/thread_team.hpp"

namespace cardiowarp {
namespace {

constexpr int most_powers = 7;  // of products of two polynomials of degree 3
using Polynomial = std::array<Real, most_powers>;

Polynomial operator*(const Polynomial& a, const Polynomial& b) {
  Polynomial product{};
  for (int i = 0; i < most_powers; ++i)
    for (int j = 0; i + j < most_powers; ++j) product[i + j] += a[i] * b[j];
  return product;
}

Polynomial derivative(const Polynomial& a) {
  Polynomial slope{};
  for (int i = 1; i < most_powers; ++i) slope[i - 1] = i * a[i];
  return slope;
}

Real value_at(const Polynomial& a, Real x) {
  Real value = 0;
  for (int i = most_powers - 1; i >= 0; --i) value = value * x + a[i];
  return value;
}

/// Π_{m < count} (p λ − m) / (m + 1): what a node with `count` times the same corner has of its λ.
Polynomial factor(int degree, int count) {
  Polynomial product{1};
  for (int m = 0; m < count; ++m) product = product * Polynomial{-Real(m) / (m + 1), Real(degree) / (m + 1)};
  return product;
}

/// A product of a polynomial of each λ.
using Shape = std::array<Polynomial, 4>;

/// The mean of Π_c a_c(λ_c) b_c(λ_c) over a tetrahedron: that of λ^α is 3! α! / (|α| + 3)!.
Real mean_of_product(const Shape& a, const Shape& b) {
  constexpr std::array<Real, 7> factorial{1, 1, 2, 6, 24, 120, 720};
  constexpr int most = 6;
  std::array<Real, most + 1> share{};  // 3! / (n + 3)!
  Real running = 1;
  for (int n = 0; n <= most; ++n) {
    share[n] = running;
    running /= n + 4;
  }
  Shape product;
  for (int c = 0; c < 4; ++c) product[c] = a[c] * b[c];
  Real sum = 0;
  for (int p = 0; p <= most; ++p)
    for (int q = 0; p + q <= most; ++q)
      for (int r = 0; p + q + r <= most; ++r)
        for (int s = 0; p + q + r + s <= most; ++s)
          sum += product[0][p] * product[1][q] * product[2][r] * product[3][s] * factorial[p] * factorial[q] *
                 factorial[r] * factorial[s] * share[p + q + r + s];
  return sum;
}

template <int Degree>
std::array<Shape, lagrange_nodes<Degree>> shapes() {
  std::array<Shape, lagrange_nodes<Degree>> all;
  constexpr auto corners = lagrange_corners<Degree>();
  for (std::size_t i = 0; i < all.size(); ++i)
    for (int c = 0; c < 4; ++c)
      all[i][c] = factor(Degree, static_cast<int>(std::count(corners[i].begin(), corners[i].end(), c)));
  return all;
}

}  // namespace

template <int Degree>
std::array<Real, lagrange_nodes<Degree>> lagrange_shapes(const std::array<Real, 4>& at) {
  const auto all = shapes<Degree>();
  std::array<Real, lagrange_nodes<Degree>> value;
  for (std::size_t i = 0; i < all.size(); ++i) {
    value[i] = 1;
    for (int c = 0; c < 4; ++c) value[i] *= value_at(all[i][c], at[c]);
  }
  return value;
}

// With λ_0 = 1 − λ_1 − λ_2 − λ_3, the derivative of N by λ_k is ∂_k N − ∂_0 N, where ∂_c changes one factor alone.
template <int Degree>
LagrangeTable<Degree> lagrange_table() {
  constexpr int N = lagrange_nodes<Degree>;
  const auto all = shapes<Degree>();
  const auto by_lambda = [&](int i, int c) {
    Shape slope = all[i];
    slope[c] = derivative(slope[c]);
    return slope;
  };
  LagrangeTable<Degree> table;
  int entry = 0;
  for (int i = 0; i < N; ++i)
    for (int j = i; j < N; ++j, ++entry) {
      table.mass[entry] = mean_of_product(all[i], all[j]);
      std::array<std::array<Real, 4>, 4> mean;
      for (int c = 0; c < 4; ++c)
        for (int d = 0; d < 4; ++d) mean[c][d] = mean_of_product(by_lambda(i, c), by_lambda(j, d));
      const auto both = [&](int k, int l) { return mean[k][l] - mean[0][l] - mean[k][0] + mean[0][0]; };
      int pair = 0;
      for (int k = 1; k < 4; ++k)
        for (int l = k; l < 4; ++l, ++pair)
          table.diffusion[entry][pair] = k == l ? both(k, k) : both(k, l) + both(l, k);
    }
  return table;
}

// Nodes of different elements are the same if their corners are.
template <int Degree>
LagrangeMesh<Degree> lagrange_mesh(const Mesh& linear) {
  using Key = std::array<Index, Degree>;
  constexpr auto corners = lagrange_corners<Degree>();
  const auto key_of = [&](const Tetrahedron& of, std::size_t i) {
    Key key;
    for (int k = 0; k < Degree; ++k) key[k] = of[corners[i][k]];
    std::sort(key.begin(), key.end());
    return key;
  };
  std::vector<Key> keys;
  keys.reserve(corners.size() * linear.tetrahedra.size());
  for (const Tetrahedron& of : linear.tetrahedra)
    for (std::size_t i = 0; i < corners.size(); ++i) keys.push_back(key_of(of, i));
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  LagrangeMesh<Degree> mesh;
  for (const Key& node : keys) {
    Vector3 sum;
    for (const Index corner : node) sum = sum + linear.nodes[corner];
    mesh.position.push_back((Real{1} / Degree) * sum);
  }
  mesh.elements.resize(linear.tetrahedra.size());
  mesh.corners.resize(linear.tetrahedra.size());
  parallel_for(mesh.elements.size(), [&](std::size_t element) {
    const Tetrahedron& of = linear.tetrahedra[element];
    for (std::size_t i = 0; i < corners.size(); ++i)
      mesh.elements[element][i] =
          static_cast<Index>(std::lower_bound(keys.begin(), keys.end(), key_of(of, i)) - keys.begin());
    for (int c = 0; c < 4; ++c) mesh.corners[element][c] = mesh.elements[element][lagrange_corner<Degree>(c)];
  });
  return mesh;
}

template <int Degree>
LagrangeMesh<Degree> renumbered(const LagrangeMesh<Degree>& mesh, const std::vector<Index>& order) {
  std::vector<Index> new_node(order.size());
  LagrangeMesh<Degree> result{{}, mesh.elements, mesh.corners};
  for (std::size_t i = 0; i < order.size(); ++i) {
    new_node[order[i]] = static_cast<Index>(i);
    result.position.push_back(mesh.position[order[i]]);
  }
  const auto rename = [&](auto& elements) {
    for (auto& nodes : elements)
      for (Index& node : nodes) node = new_node[node];
  };
  rename(result.elements);
  rename(result.corners);
  return result;
}

template LagrangeTable<1> lagrange_table();
template LagrangeTable<2> lagrange_table();
template LagrangeTable<3> lagrange_table();
template std::array<Real, 4> lagrange_shapes<1>(const std::array<Real, 4>&);
template std::array<Real, 10> lagrange_shapes<2>(const std::array<Real, 4>&);
template std::array<Real, 20> lagrange_shapes<3>(const std::array<Real, 4>&);
template LagrangeMesh<1> lagrange_mesh(const Mesh&);
template LagrangeMesh<2> lagrange_mesh(const Mesh&);
template LagrangeMesh<3> lagrange_mesh(const Mesh&);
template LagrangeMesh<1> renumbered(const LagrangeMesh<1>&, const std::vector<Index>&);
template LagrangeMesh<2> renumbered(const LagrangeMesh<2>&, const std::vector<Index>&);
template LagrangeMesh<3> renumbered(const LagrangeMesh<3>&, const std::vector<Index>&);

}  // namespace cardiowarp
