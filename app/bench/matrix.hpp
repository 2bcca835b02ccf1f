#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/bench/options.hpp"
#include "fem/mesh.hpp"
#include "kernels/sparse/csr.hpp"

namespace cardiowarp {

// A matrix for `bench spmv` and `bench solver`: compressed rows in host memory, 12 bytes an entry and 4 a row. It is
// made of a mesh (mesh_matrix(), block_matrices.hpp), read from a file (matrix_market.hpp) or generated (stand_in.hpp).
// The formats that are measured are built from it, and their products are compared with its own.

/// A square matrix in compressed rows, host memory.
struct BenchMatrix {
  std::string name;
  std::vector<Index> row_begin;      ///< [rows + 1]
  std::vector<Index> column;         ///< [entries] ascending in each row
  std::vector<Real> value;           ///< [entries]
  Index unknowns = 1;                ///< a node; rows are a multiple of it, numbered node by node
  std::optional<Real> step_ms = {};  ///< the h of M / h + K, where the matrix was made of a mesh
  std::string node_order = {};       ///< name of a BenchOrder; empty for a matrix of no mesh

  Index rows() const { return static_cast<Index>(row_begin.size()) - 1; }
  std::int64_t entries() const { return static_cast<std::int64_t>(column.size()); }
  CsrView view() const { return {rows(), row_begin.data(), column.data(), value.data()}; }
};

/// The name of an order on the command line and in tables: hilbert, mesh, metis, rcm, metis_nodes.
std::string name_of(BenchOrder order);

/// Throws InputError for another name, and for `metis` and `metis_nodes` in a build without METIS.
BenchOrder parse_bench_order(const std::string& name);

/// The value that an entry gets in a matrix whose source has none. It is in [-1, 1) and depends on the position alone,
/// so that it is the same in every run and at (row, column) as at (column, row). Neighboring values are unlike each
/// other, so that a product with an entry at a wrong place comes out wrong.
Real value_at(Index row, Index column);

/// The matrix with its rows and columns in another order: `order` [rows] has the old number of each new one.
BenchMatrix in_order(const BenchMatrix& matrix, const std::vector<Index>& order);

/// The nodes and tetrahedra of `mesh`, with the nodes numbered along a Hilbert curve, so that neighbors in space have
/// near numbers. "By locality" below means this order.
Mesh in_local_order(const Mesh& mesh);

/// `matrix`, which was made of `mesh` with its nodes by locality, renumbered to the order that the mesh itself has.
BenchMatrix in_mesh_order(const BenchMatrix& matrix, const Mesh& mesh);

/// `matrix`, which was made of `mesh` with its nodes by locality, renumbered to `order`. For `hilbert` and `metis` it
/// is returned as it is: the former is the order by locality, and in the latter only products in parts are renumbered.
BenchMatrix in_bench_order(BenchMatrix matrix, const Mesh& mesh, BenchOrder order);

/// Choices for the matrix M / h + K of a mesh: that of a linear system of a time step without its reaction.
struct MeshMatrixOptions {
  Real step_ms = 0.1;  ///< h
  /// Whether M is diagonal, as with `quadrature: vertices`. Else it is that of `centroid`: an element of volume V adds
  /// V / 16 to each of its 16 entries.
  bool lumped = true;
};

/// M / h + K of a checked mesh, with its nodes by locality. M is the mass matrix and K that of an isotropic diffusivity
/// of 1 mm²/ms. The matrix is symmetric and positive definite, and the same in every run. How long a product takes does
/// not depend on its values.
BenchMatrix mesh_matrix(const std::string& name, const Mesh& mesh, const MeshMatrixOptions& options = {});

/// Throws InputError where conjugate gradients with Jacobi cannot solve with the matrix, because it is not symmetric or
/// an entry of its diagonal is not positive. That it is positive definite is not tested here: a solve finds it out.
void require_symmetric(const BenchMatrix& matrix, const std::string& source);

}  // namespace cardiowarp
