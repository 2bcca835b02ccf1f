#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "app/simulation/backend_archive.hpp"
#include "app/simulation/flight_state.hpp"
#include "app/simulation/implicit_stage.hpp"
#include "app/simulation/step_followers.hpp"
#include "fem/beat_maps.hpp"

namespace cardiowarp {

// The common part of all time schemes: the state at the end of the last step, the one a step before, and the stage that
// they compute with. A simulation lets its Integrator attempt a step, judges the report and the error, and accepts the
// step or attempts a shorter one; until then the state stays as it was. The schemes are BackwardEuler, SecondOrder and
// Chebyshev, and make_integrator() (make_integrator.hpp) makes the one of `time.scheme`. Beside its stage an Integrator
// takes 16 bytes a node and 16 for each of the cells' states, in backend memory.

/// φ of each node in a step along a straight line.
struct LinearSteps {
  Real t_old_ms, t_new_ms;
  const Real *phi_old, *phi_new;
  CARDIOWARP_HD static bool is_made() { return true; }
  static bool is_of_flight() { return false; }
  CARDIOWARP_HD Real begin_ms() const { return t_old_ms; }
  CARDIOWARP_HD Real end_ms() const { return t_new_ms; }
  CARDIOWARP_HD LinearPath operator()(Index node) const { return {t_old_ms, t_new_ms, phi_old[node], phi_new[node]}; }
};

/// φ of each node in a step by Hermite's cubic.
struct CubicSteps {
  StepTimes times;
  const Real *phi_old, *phi_new, *rate_old, *rate_new, *source;
  const FlightState* flight = nullptr;  ///< which has the times of a step that it makes
  /// False for a step of a flight that was not accepted.
  CARDIOWARP_HD bool is_made() const { return flight == nullptr || flight->accepts; }
  bool is_of_flight() const { return flight != nullptr; }
  CARDIOWARP_HD Real begin_ms() const { return flight != nullptr ? flight->done.begin_ms : times.begin_ms; }
  CARDIOWARP_HD Real end_ms() const { return flight != nullptr ? flight->done.end_ms : times.end_ms; }
  CARDIOWARP_HD CubicPath operator()(Index node) const {
    const StepTimes at = flight != nullptr ? flight->done : times;
    return {at.begin_ms,
            at.end_ms,
            phi_old[node],
            phi_new[node],
            at.step * (rate_old[node] + source[node]),
            at.step * (rate_new[node] + source[node])};
  }
};

struct EvaluateSteps {
  CubicSteps steps;
  Real part;
  Real* phi;
  CARDIOWARP_HD void operator()(Index node) const { phi[node] = steps(node).at(part); }
};

/// |φ_n + h/2 (φ'_n + φ'_{n+1}) − φ_{n+1}| with φ' = q + s.
CARDIOWARP_HD inline Real distance_from_trapezoid(Real phi, Real phi_old, Real rate_old, Real rate, Real source,
                                                  Real step) {
  return std::fabs(phi_old + step * (source + (rate_old + rate) / 2) - phi);
}

/// distance_from_trapezoid() of a node, `factor` times.
struct EndFromTrapezoid {
  const Real *phi, *phi_old, *rate_old, *rate, *source;
  Real step, factor;
  CARDIOWARP_HD Real operator()(Index i) const {
    return factor * distance_from_trapezoid(phi[i], phi_old[i], rate_old[i], rate[i], source[i], step);
  }
};

/// One pass over the potential for the maps of the beat and what the pulses did.
template <class Steps>
struct RecordStep {
  BeatMaps maps;
  ActivationSince since;
  Steps steps;
  CARDIOWARP_HD void operator()(Index node) const {
    if (!steps.is_made()) return;
    const auto path = steps(node);
    maps.record(node, path);
    since.record(node, path);
  }
};

/// The states between the ends of the last step, which some time schemes know: at the time at which the fraction `part`
/// of the step has passed.
class Interpolation {
 public:
  virtual ~Interpolation() = default;
  virtual void interpolate_phi(Real part, Real* phi) const = 0;  ///< [nodes] backend memory
  /// Writes `number` values of Integrator::states(), from the `first` on, into values [number], backend memory.
  virtual void interpolate_states(Real part, std::size_t first, Index number, Real* values) const = 0;
};

/// A time scheme that makes flights (flight.hpp). Nothing but land() waits.
class FlyingScheme {
 public:
  virtual ~FlyingScheme() = default;
  /// Whether a flight can begin now.
  virtual bool can_fly() const = 0;
  /// Begins a flight, with the source that all of its steps have.
  virtual void take_off(const Flight& flight, Real ms_per_tau, const Real* source) = 0;
  /// attempt() and accept() of the next step, where there is one. At most longest_flight times.
  virtual void fly_step() = 0;
  /// Ends it. The state is the one after the last step that was accepted. Where that is followed by one without a
  /// solution, the next attempt() is the same step, and goes on where this one has ended.
  virtual FlightReport land() = 0;
};

/// A time scheme: it finds the state after a step from the one before it, in backend memory and internal units. The
/// host waits once a step, for Newton's report and the error, or once a flight.
template <Backend B>
class Integrator {
 public:
  Integrator(B& backend, const StagePlan<B>& plan)
      : backend_(backend),
        stage_(backend, plan),
        phi_old_(uploaded(backend, plan.problem().phi)),
        phi_older_(uploaded(backend, plan.problem().phi)),
        states_old_(uploaded(backend, plan.states)),
        states_(backend.template allocate<Real>(plan.states.size())) {}
  Integrator(const Integrator&) = delete;
  Integrator& operator=(const Integrator&) = delete;
  virtual ~Integrator() = default;

  /// Solves for the state after a step of `step` (in τ) under the nodal source `source` (φ per τ, backend memory, as it
  /// is in the step). The state stays as it was until accept(); where Newton did not converge, `iterate` and
  /// `last_update` show where it stood.
  virtual NewtonReport attempt(Real step, const Real* source, bool with_error = false) = 0;
  /// The estimated error of the last attempt, the largest over the nodes, in φ; the attempt converged and was made with
  /// `with_error`. Nothing where the scheme needs a step before to estimate it, and there is none.
  virtual std::optional<Real> error() const = 0;
  /// Makes what the last attempt found the state.
  virtual void accept() = 0;
  /// The source has a jump here.
  virtual void meet_jump() = 0;
  /// Tells the maps of the last step, from t_old_ms to t_new_ms; in a flight, of the last fly_step(), whose times the
  /// flight knows.
  virtual void record(const BeatMaps& maps, const ActivationSince& since, Real t_old_ms, Real t_new_ms) const = 0;
  /// Shows the same step to those that follow all of them.
  virtual void follow(StepFollowers<B>& followers, Real t_old_ms, Real t_new_ms) const = 0;

  /// The states that it knows between the ends of steps; null where it knows none.
  virtual const Interpolation* interpolation() const { return nullptr; }
  bool interpolates() const { return interpolation() != nullptr; }
  /// This scheme as one that makes flights; null where it makes none.
  virtual FlyingScheme* flying() { return nullptr; }

  /// Saves or loads numbers for the next steps. Between the ends of the last step nothing is known after loading.
  virtual void exchange(BackendArchive<B>& archive) = 0;

  /// attempt() and, where it converged, accept().
  NewtonReport advance(Real step, const Real* source) {
    NewtonReport report = attempt(step, source);
    if (report.converged()) accept();
    return report;
  }

  const Real* phi() const { return phi_old_.data(); }               ///< [nodes] at the end of the last step
  const Real* states() const { return states_old_.data(); }         ///< [states × points] of the cells
  const Real* iterate() const { return stage_.phi(); }              ///< [nodes] of a step that failed
  const Real* last_update() const { return stage_.last_update(); }  ///< [nodes] of a step that failed
  const Real* lowest_phi() const { return stage_.lowest_phi(); }    ///< [nodes] end of the admissible range
  Real* scratch() const { return stage_.last_update(); }            ///< [nodes] between two steps
  Index nodes() const { return stage_.nodes(); }
  Index points() const { return stage_.points(); }
  SolverPath solver_path() const { return stage_.solver_path(); }

  /// Waits for what is not done yet.
  virtual const StepSeconds& seconds() = 0;

 protected:
  StepState* state() const { return stage_.state(); }

  /// The part of exchange() that all schemes have in common.
  void exchange_state(BackendArchive<B>& archive) {
    archive.nodes("integrator/phi", phi_old_);
    archive.nodes("integrator/phi_before", phi_older_);
    archive.points("integrator/states", states_old_);
    if (SpectrumMemory* spectrum = stage_.spectrum()) exchange_spectrum(archive, *spectrum);
  }

  B& backend_;
  ImplicitStage<B> stage_;
  Buffer<Real> phi_old_, phi_older_;
  Buffer<Real> states_old_, states_;
  int turn_ = 0;  ///< of states_old_ and states_, which change places from step to step

 private:
  /// A polynomial computes its bounds anew where the matrix is no longer the one then, or where the last solve did not
  /// converge.
  void exchange_spectrum(BackendArchive<B>& archive, SpectrumMemory& spectrum) {
    SpectrumBounds bounds = archive.is_loading() ? SpectrumBounds{} : spectrum.bounds();
    archive.value("solver/lower_bound", bounds.lower);
    archive.value("solver/upper_bound", bounds.upper);
    archive.nodes("solver/inverse_diagonal_then", spectrum.inverse_then());
    CgReport* const last = &state()->cg.report;
    CgReport report = backend_.read(static_cast<const CgReport*>(last));
    auto status = static_cast<std::int32_t>(report.status);
    archive.value("solver/last_status", status);
    if (!archive.is_loading()) return;
    report.status = static_cast<CgStatus>(status);
    backend_.upload(std::span<const CgReport>(&report, 1), last);
    if (bounds.upper > 0) spectrum.take_bounds(bounds);
  }
};

}  // namespace cardiowarp
