#include "assembly/scalar_rows.hpp"

#include "assembly/diffusion_matrix.hpp"

namespace cardiowarp {

std::int64_t ScalarRowsPlan::bytes() const {
  constexpr std::size_t of_entry = 2 * sizeof(Real) + sizeof(Index),
                        of_element = 4 * (sizeof(Index) + sizeof(Sparsity::Slots)) + sizeof(TangentResidual),
                        of_row = 2 * sizeof(Index) + sizeof(std::uint16_t) + 3 * sizeof(Real);
  return static_cast<std::int64_t>(diffusion.size() * of_entry + volume.size() * of_element + diagonal.size() * of_row);
}

ScalarRowsPlan scalar_rows_plan(const Mesh& mesh, const std::vector<Diffusivity>& diffusivity,
                                const Sparsity& sparsity) {
  ScalarRowsPlan plan;
  plan.diffusion = diffusion_matrix(mesh, diffusivity, sparsity);
  for (Index row = 0; row < sparsity.rows(); ++row)
    plan.diagonal.push_back(static_cast<std::uint16_t>(sparsity.diagonal[row] - sparsity.row_begin[row]));
  plan.volume = element_volumes(mesh);
  return plan;
}

}  // namespace cardiowarp
