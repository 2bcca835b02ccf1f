#pragma once
#include <vector>

#include "fem/stimulus.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

struct Stimulus;

// The nodes of a stimulus by the time of their pulses. Behind a Purkinje network each node has a delay of its own, and
// the nodes with the same one are a volley:
//
//   nodes of the stimulus   3    5    8    9           in volleys   3  9 | 8 | 5
//   delay, ms               4  9.2    6    4                        4    | 6 | 9.2
//
// What drives the tissue goes through the volleys as if each were a stimulus, on every backend. A stimulus without
// delays is one volley. They are made once before a run, from delays that have been rounded, so that there are some
// hundred at most. A volley takes 40 bytes.

/// Some neighboring nodes of StimulusInVolleys, and when they are driven.
struct Volley {
  PulseTrain pulses;
  Index first = 0, nodes = 0;
};

/// A stimulus by the delays of its nodes.
struct StimulusInVolleys {
  std::vector<Index> nodes;     ///< volley after volley, ascending in each
  std::vector<Real> share;      ///< [nodes] of the stimulus that each has
  std::vector<Volley> volleys;  ///< the earliest first
};

StimulusInVolleys in_volleys(const Stimulus& stimulus);

// Both are 0 of a stimulus without delays.
Real shortest_delay_ms(const Stimulus& stimulus);
Real longest_delay_ms(const Stimulus& stimulus);

}  // namespace cardiowarp
