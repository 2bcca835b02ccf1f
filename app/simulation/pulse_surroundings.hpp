#pragma once
#include <span>
#include <vector>

#include "fem/vector3.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

struct Sparsity;
struct Tissue;

// The tissue around a stimulus, and whether a front went through it. The plan of a simulation has the surroundings of
// each stimulus, which are found once. PulseWatch (pulse_watch.hpp) fetches when their nodes were last activated and
// follows from node to node what a pulse began. It takes some 70 bytes of host memory for each of these nodes.

/// The width of a front from 10 to 90 % of its tanh profile, which is 4 artanh(0.8) times its thickness, mm.
Real front_width_mm(Real thickness_mm);

/// [nodes] the width of the widest front in the elements around each node, mm.
std::vector<Real> front_widths_mm(const Tissue& tissue);

/// Nodes from those of a stimulus to the first ones that are far from it, with the neighbors of each. A node is far
/// where it is more than `far_widths` widths of a front and at least `far_edges` edges away: less than that potential
/// can diffuse, or a front can get on in tissue that has not recovered before it dies.
struct PulseSurroundings {
  static constexpr Real far_widths = 3;
  static constexpr int far_edges = 4;

  std::vector<Index> nodes;      ///< the stimulated ones, then those that are not far, then the far ones
  Index stimulated = 0;          ///< how many are stimulated
  Index near = 0;                ///< how many are not far; those that are stimulated count
  std::vector<Index> row_begin;  ///< [nodes + 1] where the neighbors of each begin; empty where no node is far
  std::vector<Index> neighbor;   ///< places in `nodes`

  bool has_far() const { return near < static_cast<Index>(nodes.size()); }
};

/// The surroundings of the nodes `stimulated`. Distances go from element to element, each to the nearest of these
/// nodes that was met on the way, in `widths_mm` [nodes] of the widest front on the way.
PulseSurroundings surroundings_of(const Sparsity& sparsity, const std::vector<Vector3>& position,
                                  const std::vector<Index>& stimulated, const std::vector<Real>& widths_mm);

/// When a pulse acts.
struct PulseSpan {
  Real since_ms;   ///< the beginning of its first step
  Real off_ms;     ///< when it is over
  Real until_ms;   ///< what a stimulated node does later of itself was not begun by this pulse
  Real raises_ms;  ///< how long the pulse takes to raise a node half as far as to the level of activation
};

/// The effects of a pulse on its surroundings.
struct PulseTrace {
  bool activated = false;  ///< a node was activated by it
  bool is_far = false;     ///< its front reached a far node
  bool met = false;        ///< its front met another one, or it raised a node beside one that was there before
  Real last_ms = 0;        ///< when its front activated a node last
};

/// The effects of a pulse by `activated_ms` [nodes of the surroundings], when each was activated last, below 0 where it
/// never was. Nodes are gone through in the order of these times. A node was activated by what had activated the latest
/// of its neighbors, if that is not longer ago than `longest_pause_ms`. Where there is none, or only a front that has
/// begun elsewhere after the pulse while this raised the node itself, a stimulated node was activated by the pulse.
PulseTrace trace_of_pulse(const PulseSurroundings& around, std::span<const Real> activated_ms, const PulseSpan& pulse);

/// A front that goes from a node to its neighbor takes no longer. The slowest that were seen, in tissue that let them
/// pass at last, took 16 ms for 0.75 mm.
inline constexpr Real longest_pause_ms = 50;

}  // namespace cardiowarp
