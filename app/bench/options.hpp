#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "kernels/backend/types.hpp"

namespace cardiowarp {

// The wishes of `cardiowarp bench`, as plain values: where its meshes and matrices come from, and the choices of each
// of its parts. BenchWords (bench_words.hpp) fills them from the command line and tests by hand; whoever measures
// checks them with its require_valid().

/// How `cardiowarp bench` numbers the nodes of a mesh. A matrix that is read or generated keeps its own order, unless
/// it is cut by METIS.
enum class BenchOrder {
  hilbert,     ///< along a Hilbert curve
  mesh,        ///< as in the mesh
  metis,       ///< along a Hilbert curve, and what multiplies in parts has those of METIS (metis_window_order())
  rcm,         ///< with a small bandwidth: reverse_cuthill_mckee() of the mesh's order
  metis_nodes  ///< nodes of each 1024 rows are a part that METIS cuts, in it along a Hilbert curve: for every format
};

/// Where the meshes of `cardiowarp bench` come from.
struct MeshSources {
  std::vector<std::filesystem::path> files;
  std::vector<Index> nodes;  ///< numbers of --nodes, of an idealized heart each

  bool empty() const { return files.empty() && nodes.empty(); }
};

/// Where the matrices of `cardiowarp bench spmv` and `bench solver` come from.
struct MatrixSources {
  MeshSources meshes;
  std::vector<std::filesystem::path> matrix_files;
  std::vector<std::string> stand_ins;  ///< words of --stand-in
  int unknowns = 1;                    ///< a node: --unknowns
  std::string order = "hilbert";       ///< of the nodes: --order, for parse_bench_order()

  std::vector<std::filesystem::path> files() const;
};

/// The choices of `bench spmv`.
struct SpmvBenchOptions {
  std::vector<std::string> formats = {};  ///< of spmv_formats(); empty: all
  std::vector<int> block_sizes{64, 128, 256, 512};
  std::vector<Index> thresholds = {};      ///< of K2; empty: the default_thresholds() of each matrix
  std::vector<int> products{1, 50, 1200};  ///< paper 000 sec. 6: 1 from cold caches, more back to back
  Index window = 1024;                     ///< of ELL-WARP and, in block rows, of SBELL
  std::vector<Index> parts = {};           ///< of k1rs_parts beside those of `window`: so many for each multiprocessor
  BenchOrder order = BenchOrder::hilbert;  ///< of the rows that the parts of k1rs_parts have
  int repeats = 20;
  /// Measure every threshold from the shortest to the longest row unless some are named, and each choice by all numbers
  /// of products (paper 000, Tables VII to IX).
  bool every_choice = false;
};

/// The choices of `bench assembly`.
struct AssemblyBenchOptions {
  int repeats = 20;
  std::vector<std::string> strategies = {};  ///< of assembly_bench_strategies(), or `all`; empty: the gathers of a run
  /// shared_nz and shared_nz_general also in parts of so many nodes, shared_nz in parts of so many KiB, with so many
  /// threads.
  std::vector<int> part_nodes = {}, part_kib = {}, part_threads = {};
  /// Every loop also in blocks of at most so many threads, and slice_gather with a slice for each 32 of them.
  std::vector<int> block_sizes = {};
  /// Of K: a format of a run (named_formats()), or `ell`, which has no strategy that asks for more than places.
  std::string format = "auto";
  BenchOrder order = BenchOrder::hilbert;  ///< of the nodes: hilbert, mesh, rcm or metis_nodes
};

/// The choices of `bench degrees`.
struct DegreeOptions {
  bool on_cpu = false;
  int repeats = 20;
  /// Boxes with about so many nodes of each degree, which are cut into cubes of six tetrahedra.
  std::vector<int> nodes = {};
  std::vector<int> degrees = {1, 2, 3};
};

}  // namespace cardiowarp
