#pragma once
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "app/simulation/boundary.hpp"
#include "app/simulation/renumbering.hpp"
#include "assembly/global_matrix.hpp"
#include "assembly/prescribed_nodes.hpp"
#include "assembly/sparsity.hpp"
#include "fem/vector3.hpp"
#include "kernels/backend/device.hpp"
#include "kernels/backend/types.hpp"
#include "solver/cg/cg_state.hpp"
#include "solver/solver_plan.hpp"
#include "solver/solver_precision.hpp"

namespace cardiowarp {

struct Mesh;

// Laplace's equation ∇·∇u = 0 on a mesh, with values prescribed at some nodes and no flux through the rest of the
// surface: `cardiowarp laplace`. The matrix of diffusion, its formats, the order of the nodes and conjugate gradients
// are those of a simulation; laplace_solver.hpp has the solve as one text for all machines. Fields of this kind are
// what fibers by rule are made of (papers 003 and 004 solve the same equation).

struct LaplaceOptions {
  Real tolerance = 1e-12;        ///< on |residual| at the free nodes, relative to that of u = 0 there
  int max_iterations = 100'000;  ///< of conjugate gradients, all together
  /// The precision of the matrix inside a solve. The residual that is left is computed in double precision anyway.
  SolverPrecision precision = SolverPrecision::double_precision;
};

/// The solution, and how it was found.
struct LaplaceField {
  std::vector<Real> value;  ///< [nodes] in the order of the mesh
  int iterations = 0;       ///< of conjugate gradients
  Real residual = 0;        ///< |K u| at the free nodes over |K u₀|, u₀ the prescribed values and 0 elsewhere
  CgStatus status = CgStatus::converged;
  std::string format, solver;  ///< of the matrix, and the path of conjugate gradients
};

/// All that mesh and prescribed values fix before a solve, in host memory and in the order that suits the machine.
struct LaplacePlan {
  RenumberedProblem renumbered;  ///< its phi has the prescribed values, and 0 elsewhere
  Sparsity sparsity;
  MatrixLayout matrix;
  SolverPlan solver;
  std::vector<Real> diffusion;  ///< [slots]
  std::vector<Index> diagonal_slot;
  PrescribedPlan prescribed;
};

/// The plan for a mesh that the caller keeps meanwhile. Throws InputError where a connected part of the mesh has no
/// prescribed node, so that a constant could be added to u there.
LaplacePlan plan_laplace(const Mesh& mesh, const PrescribedValues& values, const Device& device,
                         SolverPrecision precision = SolverPrecision::double_precision);

/// The field of `values` as `solve` finds it for values that are divided by a power of two near the largest, so that
/// squares neither vanish nor overflow. The field of values that differ by more than fifteen decades is as accurate as
/// the largest of them.
LaplaceField solve_laplace_scaled(const PrescribedValues& values,
                                  const std::function<LaplaceField(const PrescribedValues&)>& solve);

LaplaceField solve_laplace_on_cpu(const Mesh& mesh, const PrescribedValues& values, const LaplaceOptions& options = {});

/// The fields of several sets of values at the same nodes, `values[k]` in the order of `nodes`, with one plan for all.
/// The values should be of the size of 1, as they are not scaled.
std::vector<LaplaceField> solve_laplace_on_cpu(const Mesh& mesh, const std::vector<Index>& nodes,
                                               const std::vector<std::vector<Real>>& values,
                                               const LaplaceOptions& options);

/// Solves as solve_laplace_on_cpu(), on the first CUDA device. Throws DeviceError where none can be used.
LaplaceField solve_laplace_on_gpu(const Mesh& mesh, const PrescribedValues& values, const LaplaceOptions& options = {});

/// [elements] ∇u, in the unit of u per mm, of a field [nodes]; its mean over each element of a quadratic mesh.
std::vector<Vector3> gradients(const Mesh& mesh, std::span<const Real> value);

}  // namespace cardiowarp
