#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "fem/quadrature.hpp"
#include "fem/vector3.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

class LatticeSpeeds;
struct Config;
struct Front;
struct Problem;

/// By how much elements whose edges have the root mean square ℓ change the speed of a front of thickness δ, relative to
/// its speed, where `square` is ℓ²/δ²; above 0 the front is too fast, below 0 too slow. With cells at the vertices it
/// is what a cable of those cells has on such edges, `lattice`; it may be null for a quadrature without vertices. With
/// cells at the centroids the front is too fast, and with both kinds of points the two errors nearly cancel.
Real speed_error_of_mesh(Quadrature quadrature, const LatticeSpeeds* lattice, Real square);

/// Whether a front may stop in such elements: with a lumped mass, a node in front of a coarse front gets too little
/// current to pass the threshold of excitation. Never where cells are at the centroids, too.
bool front_may_stop(Quadrature quadrature, const Front& front, const LatticeSpeeds* lattice, Real square);

/// How far the mesh is too coarse for the front, and where it is worst.
struct FrontResolution {
  Quadrature quadrature = Quadrature::vertices;  ///< that of the problem
  bool has_fibers = false;                       ///< whether along and across differ anywhere
  bool knows_across = true;                      ///< see front_resolution()
  Real mean_error = 0;  ///< of the front's speed, relative, as in `speed_error_of_mesh`; mean over the volume
  Real mean_along = 0, mean_across = 0;  ///< the same along and across the fibers, which are all the same without
  std::int64_t coarse_elements = 0;      ///< with an error above `largest_fast` or below −`largest_slow`
  std::int64_t stopping_elements = 0;    ///< in which a front may stop
  Real coarse_share = 0;                 ///< of the volume
  std::size_t worst = 0;                 ///< element
  Real worst_error = 0;
  Vector3 worst_at;  ///< its centroid, mm
  Real worst_edge_mm = 0, worst_front_mm = 0;
  Real good_edge_mm = 0, good_error = 0;  ///< edges in its place with an error below `largest_slow`, and that error

  static constexpr Real largest_fast = 0.1, largest_slow = 0.05;
};

/// Judges every element by the speed that a front would have in tissue made of such elements, with the front's
/// thickness δ and the root mean square ℓ of the element's six edges; along and across the fiber, where the two differ,
/// with the edges' share in that direction and its δ. The larger of both errors counts. On irregular elements with
/// cells at the vertices the law of a cable does not hold across the fibers, as the stiffness of elements that lie
/// askew makes up for what the mass loses, or for more: there the error along counts, and `knows_across` is false.
FrontResolution front_resolution(const Problem& problem);

/// [elements] %: the error that counts of each element, as front_resolution() judges it; 0 where tissue does not
/// conduct.
std::vector<float> front_velocity_errors(const Problem& problem);

/// "about 0.8 % too slow on average, about 2 % in the worst element".
std::string describe(const FrontResolution& resolution);

/// The expected error of velocities that a run tells at its end, in a sentence; empty where it is below 1 % and where
/// `velocity` has made up for it.
std::string velocity_in_words(const Config& config, const FrontResolution& resolution);

/// Warnings of a time step and of elements that are too coarse for the front, one sentence each.
std::vector<std::string> resolution_warnings(const Config& config, const Problem& problem);

}  // namespace cardiowarp
