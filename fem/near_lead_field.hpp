#pragma once
#include <span>
#include <vector>

#include "fem/vector3.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

struct Diffusivity;
struct Mesh;

/// Adds Σ_elements ∫ (D ∇N_i) · ∇(1/r) dΩ of each node to `lead`, [nodes], in the order of the elements, for an
/// electrode that may lie in the tissue: 1/r is integrated as it is, and not interpolated between the nodes. Linear
/// elements have the closed form of fem/inverse_distance.hpp, as ∇N_i is constant there. Quadratic ones have fourteen
/// points where 1/r is smooth; near the electrode they are cut into eight again and again, and the last pieces, 64
/// times shorter than the element, have the closed form with the ∇N_i of their middle.
void add_near_lead(const Mesh& mesh, std::span<const Diffusivity> diffusivity, Vector3 electrode,
                   std::vector<Real>& lead);

}  // namespace cardiowarp
