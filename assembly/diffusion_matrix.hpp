#pragma once
#include <vector>

#include "assembly/sparsity.hpp"
#include "fem/diffusivity.hpp"
#include "fem/mesh.hpp"

namespace cardiowarp {

/// The part of K that never changes on a fixed mesh: entry (I, J) = Σ_e V_e G_I · D̃_e G_J, in the pattern of
/// `sparsity`, [entries]. `diffusivity` is [elements]. Each row is summed in ascending element order, so the values do
/// not depend on the number of threads.
std::vector<Real> diffusion_matrix(const Mesh& mesh, const std::vector<Diffusivity>& diffusivity,
                                   const Sparsity& sparsity);

}  // namespace cardiowarp
