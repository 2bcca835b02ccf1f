#pragma once
#include "fem/vector3.hpp"

namespace cardiowarp {

/// Transversely isotropic diffusivity D̃ = isotropic I + anisotropic n⊗n (paper 000 sec. 2), mm² per τ; n is the unit
/// fiber, or zero where there is none.
struct Diffusivity {
  Real isotropic = 0, anisotropic = 0;
  Vector3 fiber;

  CARDIOWARP_HD Vector3 times(Vector3 gradient) const {
    return isotropic * gradient + (anisotropic * dot(fiber, gradient)) * fiber;
  }
};

}  // namespace cardiowarp
