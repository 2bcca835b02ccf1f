#include "app/bench/single_error.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "app/bench/solve_bench.hpp"
#include "fem/cells/aliev_panfilov.hpp"
#include "fem/input_error.hpp"
#include "kernels/backend/cpu_backend.hpp"
#include "kernels/sparse/csr_format.hpp"
#include "solver/cg/conjugate_gradient.hpp"

namespace cardiowarp {
namespace {

constexpr Real diffusivity_mm2_per_ms = 1;  // as mesh_matrix()

template <class Number>
using Triple = std::array<Number, 3>;

template <class Number>
Triple<Number> cross(const Triple<Number>& a, const Triple<Number>& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

template <class Number>
Number dot(const Triple<Number>& a, const Triple<Number>& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

template <class Number>
Triple<Number> rounded(const Vector3& point) {
  return {static_cast<Number>(point.x), static_cast<Number>(point.y), static_cast<Number>(point.z)};
}

std::size_t entry_at(const BenchMatrix& matrix, Index row, Index column) {
  const auto begin = matrix.column.begin() + matrix.row_begin[row],
             end = matrix.column.begin() + matrix.row_begin[row + 1];
  return static_cast<std::size_t>(std::lower_bound(begin, end, column) - matrix.column.begin());
}

/// The solution for a right-hand side of random numbers in [0, 1), to about the rounding of double precision.
std::vector<Real> solution(const BenchMatrix& matrix) {
  std::mt19937_64 generator(1);
  std::vector<Real> b(matrix.rows());
  for (Real& number : b) number = static_cast<Real>(generator() >> 11U) * 0x1p-53;
  CpuBackend backend;
  const BenchSystem<CpuBackend, FormatOf<MatrixFormat::csr>> system(backend, matrix, b, {});
  const auto A = product_of(system, static_cast<const Real*>(system.value));
  const Buffer<Real> r = backend.allocate<Real>(b.size());
  const Buffer<CgState> state = backend.allocate<CgState>(1);
  ConjugateGradient<CpuBackend, std::remove_const_t<decltype(A)>, JacobiPreconditioner> cg(
      backend, A, {system.inverse_diagonal.data()}, {matrix.rows(), r.data(), system.x.data(), state.data()});
  backend.for_each(system.rows(), CopyVector<Real>{system.b.data(), r.data()});
  cg.solve(backend, {1e-13, 10000});
  const CgReport report = state.data()->report;
  if (report.status != CgStatus::converged)
    throw InputError(fmt::format("{}: expected a positive definite matrix, the solve ended at |r| = {} |b|",
                                 matrix.name, report.residual_norm / report.rhs_norm));
  return {system.x.data(), system.x.data() + b.size()};
}

}  // namespace

template <class Number>
std::vector<Real> values_computed_in(const Mesh& ordered, const BenchMatrix& matrix) {
  const auto diffusivity = static_cast<Number>(AlievPanfilov::scaling.diffusivity(diffusivity_mm2_per_ms)),
             step = static_cast<Number>(AlievPanfilov::scaling.tau_from_ms(matrix.step_ms.value()));
  std::vector<Number> value(matrix.column.size(), 0);
  for (const Tetrahedron& nodes : ordered.tetrahedra) {
    const Triple<Number> origin = rounded<Number>(ordered.nodes[nodes[0]]);
    std::array<Triple<Number>, 3> edge;
    for (int k = 0; k < 3; ++k) {
      const Triple<Number> corner = rounded<Number>(ordered.nodes[nodes[k + 1]]);
      for (int i = 0; i < 3; ++i) edge[k][i] = corner[i] - origin[i];
    }
    // 6 V G_k is the cross product of the two other edges; the four gradients add up to 0.
    std::array<Triple<Number>, 4> normal{Triple<Number>{}, cross(edge[1], edge[2]), cross(edge[2], edge[0]),
                                         cross(edge[0], edge[1])};
    for (int i = 0; i < 3; ++i) normal[0][i] = -(normal[1][i] + normal[2][i] + normal[3][i]);
    const Number six_volumes = std::fabs(dot(edge[0], normal[1]));
    // V G_I · D G_J = D n_I · n_J / 6 (6 V);  V / 4 h on the diagonal
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j < 4; ++j)
        value[entry_at(matrix, nodes[i], nodes[j])] += diffusivity * dot(normal[i], normal[j]) / (6 * six_volumes);
      value[entry_at(matrix, nodes[i], nodes[i])] += six_volumes / 24 / step;
    }
  }
  return {value.begin(), value.end()};
}

template std::vector<Real> values_computed_in<float>(const Mesh& ordered, const BenchMatrix& matrix);
template std::vector<Real> values_computed_in<double>(const Mesh& ordered, const BenchMatrix& matrix);

SingleError single_error(const BenchMatrix& matrix, const std::vector<Real>& values) {
  SingleError error;
  double distances = 0, sizes = 0, relative = 0, entries = 0;
  for (std::size_t e = 0; e < values.size(); ++e) {
    const double distance = std::fabs(values[e] - matrix.value[e]), size = std::fabs(matrix.value[e]);
    distances += distance;
    sizes += size;
    if (size == 0) continue;
    ++entries;
    relative += distance / size;
    error.largest_relative = std::max(error.largest_relative, distance / size);
  }
  error.mean = distances / sizes;
  error.mean_relative = relative / entries;

  BenchMatrix approximate = matrix;
  approximate.value = values;
  const std::vector<Real> x = solution(matrix), near_x = solution(approximate);
  double squares = 0, of_x = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    squares += (near_x[i] - x[i]) * (near_x[i] - x[i]);
    of_x += x[i] * x[i];
  }
  error.solution = std::sqrt(squares / of_x);
  return error;
}

Table single_error_table() {
  return {{"mesh", "nodes", "elements", "single_precision", "mean_relative_error", "mean_error",
           "largest_relative_error", "solution_error"},
          {}};
}

void add_single_errors(Table& table, const std::string& name, const Mesh& mesh) {
  const BenchMatrix matrix = mesh_matrix(name, mesh);
  const Mesh ordered = in_local_order(mesh);
  Mesh rounded_mesh = ordered;
  for (Vector3& node : rounded_mesh.nodes)
    node = {static_cast<float>(node.x), static_cast<float>(node.y), static_cast<float>(node.z)};
  const std::vector<float> stored(matrix.value.begin(), matrix.value.end());
  const auto add = [&](const char* way, const std::vector<Real>& values) {
    const SingleError error = single_error(matrix, values);
    table.rows.push_back({name, static_cast<std::int64_t>(mesh.nodes.size()),
                          static_cast<std::int64_t>(mesh.tetrahedra.size()), std::string(way), error.mean_relative,
                          error.mean, error.largest_relative, error.solution});
  };
  add("stored", {stored.begin(), stored.end()});
  add("coordinates", values_computed_in<double>(rounded_mesh, matrix));
  add("all", values_computed_in<float>(ordered, matrix));
}

}  // namespace cardiowarp
