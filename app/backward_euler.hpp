#pragma once
#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "app/problem.hpp"
#include "assembly/diffusion_matrix.hpp"
#include "assembly/scalar_gather.hpp"
#include "assembly/sparsity.hpp"
#include "assembly/stored_matrix.hpp"
#include "fem/reaction_element.hpp"
#include "fem/tetrahedron.hpp"
#include "kernels/backend.hpp"
#include "solver/conjugate_gradient.hpp"
#include "solver/newton.hpp"

namespace cardiowarp {

/// Seconds spent in the phases of a step, summed over steps.
struct StepSeconds {
  double element = 0, assembly = 0, linear_solve = 0, update = 0;
};

/// guess = now + weight (now − before)
struct Extrapolate {
  Real* guess;
  const Real *now, *before;
  Real weight;
  CARDIOWARP_HD void operator()(Index i) const { guess[i] = now[i] + weight * (now[i] - before[i]); }
};

/// φ += Δφ; |Δφ|, or NaN at `lowest` and below.
struct AddUpdate {
  Real* phi;
  const Real* update;
  const Real* lowest;
  CARDIOWARP_HD Real operator()(Index i) const {
    phi[i] += update[i];
    return phi[i] > lowest[i] ? std::fabs(update[i]) : NAN;
  }
};

/// One backward Euler step of the monodomain problem at a time, by two nested Newton iterations (paper 000 Table I):
///   for each step            φ ← extrapolated
///     until max|Δφ| small    elements: recovery r(φ), tangent and residual numbers     linearize()
///                            rows: K and −R                                            linearize()
///                            K Δφ = −R by conjugate gradients                          solve()
///                            φ += Δφ                                                   update()
/// The state is in backend memory and internal units.
template <Backend B, class StoredMatrix>
class BackwardEuler {
 public:
  BackwardEuler(B& backend, const Problem& problem)
      : BackwardEuler(backend, problem,
                      build_sparsity(problem.mesh->tetrahedra, static_cast<Index>(problem.mesh->nodes.size()))) {}

  /// Advances by `step` (in τ) under the nodal source `source` (φ per τ, backend memory, as it is at the step's end).
  /// When Newton does not converge the state stays as it was; `iterate` and `last_update` show where it stood.
  NewtonReport advance(Real step, const Real* source) {
    step_ = step;
    source_ = source;
    start(previous_step_ > 0 ? step / previous_step_ : 0);
    NewtonReport report = newton(*this, newton_config_);
    if (!report.converged() && previous_step_ > 0) {  // the extrapolated start may be a bad one
      start(0);
      const NewtonReport extrapolated = std::exchange(report, newton(*this, newton_config_));
      report.iterations.insert(report.iterations.begin(), extrapolated.iterations.begin(),
                               extrapolated.iterations.end());
      report.linear_iterations += extrapolated.linear_iterations;
    }
    if (report.converged()) {
      phi_older_.swap(phi_old_);
      phi_old_.swap(phi_);
      recovery_old_.swap(recovery_);
      previous_step_ = step;
    }
    return report;
  }

  const Real* phi() const { return phi_old_.data(); }             ///< [nodes] at the end of the last step
  const Real* previous_phi() const { return phi_older_.data(); }  ///< [nodes] one step before
  const Real* recovery() const { return recovery_old_.data(); }   ///< [elements]
  const Real* iterate() const { return phi_.data(); }             ///< [nodes] of a step that failed
  const Real* last_update() const { return update_.data(); }      ///< [nodes] of a step that failed
  const Real* lowest_phi() const { return lowest_phi_.data(); }   ///< [nodes] end of the admissible range
  Index nodes() const { return rows_; }
  Index elements() const { return elements_; }
  Index matrix_entries() const { return entries_; }
  const StepSeconds& seconds() const { return seconds_; }

  // The system that newton() solves.

  void linearize() {
    {
      const auto watch = backend_.stopwatch(seconds_.element);
      backend_.for_each(elements_, ReactionElements<AlievPanfilov>{
                                       nodes_.data(), volume_.data(), cell_models_.data(), cell_model_.data(),
                                       phi_.data(), phi_old_.data(), source_, recovery_old_.data(), recovery_.data(),
                                       element_tangent_.data(), element_residual_.data(), step_});
    }
    const auto watch = backend_.stopwatch(seconds_.assembly);
    backend_.for_each(
        rows_, ScalarGather<typename StoredMatrix::View>{
                   matrix_.view(diffusion_.data()), diagonal_.data(), incidence_begin_.data(), incident_element_.data(),
                   incident_slots_.data(), element_tangent_.data(), element_residual_.data(), phi_.data(),
                   matrix_.value(), negative_residual_.data(), inverse_diagonal_.data()});
  }

  CgReport solve() {
    const auto watch = backend_.stopwatch(seconds_.linear_solve);
    return conjugate_gradient(
        backend_, rows_, typename StoredMatrix::Product{matrix_.view()}, JacobiPreconditioner{inverse_diagonal_.data()},
        update_.data(), CgWorkspace{negative_residual_.data(), p_.data(), q_.data(), scalars_.data()}, cg_config_);
  }

  /// φ += Δφ; NaN when a node leaves the range of a cell model around it.
  Real update() {
    const auto watch = backend_.stopwatch(seconds_.update);
    backend_.maximum(rows_, max_update_.data(), AddUpdate{phi_.data(), update_.data(), lowest_phi_.data()});
    return backend_.template read<1>(max_update_.data())[0];
  }

 private:
  BackwardEuler(B& backend, const Problem& problem, const Sparsity& sparsity)
      : backend_(backend),
        newton_config_(problem.newton),
        cg_config_(problem.linear_solver),
        rows_(sparsity.rows()),
        elements_(static_cast<Index>(problem.mesh->tetrahedra.size())),
        entries_(sparsity.entries()),
        matrix_(backend, sparsity) {
    upload(sparsity.incidence_begin, incidence_begin_);
    upload(sparsity.incident_element, incident_element_);
    upload(sparsity.incident_slots, incident_slots_);
    upload(diagonal_slots(sparsity), diagonal_);
    upload(matrix_.stored(diffusion_matrix(*problem.mesh, problem.diffusivity, sparsity)), diffusion_);
    upload(problem.mesh->tetrahedra, nodes_);
    upload(volumes(*problem.mesh), volume_);
    upload(problem.cell_models, cell_models_);
    upload(problem.cell_model, cell_model_);
    upload(problem.phi, phi_old_);
    upload(problem.phi, phi_older_);
    upload(problem.recovery, recovery_old_);
    upload(lowest_admissible_phi(problem), lowest_phi_);
    for (Buffer<Real>* vector : {&phi_, &negative_residual_, &inverse_diagonal_, &update_, &p_, &q_})
      *vector = backend_.template allocate<Real>(rows_);
    for (Buffer<Real>* vector : {&recovery_, &element_tangent_, &element_residual_})
      *vector = backend_.template allocate<Real>(elements_);
    scalars_ = backend_.template allocate<Real>(CgWorkspace::scalar_count);
    max_update_ = backend_.template allocate<Real>(1);
  }

  static std::vector<std::uint16_t> diagonal_slots(const Sparsity& sparsity) {
    std::vector<std::uint16_t> slots;
    slots.reserve(sparsity.diagonal.size());
    for (Index row = 0; row < sparsity.rows(); ++row)
      slots.push_back(static_cast<std::uint16_t>(sparsity.diagonal[row] - sparsity.row_begin[row]));
    return slots;
  }

  static std::vector<Real> volumes(const Mesh& mesh) {
    std::vector<Real> volume;
    volume.reserve(mesh.tetrahedra.size());
    for (const Tetrahedron& nodes : mesh.tetrahedra) volume.push_back(tetrahedron_geometry(mesh.nodes, nodes).volume);
    return volume;
  }

  template <class T>
  void upload(const std::vector<T>& host, Buffer<T>& buffer) {
    buffer = backend_.template allocate<T>(host.size());
    backend_.upload(std::span<const T>(host), buffer.data());
  }

  /// φ = φ_n + weight (φ_n − φ_{n−1}), r = r_n
  void start(Real weight) {
    const auto watch = backend_.stopwatch(seconds_.update);
    backend_.for_each(rows_, Extrapolate{phi_.data(), phi_old_.data(), phi_older_.data(), weight});
    backend_.for_each(elements_, Extrapolate{recovery_.data(), recovery_old_.data(), recovery_old_.data(), 0});
  }

  B& backend_;
  NewtonConfig newton_config_;
  CgConfig cg_config_;
  Index rows_, elements_, entries_;
  Real step_ = 0, previous_step_ = 0;
  const Real* source_ = nullptr;
  StepSeconds seconds_;

  StoredMatrix matrix_;
  Buffer<std::uint16_t> diagonal_;
  Buffer<Index> incidence_begin_, incident_element_;
  Buffer<Sparsity::Slots> incident_slots_;
  Buffer<Real> diffusion_;
  Buffer<Tetrahedron> nodes_;
  Buffer<Real> volume_;
  Buffer<AlievPanfilov> cell_models_;
  Buffer<std::uint16_t> cell_model_;
  Buffer<Real> phi_, phi_old_, phi_older_, lowest_phi_;
  Buffer<Real> recovery_, recovery_old_;
  Buffer<Real> element_tangent_, element_residual_;
  Buffer<Real> negative_residual_, inverse_diagonal_, update_, p_, q_, scalars_, max_update_;
};

}  // namespace cardiowarp
