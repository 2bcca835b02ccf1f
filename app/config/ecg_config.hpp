#pragma once
#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "fem/vector3.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

/// A point outside the tissue or in it whose potential is a column of `ecg.csv`.
struct ElectrodeConfig {
  std::string name;
  Vector3 point;
  std::string place = {};  ///< in the YAML text or of the file of electrodes, for messages
};

/// Two points whose difference of potentials, the first minus the second, is a column of `ecg.csv`: two electrodes, or
/// the ends of a catheter that lie half of a spacing before and behind a point.
struct BipolarConfig {
  std::string name;
  std::vector<std::string> electrodes = {};  ///< the names of two; none: the ends of a catheter
  Vector3 point = {}, direction = {};        ///< in mm; of any length, from the second end to the first
  Real spacing_mm = 0;
  std::string place = {};  ///< of the entry in the YAML text, for messages
};

/// The ECG of a run (fem/lead_field.hpp).
struct EcgConfig {
  std::vector<ElectrodeConfig> electrodes;
  std::vector<BipolarConfig> bipolar = {};
  Real interval_ms = 1;               ///< between two values
  Real intracellular_s_per_m = 0.17;  ///< σ_i along the fibers, where D is that of `diffusivity`
  Real bath_s_per_m = 0.2;            ///< σ_b around the tissue
};

/// The points whose potentials are sampled, and which of them each entry of EcgConfig::bipolar has.
struct EcgPoints {
  std::vector<ElectrodeConfig> points;            ///< the electrodes, then the ends of catheters
  std::vector<std::array<std::size_t, 2>> pairs;  ///< [bipolar] the first and the second, by their number in `points`
};
EcgPoints points_of(const EcgConfig& ecg);

}  // namespace cardiowarp
