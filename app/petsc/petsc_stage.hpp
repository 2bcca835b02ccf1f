#pragma once
#include <optional>
#include <vector>

#include "app/petsc/petsc_handle.hpp"
#include "app/petsc/petsc_methods.hpp"
#include "app/petsc/processes_backend.hpp"
#include "app/petsc/subdomain.hpp"
#include "app/simulation/implicit_stage.hpp"
#include "app/simulation/problem.hpp"
#include "assembly/ionic/ionic_assembly.hpp"
#include "assembly/vertex_points.hpp"
#include "fem/quadrature.hpp"
#include "solver/newton.hpp"

namespace cardiowarp {

// The stage of a time scheme where PETSc has the matrix and the solver. It takes the place of ImplicitStage
// (implicit_stage.hpp) by the specialization at the end of this header, so that the time schemes over it are those of
// the other backends. Each process has a PetscPlan of its subdomain, made before the first step, and a PetscStage that
// computes by it. A call of PETSc that fails ends all processes.

/// The facts on its subdomain that a process knows before the first step.
struct PetscPlan {
  PetscMethods methods;
  Subdomain subdomain;
  VertexPoints vertices;     ///< those of own nodes; none where the quadrature has none
  std::vector<Real> states;  ///< [states × points] of the cells at t = 0: centroids, then vertices

  const Problem& problem() const { return subdomain.problem; }
  QuadratureWeights weights() const { return weights_of(problem().quadrature); }
  Index nodes() const { return static_cast<Index>(problem().mesh->nodes.size()); }
  Index elements() const { return static_cast<Index>(problem().mesh->tetrahedra.size()); }
  Index centroids() const { return weights().centroid > 0 ? elements() : 0; }
  Index points() const { return centroids() + vertices.points(); }
};

PetscPlan petsc_plan(Subdomain subdomain, const PetscMethods& methods);

/// A stage of a time scheme on PETSc (paper 000 sec. 8): an AIJ matrix over the processes of PETSC_COMM_WORLD, and
/// KSPCG. It is to a scheme what ImplicitStage is on other backends. A process has the rows of its own nodes, to which
/// all their elements add, since a subdomain has these; φ and the load are known at the ghosts, too, so that nothing
/// but the update is sent to these.
class PetscStage {
 public:
  using Plan = PetscPlan;

  /// The plan is kept by the caller.
  PetscStage(ProcessesBackend& backend, const PetscPlan& plan);

  Real* phi() const { return phi_.data(); }                      ///< [nodes] the iterate
  Real* load() const { return load_.data(); }                    ///< [nodes]
  const Real* lowest_phi() const { return lowest_phi_.data(); }  ///< [nodes] end of the admissible range
  StepState* state() const { return state_.data(); }
  Index nodes() const { return plan_.nodes(); }
  Index points() const { return plan_.points(); }
  StepSeconds& seconds() { return seconds_; }

  void begin_step() {}
  static SpectrumMemory* spectrum() { return nullptr; }

  /// As ImplicitStage::newton().
  void newton(ProcessesBackend::Repetition& repetition, const Real* old, Real* now);

  // The system that newton() solves.

  /// K and −R.
  void linearize();
  void correct();

 private:
  void make_matrix();
  void make_solver();
  void preallocate_from_sparsity(bool with_diffusion);
  void preallocate_from_elements();

  void insert_elements();
  void insert(Index first, Index end);
  void multiply_diffusion();
  void evaluate_vertices();
  void add_vertices();
  void eliminate_prescribed();
  void set_linear_target();
  CgReport solve(const Forcing& forcing);
  CgReport solve_scaled(const Forcing& forcing);
  void update();

  ElementState element_state() const {
    return {phi_.data(), load_.data(), states_old_, states_, &state()->step, points()};
  }
  /// Whether the quadrature is `vertices`, with which only the diagonal of the matrix changes.
  bool only_diagonal() const { return plan_.weights().centroid == 0; }

  ProcessesBackend& backend_;
  const PetscPlan& plan_;
  Index own_nodes_;
  StepSeconds seconds_;
  const Real* states_old_ = nullptr;
  Real* states_ = nullptr;

  std::vector<Index> prescribed_;          ///< own nodes whose potential is prescribed
  std::vector<PetscInt> prescribed_rows_;  ///< their rows in the matrix
  bool any_prescribed_ = false;            ///< in any process
  std::vector<PetscInt> row_, column_;     ///< [4 elements] in the matrix; a row of another process is −1: left out
  Index elements_in_block_ = 0;
  std::vector<Real> entry_values_, node_values_;  ///< [elements in a block × 4 × 4], [× 4]
  std::vector<TangentResidual> vertex_adds_;      ///< [own nodes]

  std::optional<IonicCells<CpuBackend>> ionic_;  ///< where the cells are ionic
  Buffer<Real> phi_, lowest_phi_, load_;
  Buffer<Real> inverse_volume_, inverse_diffusion_, inverse_diagonal_;  ///< where the linear solver aims at an error
  Buffer<StepState> state_;

  PetscMatrix matrix_;
  PetscMatrix diffusion_;                   ///< the constant part of the matrix where only its diagonal changes
  PetscVector phi_in_petsc_;                ///< phi_ of own nodes, there
  PetscVector diffusion_diagonal_;          ///< there
  PetscVector negative_residual_, update_;  ///< `update_` has room for the ghosts
  PetscVector diagonal_;
  PetscSolver solver_;
};

/// The stage of time schemes on ProcessesBackend.
template <>
class ImplicitStage<ProcessesBackend> : public PetscStage {
  using PetscStage::PetscStage;
};

}  // namespace cardiowarp
