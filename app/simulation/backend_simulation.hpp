#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "app/simulation/backward_euler.hpp"
#include "app/simulation/pulse_watch.hpp"
#include "app/simulation/simulation.hpp"
#include "app/simulation/simulation_plan.hpp"
#include "fem/beat_maps.hpp"
#include "fem/scaling.hpp"
#include "kernels/backend/backend.hpp"

namespace cardiowarp {

struct StartMaps {
  BeatMaps maps;
  const Real* phi;
  CARDIOWARP_HD void operator()(Index node) const { maps.start(node, phi[node]); }
};

struct RecordMaps {
  BeatMaps maps;
  Real t_old_ms, t_new_ms;
  const Real *phi_old, *phi_new;
  CARDIOWARP_HD void operator()(Index node) const {
    maps.record(node, t_old_ms, t_new_ms, phi_old[node], phi_new[node]);
  }
};

/// One pass over the potential for the maps of the beat and what the pulses did.
struct RecordStep {
  RecordMaps maps;
  ActivationSince since;
  CARDIOWARP_HD void operator()(Index node) const {
    maps(node);
    since.record(node, maps.t_old_ms, maps.t_new_ms, maps.phi_old[node], maps.phi_new[node]);
  }
};

struct ProbePotential {
  const ProbePoint* probe;
  const Real* phi;
  Real* value;
  CARDIOWARP_HD void operator()(Index i) const {
    value[i] = 0;
    for (int k = 0; k < 4; ++k) value[i] += probe[i].weights[k] * phi[probe[i].nodes[k]];
  }
};

struct SetZero {
  Real* value;
  CARDIOWARP_HD void operator()(Index i) const { value[i] = 0; }
};

struct AddAtNodes {
  Real* value;
  const Index* node;  ///< each at most once
  Real amount;
  CARDIOWARP_HD void operator()(Index i) const { value[node[i]] += amount; }
};

template <Backend B>
std::unique_ptr<GlobalMatrix<B>> make_matrix_of_plan(B& backend, const SimulationPlan& plan) {
  return make_global_matrix(backend, plan.sparsity, plan.matrix);
}

/// The simulation on backend B: stimuli, the step, the maps of the beat. Nodes and elements are in an order that suits
/// the machine; answers leave in the input's.
template <Backend B>
class BackendSimulation final : public Simulation {
 public:
  /// `make_matrix` is for a backend that has formats of its own. The plan is read here only.
  explicit BackendSimulation(const SimulationPlan& plan, std::unique_ptr<GlobalMatrix<B>> (*make_matrix)(
                                                             B&, const SimulationPlan&) = make_matrix_of_plan<B>)
      : equation_(backend_, plan, make_matrix(backend_, plan)),
        stimuli_(plan.problem().stimuli),
        node_in_input_(plan.renumbered->node_in_input),
        element_in_input_(plan.renumbered->element_in_input),
        probes_(uploaded(backend_, plan.problem().probes)),
        probe_phi_(backend_.template allocate<Real>(plan.problem().probes.size())),
        pulses_(backend_, plan),
        methods_{format_name(plan.matrix.options),
                 strategy_name(plan.problem().assembly),
                 plan.problem().assembly.through_csr ? "csr" : "slices",
                 std::string(name_of(equation_.solver_path())),
                 equation_.solver_path() == plan.solver.path ? plan.solver.reason
                                                             : "the device has no room for all blocks of " +
                                                                   std::string(name_of(plan.solver.path)) + " at once",
                 plan.sparsity.entries()} {
    for (Buffer<Real>* vector : {&source_, &activation_ms_, &apd90_ms_, &peak_phi_})
      *vector = backend_.template allocate<Real>(nodes());
    for (const Stimulus& stimulus : stimuli_) stimulus_nodes_.push_back(uploaded(backend_, stimulus.nodes));
    stimulus_on_.assign(stimuli_.size(), false);
    backend_.for_each(nodes(), StartMaps{maps(), equation_.phi()});
  }

  StepReport step_to(Real time_ms) override {
    update_source(time_ms);
    StepReport report = attempt(time_ms);
    if (!report.failure) accept(time_ms);
    return report;
  }

  StepReport try_step_to(Real time_ms, Real largest_error) override {
    if (update_source(time_ms)) equation_.forget_history();
    StepReport report = attempt(time_ms, true);
    if (report.failure) return report;
    report.error = equation_.error();
    report.rejected = report.error.value_or(0) > largest_error;
    if (!report.rejected) accept(time_ms);
    return report;
  }

  Real time_ms() const override { return time_ms_; }

  void potential_mv(std::span<Real> nodes) override {
    download_in_order(equation_.phi(), node_in_input_, nodes);
    for (Real& value : nodes) value = mv_from_phi(value);
  }
  void recovery(std::span<Real> elements) override {
    download_in_order(equation_.recovery(), element_in_input_, elements);
  }
  void activation_time_ms(std::span<Real> nodes) override {
    download_in_order(activation_ms_.data(), node_in_input_, nodes);
  }
  void apd90_ms(std::span<Real> nodes) override { download_in_order(apd90_ms_.data(), node_in_input_, nodes); }

  void probe_mv(std::span<Real> probes) override {
    backend_.for_each(static_cast<Index>(probes_.size()),
                      ProbePotential{probes_.data(), equation_.phi(), probe_phi_.data()});
    backend_.download(static_cast<const Real*>(probe_phi_.data()), probes);
    for (Real& value : probes) value = mv_from_phi(value);
  }

  std::vector<PulseCaptures> captures() override { return pulses_.captures(backend_, time_ms_); }

  StepSeconds seconds() override { return equation_.seconds(); }
  SimulationMethods methods() const override { return methods_; }

  const B& backend() const { return backend_; }

 private:
  Index nodes() const { return equation_.nodes(); }
  BeatMaps maps() const { return {activation_ms_.data(), apd90_ms_.data(), peak_phi_.data()}; }

  /// host[input[i]] = memory[i]
  void download_in_order(const Real* memory, const std::vector<Index>& input, std::span<Real> host) {
    transfer_.resize(input.size());
    backend_.download(memory, std::span<Real>(transfer_));
    for (std::size_t i = 0; i < input.size(); ++i) host[input[i]] = transfer_[i];
  }

  /// The nodal source changes only when a pulse begins or ends; overlapping stimuli add up. True where it changed.
  bool update_source(Real step_end_ms) {
    pulses_.begin_step(backend_, time_ms_, step_end_ms);
    bool changed = false;
    for (std::size_t k = 0; k < stimuli_.size(); ++k) {
      const bool on = stimuli_[k].pulses.on(step_end_ms);
      changed = changed || on != stimulus_on_[k];
      stimulus_on_[k] = on;
    }
    if (!changed) return false;
    backend_.for_each(nodes(), SetZero{source_.data()});
    for (std::size_t k = 0; k < stimuli_.size(); ++k)
      if (stimulus_on_[k])
        backend_.for_each(static_cast<Index>(stimuli_[k].nodes.size()),
                          AddAtNodes{source_.data(), stimulus_nodes_[k].data(), stimuli_[k].amplitude});
    return true;
  }

  StepReport attempt(Real time_ms, bool with_error = false) {
    const NewtonReport newton = equation_.attempt(tau_from_ms(time_ms - time_ms_), source_.data(), with_error);
    StepReport report{.newton_iterations = newton.iterations, .linear_iterations = newton.linear_iterations};
    if (!newton.converged()) report.failure = diagnose(newton);
    return report;
  }

  void accept(Real time_ms) {
    equation_.accept();
    backend_.for_each(
        nodes(), RecordStep{{maps(), time_ms_, time_ms, equation_.previous_phi(), equation_.phi()}, pulses_.since()});
    time_ms_ = time_ms;
  }

  /// The node where the step went wrong: the one lowest in its range when it left that, else the one with the largest
  /// last change; one that is not finite before all.
  StepFailure diagnose(const NewtonReport& newton) {
    std::vector<Real> phi(nodes()), badness(nodes()), lowest(nodes());
    backend_.download(equation_.iterate(), std::span<Real>(phi));
    backend_.download(equation_.last_update(), std::span<Real>(badness));
    backend_.download(equation_.lowest_phi(), std::span<Real>(lowest));
    bool left_range = false;
    for (Index i = 0; i < nodes(); ++i) {
      left_range = left_range || !(phi[i] > lowest[i]);
      badness[i] = newton.status == NewtonStatus::not_finite ? lowest[i] - phi[i] : std::fabs(badness[i]);
      if (!std::isfinite(phi[i])) badness[i] = std::numeric_limits<Real>::infinity();
    }
    const auto worst = std::max_element(badness.begin(), badness.end()) - badness.begin();
    return {failure_reason(newton, left_range), node_in_input_[worst], mv_from_phi(phi[worst]),
            newton.status == NewtonStatus::not_finite && left_range};
  }

  B backend_;
  BackwardEuler<B> equation_;
  std::vector<Stimulus> stimuli_;
  std::vector<Index> node_in_input_, element_in_input_;
  std::vector<Real> transfer_;  // values on their way out
  std::vector<bool> stimulus_on_;
  std::vector<Buffer<Index>> stimulus_nodes_;
  Buffer<ProbePoint> probes_;
  Buffer<Real> probe_phi_;
  Buffer<Real> source_, activation_ms_, apd90_ms_, peak_phi_;
  PulseWatch<B> pulses_;
  SimulationMethods methods_;
  Real time_ms_ = 0;
};

}  // namespace cardiowarp
