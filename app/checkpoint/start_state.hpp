#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "app/checkpoint/state_archive.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

// The state that a run begins with at t = 0 where that is not the one of `initial`: the state of a checkpoint of
// another run (`run --from`), or that of the heart after its pacing (`prepace`). It is kept in the checkpoints of the
// run that began with it, which therefore goes on without the file that it came from. It takes 8 bytes a node and 8 for
// each state of each integration point, in host memory and in each of these checkpoints. app/start_from.hpp makes it.

/// Where a state came from.
struct StartOrigin {
  std::string file;
  Real time_ms = 0;            ///< of the run that wrote the file
  std::uint64_t checksum = 0;  ///< of all that is in the file

  /// Sixteen hexadecimal digits.
  std::string checksum_text() const;
};

/// A state in the order of the mesh and in the units of the cell model.
struct StartState {
  StartOrigin origin;
  std::vector<Real> phi;     ///< [nodes]
  std::vector<Real> states;  ///< [states × points], the points as points_in_input() has them, or [states × elements]
  bool at_points = true;     ///< else of elements

  void exchange(StateArchive& archive);
};

}  // namespace cardiowarp
