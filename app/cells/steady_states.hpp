#pragma once
#include <chrono>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "app/config/steady_config.hpp"
#include "app/simulation/problem.hpp"

namespace cardiowarp {

struct Config;

// Tissue that begins in the steady state of its cells, for `initial.steady`. A single cell of each kind that the tissue
// has, of a model with its set and its parameters, is paced without neighbors (sdirk2_cell.hpp); the potential and the
// states of its last beat's end are where such cells begin. A kind takes some seconds for a hundred beats, so that the
// state is kept in a cache (app/checkpoint/state_cache.hpp), by a checksum of all that it depends on: the equations (by
// the numbers that one stage gives), the parameters, the state before, the pacing, and the program. A file that is
// damaged or says something else is made anew.

/// Who asks for steady states that may be in the cache.
struct SteadyCache {
  std::string commit;         ///< of the program
  bool is_only_read = false;  ///< for a command that writes nothing
};

/// The end of the last beat of a kind of cell.
struct SteadyState {
  CellStart start;
  double change_mv = 0;      ///< of the potential, from the end of the beat before
  double change_states = 0;  ///< of the states, the largest relative to the state
  double rise_mv = 0;        ///< of the last action potential
};

/// Tells every ten seconds how far the pacing of several kinds of cells has come, whichever threads do it.
class SteadyProgress {
 public:
  /// Of `kinds` kinds with `beats` beats each.
  SteadyProgress(std::size_t kinds, int beats) : all_(kinds * static_cast<std::size_t>(beats)) {}
  void count_beat();

 private:
  std::size_t all_;
  std::mutex mutex_;
  std::size_t done_ = 0;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now(), told_ = began_;
};

/// Paces a cell. Throws InputError, which begins with the place of the section, where its equations have no solution.
SteadyState steady_state(const IonicCell& cell, const SteadyConfig& steady, SteadyProgress* progress = nullptr);

/// Lets the cells of a problem begin in their steady states, and tells how steady each kind is. `config` has
/// `initial.steady`, and `problem` is that of `config`. Without a cache all is computed. Throws InputError.
void begin_steady(const Config& config, const std::optional<SteadyCache>& cache, Problem& problem);

}  // namespace cardiowarp
