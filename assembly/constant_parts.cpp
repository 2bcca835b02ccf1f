#include "assembly/constant_parts.hpp"

#include "assembly/diffusion_matrix.hpp"
#include "assembly/quadratic_assembly.hpp"

namespace cardiowarp {

ConstantParts constant_parts(ElementKind kind, const Mesh& mesh, const std::vector<Diffusivity>& diffusivity,
                             const Sparsity& sparsity, const MatrixLayout& layout) {
  const bool general = kind == ElementKind::general;
  if (mesh.is_quadratic())
    return {
        general ? std::vector<Real>() : quadratic_diffusion_matrix(mesh, diffusivity, sparsity, layout, false).in_slots,
        quadratic_points_of(mesh).volume};
  if (general) return {};
  return {diffusion_matrix(mesh, diffusivity, sparsity, layout), element_volumes(mesh)};
}

}  // namespace cardiowarp
