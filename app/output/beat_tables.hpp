#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "app/config/map_kind.hpp"
#include "app/simulation/beat_times.hpp"
#include "app/simulation/beats.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

struct Mesh;
struct OutputConfig;

// The maps of a run as they are written: all that a configuration names, of each beat that it asks for. Arrays of the
// first beats have the names of the keys, of the second ones names that end with `_2`, of the last ones `_last`.

/// The values of a map: −1 where there is none, and for a velocity three components, all of them 0 there.
struct BeatMap {
  std::string name;
  MapKind kind;
  int beat;                  ///< from 0 on; last_beat: the last of each node
  std::vector<Real> values;  ///< [nodes], or [elements × 3] of a velocity

  static constexpr int last_beat = -1;
};

/// The maps in the order of the beats, and of map_traits for each. `first` are the times of the first beats, and
/// `records` have the others, where the configuration asks for any.
std::vector<BeatMap> maps_of_beats(const OutputConfig& config, const Mesh& mesh, const BeatTimes& first,
                                   const BeatRecords& records);

/// [elements × 3] mm/ms: the velocity of the front, ∇T / |∇T|² with the gradient of the activation times at the
/// corners. It is 0 where a corner has no time and where |∇T| is below 1e-3 ms/mm: there several fronts meet or all of
/// the element was activated at once, and no velocity is meant.
std::vector<Real> conduction_velocity(const Mesh& mesh, const std::vector<Real>& activation_ms);

/// A map in numbers, over the nodes, or elements, that have a value. The value of a velocity is its length.
struct MapSummary {
  std::string name;
  MapKind kind = {};
  int beat = 0;  ///< as that of BeatMap
  std::size_t known = 0, missing = 0;
  Real minimum = 0, median = 0, maximum = 0;  ///< meaningless where nothing is known
};
MapSummary summary_of(const BeatMap& map);

/// `activation_time 0.91 to 78.2 ms, median 40.3, missing at 3`
std::string in_words(const MapSummary& summary);

/// A warning of nodes whose last beat had not repolarized by the end, with the time that it takes; empty where there
/// are none, or no node has repolarized.
std::string unfinished_warning(const BeatRecords& records, Real simulated_ms);

/// A warning of nodes that had more beats than were kept of the first ones; empty where there are none.
std::string too_many_warning(const BeatRecords& records);

/// `beats.csv`: a line for each map.
std::string table_of(const std::vector<MapSummary>& summaries);

/// The value of a kind for a beat of a point, from its records alone; −1 where it has none.
Real value_of(MapKind kind, const BeatRecords& records, std::size_t point, int beat);

}  // namespace cardiowarp
