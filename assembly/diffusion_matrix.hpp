#pragma once
#include <vector>

#include "assembly/element_numbers.hpp"
#include "assembly/global_matrix.hpp"
#include "assembly/sparsity.hpp"
#include "fem/diffusivity.hpp"
#include "fem/mesh.hpp"

namespace cardiowarp {

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

/// What no iteration changes of the elements of a linear or quadratic mesh, for the strategies that ask a view for
/// their numbers.
struct ConstantParts {
  std::vector<Real> diffusion;  ///< [slots] the diffusion term of K; of general elements nothing
  std::vector<Real> volume;     ///< [elements] mm³, of general elements nothing; of a quadratic mesh [14 × elements]
};
ConstantParts constant_parts(ElementKind kind, const Mesh& mesh, const std::vector<Diffusivity>& diffusivity,
                             const Sparsity& sparsity, const MatrixLayout& layout);

}  // namespace cardiowarp
