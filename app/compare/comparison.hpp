#pragma once
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "app/compare/field_difference.hpp"
#include "app/measure/spread.hpp"
#include "app/output/phase_seconds.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

struct Config;
struct Problem;

// One configuration computed on several sides, CPU, GPU and PETSc, to see whether the answers agree and how long each
// side takes. CompareCommand calls compare_sides() and makes text, tables and a drawing of the Comparison. The first
// side is the CPU with all its threads; the fields of all others are held against its first run. A speed-up is given
// only for a side whose fields agree.

struct ComparisonOptions {
  std::optional<std::int64_t> steps;  ///< the first ones of the run; absent: all
  int repeats = 3;
  int warm_up_steps = 10;  ///< on each side, before anything is timed
  std::optional<Real> max_difference =
      {};  ///< mV and ms; no speed-up is stated beyond it. Absent: as_close_as_solved()
  std::optional<int> petsc_processes = {};  ///< absent: no sides on PETSc
  bool gpu_solver_only = false;             ///< a side, too, where one thread assembles and the GPU solves
};

/// By how much the answers of two sides may differ, mV and ms: 1e-6, unless the solvers' tolerances follow from the
/// step's. Systems are then solved no better than the error of a step asks for, and its tolerance is the bound.
Real as_close_as_solved(const Problem& problem);

/// Throws InputError with the name of the option and what is expected.
void require_valid(const ComparisonOptions& options);

/// The times and results of one side of a comparison.
struct SideReport {
  std::string name;    ///< cpu, cpu_1, gpu, gpu_solver_only, petsc_jacobi, petsc_block_jacobi
  std::string device;  ///< name of the GPU, `2 threads`, or `2 processes, PETSc 3.18.5`
  std::string format = {}, assembly = {};
  int newton_iterations = 0, linear_iterations = 0;
  std::size_t memory_bytes = 0;  ///< of vectors, matrix and assembly, where the side computes; 0: not known
  std::int64_t bus_bytes = 0;  ///< of linear systems and their solutions between host and GPU, in one run; 0: elsewhere
  std::size_t resident_bytes = 0;          ///< of all its processes at most; 0 for a side inside this one
  bool has_output = true;                  ///< false: it writes no frames and maps, and `total` is without
  std::vector<PhaseSeconds> seconds = {};  ///< [repeats]; `setup` from the problem in host memory to the first step
  std::vector<double> stepping = {};  ///< [repeats] seconds of all steps, wall clock: `total` less set-up and output
  /// Differences from the first run of the first side: of the potential [mV] over `frames` frames of a run, and of the
  /// activation time [ms].
  std::int64_t frames = 0;
  FieldDifference potential = {}, activation = {};

  bool agrees(Real max_difference) const;
  std::optional<Spread> of_phase(const Phase& phase) const;  ///< over the repeats, seconds; nothing for no such phase
};

/// One configuration on several sides; the first is what the others are held against.
struct Comparison {
  std::string name;  ///< of the configuration file
  std::int64_t nodes = 0, elements = 0, steps = 0;
  Real simulated_ms = 0, max_difference = 0;
  std::string without_gpu = {};  ///< why there is no GPU among the sides; empty where there is
  std::vector<SideReport> sides = {};

  bool agrees() const;
  /// How many times as fast as the first side, by the medians; `total` without output where `side` has none. Nothing
  /// for what took no time, and where the fields differ.
  std::optional<double> speed_up(const SideReport& side, const Phase& phase) const;
};

/// Thrown where a step of one side does not converge: the side, the step and why.
class ComparisonFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Runs the configuration on the CPU with all threads, with one, on the GPU, and with PETSc where asked for, side by
/// side in each repeat, so that a machine that slows down slows all of them. Frames and maps are written to a temporary
/// folder, as a run would, and removed. Without a usable GPU and `backend: auto` the CPU's sides are compared alone;
/// `backend: cpu` asks for that. Throws InputError, DeviceError and ComparisonFailure; nothing where interrupted.
std::optional<Comparison> compare_sides(Config config, const ComparisonOptions& options);

}  // namespace cardiowarp
