#pragma once
#include <vector>

#include "assembly/global_matrix.hpp"
#include "assembly/sparsity.hpp"
#include "fem/diffusivity.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

struct Mesh;

/// The term of K that never changes on a fixed mesh, diffusion: entry (I, J) = Σ_e V_e G_I · D̃_e G_J, in the pattern of
/// `sparsity`, [entries]. `diffusivity` is [elements]. Each row is summed in ascending order of elements, so the values
/// do not depend on the number of threads. Computed once in a run, on the host.
std::vector<Real> diffusion_matrix(const Mesh& mesh, const std::vector<Diffusivity>& diffusivity,
                                   const Sparsity& sparsity);

/// The diffusion term of K with each entry at the slot where `layout` stores it, [slots]; padding is 0.
std::vector<Real> diffusion_matrix(const Mesh& mesh, const std::vector<Diffusivity>& diffusivity,
                                   const Sparsity& sparsity, const MatrixLayout& layout);

/// [elements] The volume of each element, mm³.
std::vector<Real> element_volumes(const Mesh& mesh);

}  // namespace cardiowarp
