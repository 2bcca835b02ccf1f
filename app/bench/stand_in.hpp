#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "app/bench/matrix.hpp"

namespace cardiowarp {

// Generated matrices that stand in for those of paper 000, Table II, so that `bench spmv` needs no files of others. A
// stand-in has as many rows and entries as its original, and its shortest and longest row; the places of its entries
// follow laws that are made to resemble it. A seed also gives variations of other sizes. A name with its seed always
// gives the same matrix.

/// How unequal rows are. With u uniform in (0, 1] and n normal, a row is longer than the shortest by a multiple of
enum class LengthLaw : char {
  bell,  ///< 1 + spread n, cut at 0: most rows near the mean
  power  ///< u^-spread - 1: many short rows, and few of any length up to the longest
};

/// A family of square matrices: numbers that a member has exactly, and the laws of its lengths and columns.
struct MatrixClass {
  std::string name;
  Index rows;               ///< more than 1
  std::int64_t entries;     ///< that rows of these lengths can have together
  Index shortest, longest;  ///< lengths that rows have; at least one row each
  LengthLaw law;
  Real spread;
  Index node_rows;    ///< neighboring rows of a node: equally long, with the same columns, which come in such runs
  int dimensions;     ///< of the lattice of nodes, whose near nodes give most columns
  Real irregularity;  ///< 0: the nearest nodes, 1: any of the twice as many nearest, ..
  Real far_columns;   ///< share of columns that may be anywhere; low ones are frequent
};

/// Rows, entries, shortest and longest row of the matrices of paper 000, Table II, but its hearts. The laws are ours,
/// to resemble what the names say: circuits and the web have few very long rows, the lattices of QCD and the
/// epidemiology model equal ones, finite elements nodes with equal rows.
const std::vector<MatrixClass>& table_ii_classes();

/// A random variation of `original`, named `name:seed`: 0.2 to 1.5 times the rows, 0.6 to 1.6 times
/// the mean length and 0.5 to 2 times the longest row, as far as these do not exclude each other. Equal rows stay
/// equal.
MatrixClass variation(const MatrixClass& original, std::uint64_t seed);

/// [rows] The lengths of the rows that stand_in() has.
std::vector<Index> stand_in_lengths(const MatrixClass& matrix_class, std::uint64_t seed);

/// The matrix of a class and a seed, always the same one. Its values are those of value_at(). A row has at most `rows`
/// entries.
BenchMatrix stand_in(const MatrixClass& matrix_class, std::uint64_t seed);

/// A class and the seed of its member.
struct StandIn {
  MatrixClass matrix_class;
  std::uint64_t seed = 0;
};

/// `name` is the class of Table II, `name:seed` a variation, `all` and `all:seed` twelve of them. Throws InputError
/// that begins with --stand-in for any other word.
std::vector<StandIn> parse_stand_ins(const std::vector<std::string>& words);

}  // namespace cardiowarp
