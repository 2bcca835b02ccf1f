#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "fem/cells/cell_model.hpp"
#include "fem/quadrature.hpp"
#include "fem/vector3.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

struct Config;
struct Problem;

/// By how much backward Euler with steps of `step` (in τ) makes a front too fast, relative to its speed: 0.084 at 1 ms
/// of Aliev–Panfilov with the default parameters; infinite where the step is as long as the front takes. No error where
/// no front travels.
Real speed_error_of_step(const Front& front, Real step);

/// The step with which the front is too fast by `error`, in τ; infinite where no front travels.
Real step_of_speed_error(const Front& front, Real error);

/// By how much elements whose edges have the root mean square ℓ change the speed of a front of thickness δ, relative to
/// its speed, where `square` is ℓ²/δ²; above 0 the front is too fast, below 0 too slow. Integration at the centroids
/// makes it too fast, at the vertices too slow, and with both kinds of points the two errors nearly cancel. −1 is the
/// end of the scale, not a measured number: docs/method/verification.md has how far it was measured.
Real speed_error_of_mesh(Quadrature quadrature, const Front& front, Real square);

/// Whether a front may stop in such elements: with a lumped mass, a node in front of a coarse front gets too little
/// current to pass the threshold of excitation. Never where cells are at the centroids, too.
bool front_may_stop(Quadrature quadrature, const Front& front, Real square);

/// How far the mesh is too coarse for the front, and where it is worst.
struct FrontResolution {
  Quadrature quadrature = Quadrature::vertices;  ///< that of the problem
  Real mean_error = 0;  ///< of the front's speed, relative, as in `speed_error_of_mesh`; mean over the volume
  std::int64_t coarse_elements = 0;    ///< with an error above `largest_fast` or below −`largest_slow`
  std::int64_t stopping_elements = 0;  ///< in which a front may stop
  Real coarse_share = 0;               ///< of the volume
  std::size_t worst = 0;               ///< element
  Real worst_error = 0;
  Vector3 worst_at;  ///< its centroid, mm
  Real worst_edge_mm = 0, worst_front_mm = 0;

  static constexpr Real largest_fast = 0.1, largest_slow = 0.05;
};

/// Judges every element by the speed that a front would have in tissue made of such elements, with the front's
/// thickness δ and the root mean square ℓ of the element's six edges; along and across the fiber, where the two differ,
/// with the edges' share in that direction and its δ. The larger of both errors counts.
FrontResolution front_resolution(const Problem& problem);

/// "about 0.8 % too slow on average, about 2 % in the worst element".
std::string describe(const FrontResolution& resolution);

/// Warnings of a time step and of elements that are too coarse for the front, one sentence each.
std::vector<std::string> resolution_warnings(const Config& config, const Problem& problem);

}  // namespace cardiowarp
