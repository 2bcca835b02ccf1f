#pragma once
#include <optional>
#include <string>

#include "app/config/velocity.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

/// D = isotropic I + anisotropic n⊗n; `longitudinal`, `transverse` in YAML mean isotropic = transverse,
/// anisotropic = longitudinal - transverse.
struct DiffusivityConfig {
  Real isotropic_mm2_per_ms = 1.0;
  Real anisotropic_mm2_per_ms = 0.1;
  std::string place = {};                       ///< of the section; empty where there is none
  std::optional<VelocityConfig> velocity = {};  ///< of `velocity` in place of `diffusivity`
  bool is_found = false;  ///< whether D is the one that the velocity asks for, which is found later
};

}  // namespace cardiowarp
