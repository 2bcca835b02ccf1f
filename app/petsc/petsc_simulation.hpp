#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "app/petsc/petsc_stage.hpp"
#include "app/petsc/processes_backend.hpp"
#include "app/simulation/integrator.hpp"
#include "app/simulation/nodal_source.hpp"
#include "app/simulation/problem.hpp"
#include "app/simulation/renumbering.hpp"
#include "app/simulation/simulation.hpp"
#include "fem/beat_maps.hpp"

namespace cardiowarp {

// A simulation that all processes of PETSC_COMM_WORLD compute together. measure() makes one for each timed run and a
// TimeStepper advances it, as it does the simulations of `run`. Each process computes on its subdomain alone. fields()
// brings the answers of all to process 0, in mV and ms and in the input's order.

/// Values of all nodes in the input's order; on process 0 only, empty on the others.
struct PetscFields {
  std::vector<Real> potential_mv, activation_ms;
};

/// The simulation as a program on top of PETSc computes it: the time schemes of the other backends, with PetscStage for
/// their stages. All members are collective.
class PetscSimulation final : public SteppedProblem {
 public:
  /// Every process has the whole problem and takes its subdomain of it.
  PetscSimulation(const Problem& problem, const PetscMethods& methods);

  Real time_ms() const override { return time_ms_; }

  PetscFields fields();
  const StepSeconds& seconds() { return integrator_->seconds(); }  ///< of this process

 private:
  StepReport step(Real time_ms, std::optional<Real> largest_error) override;
  /// The subdomain of this process; the order of the whole goes to node_in_input_.
  Subdomain own_subdomain(const Problem& problem, PetscNumbering numbering);
  StepReport attempt(Real time_ms, bool with_error = false);
  StepFailure diagnose(const NewtonReport& newton);
  void accept(Real time_ms);
  std::vector<Real> gathered(const Real* own) const;

  BeatMaps maps() { return {activation_ms_.data(), apd90_ms_.data(), peak_phi_.data(), scaling_.phi_from_mv(0)}; }

  ProcessesBackend backend_;
  std::vector<int> own_begin_;        ///< [processes + 1] first own node of each
  std::vector<Index> node_in_input_;  ///< [all nodes]
  PetscPlan plan_;
  Scaling scaling_;
  std::unique_ptr<Integrator<ProcessesBackend>> integrator_;
  NodalSource<ProcessesBackend> source_;
  std::vector<Real> activation_ms_, apd90_ms_, peak_phi_;  ///< [nodes]
  Real time_ms_ = 0;
};

}  // namespace cardiowarp
