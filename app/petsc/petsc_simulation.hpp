#pragma once
#include <memory>
#include <string>
#include <vector>

#include "app/petsc/petsc_handle.hpp"
#include "app/petsc/subdomain.hpp"
#include "app/simulation/backward_euler.hpp"
#include "app/simulation/problem.hpp"
#include "app/simulation/renumbering.hpp"
#include "fem/beat_maps.hpp"
#include "kernels/backend/cpu_backend.hpp"
#include "solver/newton.hpp"

namespace cardiowarp {

enum class PetscPreconditioner {
  jacobi,
  block_jacobi,  ///< ILU(0) of each process' own rows and columns
};

/// How element values get into matrix and vector.
enum class PetscInsertion {
  set_values,  ///< MatSetValues with one element matrix at a time (paper 000 sec. 8)
  coo,         ///< MatSetValuesCOO with all of them at once: faster, for 160 bytes an element and PETSc's own maps
};

/// How the nodes are numbered before they are divided among the processes.
enum class PetscNumbering {
  locality,     ///< along a Hilbert curve
  row_lengths,  ///< as in the CPU reference: along that curve and, inside windows, by the length of their row
};

struct PetscMethods {
  PetscPreconditioner preconditioner = PetscPreconditioner::jacobi;
  PetscInsertion insertion = PetscInsertion::set_values;
  PetscNumbering numbering = PetscNumbering::locality;
};

/// Values of all nodes in the input's order; on process 0 only, empty on the others.
struct PetscFields {
  std::vector<Real> potential_mv, activation_ms;
};

/// The simulation as a program on top of PETSc computes it (paper 000 sec. 8): an AIJ matrix over the processes of
/// PETSC_COMM_WORLD, and KSPCG. Steps, elements and Newton's method are those of BackwardEuler. All members are
/// collective.
class PetscSimulation {
 public:
  /// Every process has the whole problem and takes its subdomain of it.
  PetscSimulation(const Problem& problem, const PetscMethods& methods);

  /// One backward Euler step from the current time to `time_ms`.
  NewtonReport step_to(Real time_ms);

  PetscFields fields();
  const StepSeconds& seconds() const { return seconds_; }  ///< of this process
  /// After a step that failed: whether a node left the range of its cell model.
  bool left_range() const { return left_range_; }
  std::string range_in_words() const { return cardiowarp::range_in_words(subdomain_.problem.cell_models); }

  // The system that newton_from() solves.

  void start(Real weight);
  NewtonReport newton();
  /// K and −R. Elements are evaluated and inserted block by block, by set_values while their values are in the cache.
  void linearize();
  void correct();

 private:
  CgReport solve(const Forcing& forcing);
  Real update(const CgReport& solve);
  void make_matrix();
  void preallocate_from_sparsity();
  void preallocate_from_elements();
  void insert(Index first, Index end);
  void make_solver();
  void update_source(Real step_end_ms);
  std::vector<Real> gathered(const Real* own) const;

  Index nodes() const { return static_cast<Index>(subdomain_.problem.mesh->nodes.size()); }
  Index elements() const { return static_cast<Index>(subdomain_.problem.mesh->tetrahedra.size()); }
  BeatMaps maps() { return {activation_ms_.data(), apd90_ms_.data(), peak_phi_.data(), scaling_.phi_from_mv(0)}; }

  CpuBackend backend_;
  PetscMethods methods_;
  std::vector<Index> node_in_input_;  ///< [all nodes]
  std::vector<int> own_begin_;        ///< [processes + 1] first own node of each
  Subdomain subdomain_;
  Scaling scaling_;
  std::vector<PetscInt> row_, column_;  ///< [4 elements] in the matrix; a row of another process is −1: left out
  Index elements_in_block_ = 0;
  std::vector<Real> entry_values_, node_values_;  ///< [elements in a block × 4 × 4], [× 4]

  PetscMatrix matrix_;
  PetscVector negative_residual_, update_;  ///< `update_` has room for the ghosts
  PetscSolver solver_;

  std::vector<Real> phi_, phi_old_, phi_older_, lowest_phi_, load_, source_;  ///< [nodes]
  std::vector<Real> states_, states_old_;                                     ///< [states × elements]
  std::vector<Real> activation_ms_, apd90_ms_, peak_phi_;                     ///< [own nodes]
  Real time_ms_ = 0, step_ = 0, previous_step_ = 0;
  bool left_range_ = false;
  NewtonState newton_;
  CpuBackend::Repetition newton_repetition_;
  StepSeconds seconds_;
};

}  // namespace cardiowarp
