#pragma once
#include <optional>
#include <string>
#include <vector>

#include "kernels/backend/types.hpp"

namespace cardiowarp {

class Simulation;
struct Problem;

/// How far from 0 a potential may be, mV, before a run says so. A membrane breaks down at half a volt to one, and no
/// cell model was made for it, although each has an answer there: that of `bueno_orovio` leaves what is strongly
/// hyperpolarised where it is for hundreds of ms.
inline constexpr Real largest_potential_mv = 500;

/// The potential that is the farthest beyond largest_potential_mv in what was seen of a run. It looks where the run
/// looks anyhow, and takes 8 bytes a node of host memory and the time of one download for each look.
class ExtremePotentials {
 public:
  explicit ExtremePotentials(const Problem& problem);

  /// Whether something in the problem can bring a potential that far: its stimuli, a potential that it begins with, or
  /// one that is prescribed. Otherwise a look at the end of a run is enough.
  bool expected() const { return expected_; }

  /// Looks at the potential that the simulation now gives.
  void look(Simulation& simulation);

  /// `the potential reached -1.7e+05 mV at node 4 (0.5, 0, 0) mm by t = 2 ms: ...`; absent where all were within.
  std::optional<std::string> warning() const;

 private:
  const Problem& problem_;
  bool expected_;
  std::vector<Real> potential_mv_ = {};
  Real most_mv_ = 0, time_ms_ = 0;  ///< of the farthest
  Index node_ = -1;
};

}  // namespace cardiowarp
