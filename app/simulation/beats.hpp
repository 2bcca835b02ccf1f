#pragma once
#include <array>
#include <cstddef>
#include <vector>

#include "fem/beat_log.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

struct OutputConfig;

// The beats of its nodes that a simulation is to keep, beside activation time and APD90 of the first ones, which it
// always knows (fem/beat_maps.hpp). build_problem() makes a BeatWish of the configuration; a BeatWatch (beat_watch.hpp)
// follows the beats where the simulation computes; the Recorder makes maps and tables of the BeatRecords.

struct BeatWish {
  int beats = 0;                                       ///< that are kept of each node; 0: none
  bool last = false;                                   ///< the last ones, else the first
  std::array<bool, BeatLog::levels> repolarization{};  ///< to which levels it is kept
  bool upstroke = false;

  bool empty() const { return beats == 0; }
};

/// The wish of a configuration whose time ends at `end_ms`: all beats are as many as fit into it 100 ms apart.
BeatWish beat_wish(const OutputConfig& output, Real end_ms);

/// The beats of some points, as they were kept. −1 stands for what did not happen, or was not asked for.
struct BeatRecords {
  std::size_t points = 0;
  int kept = 0;                          ///< beats of a point, at most
  std::vector<int> beats = {};           ///< [points] that have begun, also those that are not kept
  std::vector<Real> activation_ms = {};  ///< [kept × points], like all below
  std::array<std::vector<Real>, BeatLog::levels> repolarized_ms = {};
  std::vector<Real> peak_mv = {}, upstroke_mv_per_ms = {};
  bool last = false;

  /// Where the beat of a point is among those that are kept; −1 where it has none of that number, or lost it. Beats are
  /// numbered from 0.
  int kept_as(std::size_t point, int beat) const;
};

}  // namespace cardiowarp
