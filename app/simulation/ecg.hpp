#pragma once
#include <cmath>
#include <cstdint>
#include <vector>

#include "fem/vector3.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

struct Config;
struct Mesh;

// The ECG that a simulation is to record: the potentials of electrodes (fem/lead_field.hpp) at the multiples of an
// interval. build_problem() makes an Ecg of the configuration, an EcgSampler (ecg_sampler.hpp) records it where the
// simulation computes, and the Recorder writes the samples.

/// At which times samples are due: the multiples of an interval, each in the step that reaches it.
struct SampleTimes {
  Real interval_ms = 0;

  /// The number of the last sample by a time; times that differ by a millionth of the interval are the same.
  CARDIOWARP_HD std::int64_t last_by(Real time_ms) const {
    return static_cast<std::int64_t>(std::floor(time_ms / interval_ms + 1e-6));
  }
  CARDIOWARP_HD Real time_ms(std::int64_t number) const { return static_cast<Real>(number) * interval_ms; }
};

struct Ecg {
  std::vector<Vector3> electrodes;  ///< mm; none: no ECG
  SampleTimes times;
  Real scale = 0;       ///< σ_i / (4π σ_b D̃) of lead_vector(), D̃ that along the fibers outside the regions
  int most_a_step = 0;  ///< samples that the longest step may have

  bool empty() const { return electrodes.empty(); }
};

/// The ECG of a configuration. Throws InputError where the diffusivity outside the regions is 0, or an electrode of the
/// twelve leads is in the tissue or too near to it.
Ecg ecg_of(const Config& config, const Mesh& mesh, Real ms_per_tau);

/// The samples of an ECG since the last were taken.
struct EcgSamples {
  std::int64_t first = 0;  ///< the number of the first; its time is that of SampleTimes
  std::size_t electrodes = 0;
  std::vector<Real> value_mv = {};  ///< [samples × electrodes], sample after sample

  std::size_t size() const { return electrodes == 0 ? 0 : value_mv.size() / electrodes; }
};

}  // namespace cardiowarp
