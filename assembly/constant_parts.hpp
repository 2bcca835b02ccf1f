#pragma once
#include <vector>

#include "assembly/element_numbers.hpp"
#include "assembly/global_matrix.hpp"
#include "assembly/sparsity.hpp"
#include "fem/diffusivity.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

struct Mesh;

/// The numbers of the elements of a linear or quadratic mesh that no iteration changes, for the strategies that ask a
/// view for them.
struct ConstantParts {
  std::vector<Real> diffusion;  ///< [slots] the diffusion term of K; of general elements nothing
  std::vector<Real> volume;     ///< [elements] mm³, of general elements nothing; of a quadratic mesh [14 × elements]
};
ConstantParts constant_parts(ElementKind kind, const Mesh& mesh, const std::vector<Diffusivity>& diffusivity,
                             const Sparsity& sparsity, const MatrixLayout& layout);

}  // namespace cardiowarp
