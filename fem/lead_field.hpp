#pragma once
#include <optional>
#include <span>
#include <vector>

#include "fem/vector3.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

struct Diffusivity;
struct Mesh;

// The lead vector of an electrode in an unbounded medium. The potential that the tissue causes at an electrode is (K.
// Gima, Y. Rudy, Circ. Res. 90:889, 2002, eq. 1)
//   φ_e = −1/(4π σ_b) ∫ σ_i ∇V · ∇(1/r) dΩ,   r the distance from the electrode,
// which is positive while a front of depolarization comes towards the electrode. With V given at the nodes and
// interpolated as the elements do, that is the product of a vector of the electrode and the V of all nodes. The vector
// is made once, in one pass over the elements, and takes 8 bytes a node. Outside the tissue the nodes give 1/r, too. In
// the tissue and near to it 1/r is integrated as it is (near_lead_field.hpp): φ_e is then the electrogram of a tissue
// whose σ_i + σ_e is σ_b in all directions.

/// [nodes] of the electrode: −scale Σ_elements ∫ (D ∇N_i) · ∇(1/r) dΩ, without unit where `scale` is σ_i over
/// 4π σ_b D. Where nothing is too_near(), 1/r is interpolated, Σ_j N_j / r_j. Linear and quadratic elements, the latter
/// with fourteen points each. The terms of a node are added in the order of the elements.
std::vector<Real> lead_vector(const Mesh& mesh, std::span<const Diffusivity> diffusivity, Vector3 electrode,
                              Real scale);

/// A node to which an electrode is nearer than elements there are long.
struct TooNear {
  Index node;
  Real distance_mm, least_mm;  ///< as it is, and as it has to be
};

/// [nodes] the longest edge between the corners of the elements that have the node as one of theirs or on an edge, mm;
/// 0 where no element has it.
std::vector<Real> longest_edges(const Mesh& mesh);

/// Nothing where an electrode has at least the distance of the longest edge there from every node of the tissue. A
/// nearer one, and so one in the tissue, has no use of 1/r that is interpolated between nodes: half of an edge away the
/// error is as large as 1/r itself.
std::optional<TooNear> too_near(const Mesh& mesh, const std::vector<Real>& longest_edges_mm, Vector3 electrode);

}  // namespace cardiowarp
