#pragma once
#include "kernels/backend/types.hpp"

namespace cardiowarp {

/// The section `velocity`: how fast fronts travel that are alone, straight and far from where they began, in mm/ms,
/// which is m/s. The diffusivity that does it on the mesh of the run is found before the run
/// (app/start/find_diffusivity.hpp).
struct VelocityConfig {
  Real longitudinal_mm_per_ms = 0;  ///< along the fiber
  Real transverse_mm_per_ms = 0;    ///< across it; the same where the tissue is isotropic

  bool is_isotropic() const { return longitudinal_mm_per_ms == transverse_mm_per_ms; }
};

}  // namespace cardiowarp
