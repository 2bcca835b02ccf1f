#pragma once
#include "fem/beat_maps.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

// The beats of some points, one after the other, followed step by step as BeatMaps (fem/beat_maps.hpp) follows the
// first one, by the same rules. A beat begins with an upward crossing of 0 mV. It is followed until it has repolarized
// by 90 % of the way from its peak to rest, or until the next one begins, which it can once the point has fallen half
// of that way and below 0 mV: a notch after the upstroke begins none. As many beats of a point are kept as
// the caller gives memory for: the first ones, or, where `last` is set, the last ones, of which the newest takes the
// place of the oldest. All arrays are memory of the caller; a point takes 24 bytes, and 16 to 56 for each beat.

struct BeatLog {
  static constexpr int levels = 4;
  /// Of the way from rest to the peak, at which a beat has repolarized by 30, 50, 80 and 90 %.
  CARDIOWARP_HD static Real level(int k) {
    constexpr Real fraction[levels] = {0.7, 0.5, 0.2, BeatMaps::repolarized_fraction};
    return fraction[k];
  }
  static constexpr int last_level = levels - 1;
  static constexpr Real rearming_fraction = 0.5;

  Index points;
  int kept;  ///< beats of each point
  bool last;
  Real activation_phi;  ///< φ at 0 mV
  // [points]
  Real* beats;     ///< that have begun
  Real* is_armed;  ///< 1 where an upward crossing begins a beat, else 0
  Real* steepest;  ///< the largest rise since it was armed, φ per ms
  // [kept × points], −1 until known
  Real* activation_ms;
  Real* peak_phi;
  Real* repolarized_ms[levels];  ///< null where it is not kept
  Real* upstroke;  ///< the largest rise around the activation, φ per ms; null likewise, then `steepest`, too

  CARDIOWARP_HD void start(Index point, Real phi) const {
    for (int beat = 0; beat < kept; ++beat) clear(beat, point);
    beats[point] = 0;
    is_armed[point] = 1;
    if (steepest != nullptr) steepest[point] = 0;
    if (phi >= activation_phi) begin(point, 0, phi, 0);
  }

  /// A step of the point.
  template <class Path = LinearPath>
  CARDIOWARP_HD void record(Index point, const Path& path) const {
    const Real rise = steepest != nullptr ? path.largest_rise_per_ms() : 0;
    if (is_armed[point] != 0 && path.phi_new >= activation_phi) {
      begin(point, path.crossing_ms(activation_phi), path.largest_phi(), rise);
      return;
    }
    if (is_armed[point] != 0 && steepest != nullptr && rise > steepest[point]) steepest[point] = rise;
    if (beats[point] == 0 || !is_kept(point)) return rearm(point, path.phi_new, 1);
    const std::size_t at = place(kept_as(point), point);
    follow(at, path);
    if (upstroke != nullptr && is_armed[point] == 0 && rise > upstroke[at]) upstroke[at] = rise;
    rearm(point, path.phi_new, peak_phi[at]);
  }

  /// Where among those that are kept the newest beat is.
  CARDIOWARP_HD int kept_as(Index point) const {
    const int number = static_cast<int>(beats[point]) - 1;
    return last ? number % kept : number;
  }

 private:
  CARDIOWARP_HD bool is_kept(Index point) const { return last || static_cast<int>(beats[point]) <= kept; }
  CARDIOWARP_HD std::size_t place(int beat, Index point) const {
    return static_cast<std::size_t>(beat) * static_cast<std::size_t>(points) + static_cast<std::size_t>(point);
  }

  CARDIOWARP_HD void clear(int beat, Index point) const {
    const std::size_t at = place(beat, point);
    activation_ms[at] = peak_phi[at] = -1;
    for (int k = 0; k < levels; ++k)
      if (repolarized_ms[k] != nullptr) repolarized_ms[k][at] = -1;
    if (upstroke != nullptr) upstroke[at] = -1;
  }

  CARDIOWARP_HD void begin(Index point, Real time_ms, Real phi, Real rise) const {
    beats[point] += 1;
    is_armed[point] = 0;
    if (!is_kept(point)) return;
    const int beat = kept_as(point);
    clear(beat, point);
    const std::size_t at = place(beat, point);
    activation_ms[at] = time_ms;
    peak_phi[at] = phi;
    if (upstroke != nullptr) upstroke[at] = rise > steepest[point] ? rise : steepest[point];
  }

  /// A beat that has not repolarized by 90 % yet.
  template <class Path>
  CARDIOWARP_HD void follow(std::size_t at, const Path& path) const {
    if (repolarized_ms[last_level] != nullptr && repolarized_ms[last_level][at] >= 0) return;
    if (const Real largest = path.largest_phi(); largest > peak_phi[at]) peak_phi[at] = largest;
    for (int k = 0; k < levels; ++k) {
      Real* const known = repolarized_ms[k];
      const Real phi = level(k) * peak_phi[at];
      if (known != nullptr && known[at] < 0 && path.phi_new <= phi) known[at] = path.crossing_ms(phi);
    }
  }

  CARDIOWARP_HD void rearm(Index point, Real phi, Real peak) const {
    if (is_armed[point] != 0 || phi > rearming_fraction * peak || phi >= activation_phi) return;
    is_armed[point] = 1;
    if (steepest != nullptr) steepest[point] = 0;
  }
};

}  // namespace cardiowarp
