#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "app/simulation/problem.hpp"
#include "app/simulation/pulse_surroundings.hpp"
#include "app/simulation/renumbering.hpp"
#include "app/simulation/residual_scales.hpp"
#include "assembly/assembly.hpp"
#include "assembly/global_matrix.hpp"
#include "assembly/operators/operator_plan.hpp"
#include "assembly/papers/paper_assembly.hpp"
#include "assembly/prescribed_nodes.hpp"
#include "assembly/quadratic_assembly.hpp"
#include "assembly/scalar_gather.hpp"
#include "assembly/scalar_rows.hpp"
#include "assembly/slice_gather.hpp"
#include "assembly/sparsity.hpp"
#include "assembly/spmv_assembly.hpp"
#include "assembly/vertex_assembly.hpp"
#include "kernels/backend/cpu_backend.hpp"
#include "solver/solver_plan.hpp"

namespace cardiowarp {

class Simulation;

// All that mesh and options fix before the first step, so that a backend has only to upload it. A simulation is made
// from a plan, and `check` makes a plan alone, to say how a run would compute and what memory it would take. The plan
// is worked out on the host, each piece from those before: the order of the nodes, the sparsity, the layout of the
// matrix, the assembly, the linear solver. plan_simulation() refuses with InputError what the mesh is too large for or
// the device cannot do.

/// Stands in place of a plan for the centroids where the quadrature has no points there.
struct NoCentroids {
  static std::int64_t bytes() { return 0; }
};

/// Everything that mesh and options fix before the first step, worked out on the host for whichever backend.
struct SimulationPlan {
  RenumberedProblem renumbered;
  Sparsity sparsity;
  MatrixLayout matrix;
  /// How the numbers of the points at the centroids are assembled, or those of quadratic elements; NoCentroids where
  /// the quadrature has none, and where quadratic elements are gathered.
  std::variant<NoCentroids, ScalarRowsPlan, ScalarGatherPlan, SliceGatherPlan, SpmvAssemblyPlan, PaperAssemblyPlan>
      assembly;
  std::optional<OperatorPlan> operators;  ///< where linear_solver.operator has no global matrix, and `assembly` nothing
  std::optional<VertexPlan> vertices;     ///< where the quadrature has points at vertices
  std::optional<QuadraticPlan> quadratic;  ///< of a quadratic mesh; with what gathers, where `assembly` has nothing
  PrescribedPlan prescribed;               ///< of the nodes whose potential is prescribed
  std::vector<Real> states;                ///< [states × points] of the cells at t = 0: centroids, then vertices
  /// [elements] the points at the corners of each, where all points are at vertices; else nothing.
  std::shared_ptr<const std::vector<Tetrahedron>> corner_points;
  SolverPlan solver;
  std::vector<Real> lowest_phi;                                        ///< [nodes] lowest_admissible_phi()
  ResidualScales residual_scales;                                      ///< where TimeMethod::linear_follows; else empty
  std::vector<std::shared_ptr<const PulseSurroundings>> surroundings;  ///< [stimuli]

  const Problem& problem() const { return renumbered.problem; }
  /// The values that the matrix of a run has (GlobalMatrix::value()).
  std::int64_t values() const { return operators ? operators->values() : matrix.slots; }
  /// Integration points, the centroids of the elements first.
  Index points() const {
    if (quadratic) return quadratic_points * quadratic->elements();
    const bool centroids = weights_of(problem().quadrature).centroid > 0;
    return (centroids ? static_cast<Index>(problem().mesh->tetrahedra.size()) : 0) +
           (vertices ? vertices->points.points() : 0);
  }
};

/// The plan of a problem, put into the order that suits the device, which decides what `automatic` means. Throws
/// InputError where the mesh is too large for the numbers, and where choose_solver(), plan_solver() or
/// choose_assembly() refuse a wish.
SimulationPlan plan_simulation(const Problem& problem, const Device& device);

/// Chooses the solver of a problem, for the rows that its matrix has in an order of its mesh, and then the order of its
/// nodes, which the format of the chosen solver decides. Throws InputError as choose_solver() does.
RenumberedProblem choose_solver_and_order(const Problem& problem, MeshOrder order, const Device& device);
/// Chooses likewise in the order of locality, as a run does.
RenumberedProblem choose_solver_and_order(const Problem& problem, const Device& device);

/// The plan of a problem in the order it has.
SimulationPlan plan_in_given_order(RenumberedProblem problem, const Device& device);

/// The cells' states at t = 0 where the integration points are, [states × points]: at the elements' centroids, where
/// the quadrature has those, then at the first `kept` of the vertex points.
std::vector<Real> states_at_points(const Problem& problem, const Incidence& incidence, const VertexPoints& vertices,
                                   Index kept);

/// The simulation of a plan on the CPU. The plan is read here only.
std::unique_ptr<Simulation> make_cpu_simulation_of(const SimulationPlan& plan);

/// Memory that a simulation of the plan allocates where it computes; cuSPARSE's workspace and the factor of block
/// Jacobi are left out.
std::size_t backend_bytes(const SimulationPlan& plan);

/// The tissue of a plan for the strategies of the papers.
inline TissueToAssemble tissue_to_assemble(const SimulationPlan& plan) {
  const Problem& problem = plan.problem();
  return {*problem.mesh, problem.diffusivity, problem.cell_models, problem.cell_model, plan.sparsity};
}

/// The assembly of a run, and K: the global matrix in its format, or what multiplies in its place. Every way to
/// assemble K for every cell model and every format takes long to compile: make_assembly.hpp has the text, which
/// assembly_cpu.cpp and matrix_cpu.cpp compile for the CPU, simulation_sizing.cpp where only memory is counted, and
/// assembly_cuda.cu and matrix_cuda.cu for a GPU.
template <Backend B>
std::unique_ptr<Assembly<B>> make_assembly(B& backend, const SimulationPlan& plan);
template <Backend B>
std::unique_ptr<GlobalMatrix<B>> make_matrix(B& backend, const SimulationPlan& plan);

// Compiled once likewise, in matrix_cpu.cpp. The linear solvers are compiled in solver/.
extern template std::unique_ptr<GlobalMatrix<CpuBackend>> make_global_matrix(CpuBackend&, const Sparsity&,
                                                                             const MatrixLayout&);

}  // namespace cardiowarp
