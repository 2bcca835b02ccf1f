#pragma once
#include <string>
#include <vector>

#include "app/config/config.hpp"
#include "app/simulation/problem.hpp"
#include "fem/cells/cell_model.hpp"
#include "fem/vector3.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

/// By how much backward Euler with steps of `step` (in τ) makes a front too fast, relative to its speed: 0.084 at 1 ms
/// of Aliev–Panfilov with the default parameters; infinite where the step is as long as the front takes. No error where
/// no front travels.
Real speed_error_of_step(const Front& front, Real step);

/// The step with which the front is too fast by `error`, in τ; infinite where no front travels.
Real step_of_speed_error(const Front& front, Real error);

/// How far the mesh is too coarse for the front, and where it is worst.
struct FrontResolution {
  Real mean_error = 0;               ///< of the front's speed, relative; mean over the volume
  std::int64_t coarse_elements = 0;  ///< with an error above `coarse_error`
  Real coarse_share = 0;             ///< of the volume
  std::size_t worst = 0;             ///< element
  Real worst_error = 0;
  Vector3 worst_at;  ///< its centroid, mm
  Real worst_edge_mm = 0, worst_front_mm = 0;

  static constexpr Real coarse_error = 0.1;
};

/// Judges every element: tissue made of such elements speeds a front up by 1 % · ℓ²/δ², with the front's thickness δ
/// and the root mean square ℓ of the element's six edges; along and across the fibre, where the two differ, with the
/// edges' share in that direction and its δ. The larger of both counts.
FrontResolution front_resolution(const Problem& problem);

/// "about 3 % too fast on average, about 5 % in the worst element".
std::string describe(const FrontResolution& resolution);

/// Warnings of a time step and of elements that are too coarse for the front, one sentence each.
std::vector<std::string> resolution_warnings(const Config& config, const Problem& problem);

}  // namespace cardiowarp
