#pragma once
#include <string>
#include <vector>

#include "fem/vector3.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

/// A point outside the tissue whose potential is a column of `ecg.csv`.
struct ElectrodeConfig {
  std::string name;
  Vector3 point;
  std::string place = {};  ///< in the YAML text or of the file of electrodes, for messages
};

/// The ECG of a run (fem/lead_field.hpp).
struct EcgConfig {
  std::vector<ElectrodeConfig> electrodes;
  Real interval_ms = 1;               ///< between two values
  Real intracellular_s_per_m = 0.17;  ///< σ_i along the fibers, where D is that of `diffusivity`
  Real bath_s_per_m = 0.2;            ///< σ_b around the tissue
};

}  // namespace cardiowarp
