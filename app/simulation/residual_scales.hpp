#pragma once
#include <vector>

#include "app/simulation/problem.hpp"
#include "assembly/quadratic_assembly.hpp"
#include "assembly/sparsity.hpp"

namespace cardiowarp {

/// Factors from the residual of a linear system to an error in φ (ErrorFromResidual,
/// app/simulation/implicit_stage.hpp), [nodes] each, in the units of the matrix; 0 for a node without elements.
struct ResidualScales {
  std::vector<Real> inverse_volume;     ///< 1 / m_i of a quarter of the elements around it
  std::vector<Real> inverse_diffusion;  ///< one over the diagonal of the matrix of diffusion
};

/// The scales of a quadratic mesh. In place of a quarter of an element stands what a shape function has in magnitude of
/// it, |∫ N_i|: a twentieth at a corner, where the integral is negative, and a fifth on an edge.
ResidualScales quadratic_residual_scales(const Problem& problem, const QuadraticPlan& plan);

/// `incidence` is that of the problem's mesh.
ResidualScales residual_scales(const Problem& problem, const Incidence& incidence);

}  // namespace cardiowarp
