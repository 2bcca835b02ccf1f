#pragma once
#include <array>
#include <string_view>

namespace cardiowarp {

// The maps of a run by their names in `output.maps`, with what each is and its unit. A map has one number for each node
// and beat, that of a conduction velocity a vector for each element.

enum class MapKind {
  activation_time,
  apd90,
  apd30,
  apd50,
  apd80,
  repolarization_time,
  peak,
  upstroke_velocity,
  cycle_length,
  diastolic_interval,
  conduction_velocity
};

struct MapTraits {
  MapKind kind;
  std::string_view name, unit, meaning;
};

/// In the order in which files and messages have them. The first two are those of a run that names none.
inline constexpr std::array<MapTraits, 11> map_traits{
    {{MapKind::activation_time, "activation_time", "ms", "ms"},
     {MapKind::apd90, "apd90", "ms", "ms"},
     {MapKind::apd30, "apd30", "ms", "ms, to 30 % of repolarization"},
     {MapKind::apd50, "apd50", "ms", "ms, to 50 %"},
     {MapKind::apd80, "apd80", "ms", "ms, to 80 %"},
     {MapKind::repolarization_time, "repolarization_time", "ms", "ms, when apd90 ends"},
     {MapKind::peak, "peak", "mV", "mV"},
     {MapKind::upstroke_velocity, "upstroke_velocity", "mV/ms", "mV/ms, the largest rise"},
     {MapKind::cycle_length, "cycle_length", "ms", "ms, since the activation before"},
     {MapKind::diastolic_interval, "diastolic_interval", "ms", "ms, since the repolarization before"},
     {MapKind::conduction_velocity, "conduction_velocity", "mm/ms", "mm/ms, a vector of each element"}}};

constexpr const MapTraits& traits_of(MapKind kind) { return map_traits[static_cast<std::size_t>(kind)]; }

/// The beats of each node that the maps show: the first alone, or the last or all of them besides.
enum class BeatChoice { first, last, all };

}  // namespace cardiowarp
