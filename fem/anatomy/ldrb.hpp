#pragma once
#include <optional>

#include "fem/anatomy/axes.hpp"
#include "fem/anatomy/fiber_angles.hpp"
#include "fem/vector3.hpp"

namespace cardiowarp {

// The Laplace-Dirichlet rule of fibers (LDRB: Bayer, Blake, Plank and Trayanova, Ann Biomed Eng 40:2243-2254, 2012) at
// one place of the wall. The rule takes fields that are 0 or 1 on the surfaces of a heart and harmonic between them,
// with their gradients, and gives the directions of fiber and sheet there. It is a value computation of some hundred
// operations on the host; whoever has a mesh calls it for each element with the values and gradients there
// (app/anatomy/rule_fibers.hpp).

/// The fields at a place. `left`, `right` and `epi` are harmonic and 1 on their surface (the endocardium of the left
/// ventricle, that of the right one, the epicardium), 0 on the other two, so that they add up to 1. Gradients are in
/// 1/mm; `to_base` is that of the field that is 0 at the apex and 1 at the base.
struct WallFields {
  Real left = 0, right = 0, epi = 0;
  Vector3 left_gradient, right_gradient, epi_gradient, to_base;
};

/// The ventricles that a heart has.
enum class HeartKind { left_ventricle, two_ventricles };

/// The directions at a place of the wall; with HeartKind::left_ventricle only `epi` and its gradient are looked at
/// beside `to_base`. Gradients up to `least`, 1/mm, count as none. Absent where there is no longitudinal or no
/// transmural direction.
std::optional<Axes> ldrb_axes(const WallFields& fields, const LdrbAngles& angles, FiberRule rule, HeartKind heart,
                              Real least);

}  // namespace cardiowarp
