#pragma once
#include <string>
#include <vector>

#include "app/bench/matrix.hpp"
#include "app/measure/table.hpp"
#include "fem/mesh.hpp"

namespace cardiowarp {

// `cardiowarp bench assembly --single-error FILE` says how far a matrix in single precision is from that in double, and
// times nothing. Cecka, Lew and Darve (2011, "paper 004", sec. 6.1, Tables VI and VII) assemble all in single
// precision: the error grows as the mesh is refined, because coordinates are rounded to a part of their distance from
// the origin and not of an edge. Here three ways stand side by side:
//
//   stored        computed in double precision and stored in single, as linear_solver.precision does: does not grow
//   coordinates   coordinates in single precision, everything behind them in double
//   all           coordinates, geometry and sums in single precision, as in the paper
//
// The matrix is that of `bench solver`, M / h + K with a lumped M, h = 0.1 ms and a diffusivity of 1 mm²/ms.

/// How far the entries of a matrix are from the true ones, and the solution for a fixed right-hand side from the true
/// one.
struct SingleError {
  double mean_relative = 0;     ///< mean over the entries of |a − true| / |true|, as in Table VI
  double mean = 0;              ///< Σ |a − true| / Σ |true|
  double largest_relative = 0;  ///< the largest |a − true| / |true|
  double solution = 0;          ///< |x − x true| / |x true| in the Euclidean norm, as in Table VII
};

/// M / h + K with coordinates, geometry and sums in numbers of one type, [entries] of a matrix of mesh_matrix(); its
/// mesh as in_local_order() has it. Instantiated for float and double.
template <class Number>
std::vector<Real> values_computed_in(const Mesh& ordered, const BenchMatrix& matrix);

/// The errors of `values` [entries] against those of the matrix. Entries that are 0 in the matrix have no relative
/// error and are left out of the first and the third number. Throws InputError where a system cannot be solved.
SingleError single_error(const BenchMatrix& matrix, const std::vector<Real>& values);

/// Columns without rows, and a row for each of the three ways on a checked mesh.
Table single_error_table();
void add_single_errors(Table& table, const std::string& name, const Mesh& mesh);

}  // namespace cardiowarp
