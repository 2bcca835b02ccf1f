#pragma once
#include <cstdint>

#include "fem/anatomy/near_faces.hpp"
#include "fem/network.hpp"
#include "fem/vector3.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

// A Purkinje network that is grown by a rule on an endocardium, after Sahli Costabal, Hurtado and Kuhl, Generating
// Purkinje networks in the human heart, J Biomech 49:2455-2465, 2016:
//
//                         / ...        1. A trunk leads from a start towards a place.
//           ------------<              2. Each end grows two branches, which turn by ±α in the tangent plane.
//     trunk       branch  \ ...        3. A branch grows by segments of length l: d ← d + w ∇s, made of length 1, and
//                                         x ← x + l d, put onto the surface, where s is the distance to the nearest
//                                         other branch.
//
// A branch ends where it comes nearer than a fifth of the mean branch to another one, or reaches the rim of the
// surface; such ends do not branch. Lengths of branches are spread by a tenth of their mean. Numbers by chance come
// from std::mt19937_64 and are added and multiplied only, and angles are rounded, so that a seed is the same network on
// every machine. It is done once on the host before a run, in a time that grows with the square of the number of
// points: 3000 take some tenths of a second.

/// What a network is grown by; lengths in mm, above 0.
struct GrowthRule {
  Real trunk_mm = 20, branch_mm = 8, segment_mm = 1;
  Real angle = 0.5236;   ///< α, radians
  Real repulsion = 0.1;  ///< w
  int generations = 20;  ///< how often ends branch
  std::uint64_t seed = 1;
};

/// The network on a surface whose reach (NearFaces) is a segment or more. Its first point is the one of the surface
/// that is nearest to `start`. Where the trunk has no direction on the surface, as `towards` lies straight above its
/// start, it is one point. Throws InputError where it would have more than 50,000 points.
Network grown_network(const NearFaces& surface, Vector3 start, Vector3 towards, const GrowthRule& rule);

}  // namespace cardiowarp
