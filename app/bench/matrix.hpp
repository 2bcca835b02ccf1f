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
  std::optional<Real> step_ms = {};  ///< of a mesh: h of M / h + K
  std::string node_order = {};       ///< name of a BenchOrder; empty for a matrix of no mesh

  Index rows() const { return static_cast<Index>(row_begin.size()) - 1; }
  std::int64_t entries() const { return static_cast<std::int64_t>(column.size()); }
  CsrView view() const { return {rows(), row_begin.data(), column.data(), value.data()}; }
};

/// The name of an order on the command line and in tables: hilbert, mesh, metis, rcm, metis_nodes.
std::string name_of(BenchOrder order);

/// Throws InputError for another name, and for `metis` and `metis_nodes` in a build without METIS.
BenchOrder parse_bench_order(const std::string& name);

/// A value in [-1, 1) for a matrix that comes without: scrambled, so that a product shows an entry in a wrong place,
/// and a function of the position alone, equal for (row, column) and (column, row).
Real value_at(Index row, Index column);

/// The matrix with its rows and columns in another order: `order` [rows] has the old number of each new one.
BenchMatrix in_order(const BenchMatrix& matrix, const std::vector<Index>& order);

/// Nodes and tetrahedra of `mesh`, the nodes by locality.
Mesh in_local_order(const Mesh& mesh);

/// A matrix of `mesh` that has its nodes by locality, with the nodes in the order of the mesh.
BenchMatrix in_mesh_order(const BenchMatrix& matrix, const Mesh& mesh);

/// A matrix of `mesh` that has its nodes by locality, with the nodes in the order of that name. That of `metis` and
/// `hilbert` is the one that it has.
BenchMatrix in_bench_order(BenchMatrix matrix, const Mesh& mesh, BenchOrder order);

/// Which M / h + K.
struct MeshMatrixOptions {
  Real step_ms = 0.1;
  bool lumped = true;  ///< M of `quadrature: vertices`, else of `centroid`: V / 16 in all entries of an element
};

/// M / h + K of a checked mesh, its nodes by locality; K of an isotropic diffusivity of 1 mm²/ms. Symmetric and
/// positive definite. The values do not depend on the run, nor the times on the values.
BenchMatrix mesh_matrix(const std::string& name, const Mesh& mesh, const MeshMatrixOptions& options = {});

/// Throws InputError where conjugate gradients with Jacobi cannot have the matrix: where it is not symmetric or an
/// entry of its diagonal is not positive. Whether it is positive definite, a solve finds out.
void require_symmetric(const BenchMatrix& matrix, const std::string& source);

}  // namespace cardiowarp
