#include "app/bench/block_matrices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "assembly/build_sparsity.hpp"
#include "fem/input_error.hpp"
#include "fem/tetrahedron.hpp"
#include "kernels/backend/thread_team.hpp"

namespace cardiowarp {
namespace {

/// What an element adds to the entries of two of its nodes, row by row.
template <Index Unknowns>
using Block = std::array<Real, std::size_t{Unknowns} * Unknowns>;

/// The places of all entries, with values of 0.
template <Index Unknowns>
BenchMatrix block_pattern(const std::string& name, const Sparsity& sparsity) {
  const std::int64_t entries = std::int64_t{Unknowns} * Unknowns * sparsity.entries();
  if (entries > std::numeric_limits<Index>::max())
    throw InputError(fmt::format("{}: {} entries with {} unknowns a node, at most {} fit", name, entries, Unknowns,
                                 std::numeric_limits<Index>::max()));
  BenchMatrix A{name, {0}, {}, {}, Unknowns};
  A.row_begin.reserve(std::size_t{Unknowns} * sparsity.rows() + 1);
  for (Index node = 0; node < sparsity.rows(); ++node)
    for (Index r = 0; r < Unknowns; ++r)
      A.row_begin.push_back(A.row_begin.back() + Unknowns * (sparsity.row_begin[node + 1] - sparsity.row_begin[node]));
  resize_by_team(A.column, static_cast<std::size_t>(entries));
  resize_by_team(A.value, static_cast<std::size_t>(entries));
  parallel_for(A.rows(), [&](Index row) {
    const Index first = sparsity.row_begin[row / Unknowns];
    for (Index e = A.row_begin[row]; e < A.row_begin[row + 1]; ++e) {
      const Index k = e - A.row_begin[row];
      A.column[e] = sparsity.column[first + k / Unknowns] * Unknowns + k % Unknowns;
    }
  });
  return A;
}

/// The sums of element_block(geometry, i, j) over the elements of each pair of nodes, which are corners i and j of it,
/// in ascending order of elements: the values do not depend on the number of threads. `ordered` has its nodes in the
/// order of the matrix.
template <Index Unknowns, class ElementBlock>
BenchMatrix assembled_blocks(const std::string& name, const Mesh& ordered, const ElementBlock& element_block) {
  const Sparsity sparsity = build_sparsity(ordered.tetrahedra, static_cast<Index>(ordered.nodes.size()));
  BenchMatrix A = block_pattern<Unknowns>(name, sparsity);
  parallel_for(sparsity.rows(), [&](Index node) {
    for (Index k = sparsity.incidence.begin[node]; k < sparsity.incidence.begin[node + 1]; ++k) {
      const Tetrahedron& corner = ordered.tetrahedra[sparsity.incidence.element[k]];
      const TetrahedronGeometry geometry = tetrahedron_geometry(ordered.nodes, corner);
      const auto own = std::find(corner.begin(), corner.end(), node) - corner.begin();
      for (int j = 0; j < 4; ++j) {
        const Block<Unknowns> block = element_block(geometry, static_cast<int>(own), j);
        for (Index r = 0; r < Unknowns; ++r)
          for (Index c = 0; c < Unknowns; ++c)
            A.value[A.row_begin[node * Unknowns + r] + sparsity.incident_slots[k][j] * Unknowns + c] +=
                block[r * Unknowns + c];
      }
    }
  });
  return A;
}

/// The entry on the diagonal of a row.
Real& diagonal(BenchMatrix& A, Index row) {
  const auto begin = A.column.begin() + A.row_begin[row], end = A.column.begin() + A.row_begin[row + 1];
  return A.value[std::lower_bound(begin, end, row) - A.column.begin()];
}

}  // namespace

BenchMatrix elasticity_matrix(const std::string& name, const Mesh& mesh, const ElasticMaterial& material) {
  const Real E = material.young_modulus_kpa, nu = material.poisson_ratio;
  const Real lambda = E * nu / ((1 + nu) * (1 - 2 * nu)), mu = E / (2 * (1 + nu));
  return assembled_blocks<3>(name, in_local_order(mesh), [=](const TetrahedronGeometry& geometry, int i, int j) {
    const Vector3 a = geometry.gradient[i], b = geometry.gradient[j];
    const std::array<Real, 3> own{a.x, a.y, a.z}, other{b.x, b.y, b.z};
    Block<3> block;
    for (std::size_t r = 0; r < 3; ++r)
      for (std::size_t c = 0; c < 3; ++c)
        block[3 * r + c] =
            geometry.volume * (lambda * own[r] * other[c] + mu * other[r] * own[c] + (r == c ? mu * dot(a, b) : 0));
    return block;
  });
}

BenchMatrix bidomain_matrix(const std::string& name, const Mesh& mesh, const BidomainMedium& medium) {
  BenchMatrix A =
      assembled_blocks<2>(name, in_local_order(mesh), [&](const TetrahedronGeometry& geometry, int i, int j) {
        const Real diffusion = geometry.volume * dot(geometry.gradient[i], geometry.gradient[j]);
        const Real inside = medium.intracellular_mm2_per_ms * diffusion;
        const Real mass = i == j ? geometry.volume / (4 * medium.step_ms) : 0;
        return Block<2>{mass + inside, inside, inside, inside + medium.extracellular_mm2_per_ms * diffusion};
      });
  constexpr Index grounded = 1;  // the extracellular potential of node 0
  diagonal(A, grounded) *= 2;
  return A;
}

BenchMatrix mesh_matrix(const std::string& name, const Mesh& mesh, Index unknowns) {
  assert(unknowns >= 1 && unknowns <= 3);
  BenchMatrix matrix = unknowns == 3   ? elasticity_matrix(name, mesh)
                       : unknowns == 2 ? bidomain_matrix(name, mesh)
                                       : mesh_matrix(name, mesh);
  matrix.node_order = "hilbert";
  return matrix;
}

}  // namespace cardiowarp
