#pragma once
#include <algorithm>
#include <cassert>
#include <cmath>
#include <concepts>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "app/measure/stopwatch.hpp"
#include "app/simulation/failure_reason.hpp"
#include "app/simulation/far_potential.hpp"
#include "app/simulation/flight.hpp"
#include "app/simulation/make_integrator.hpp"
#include "app/simulation/nodal_source.hpp"
#include "app/simulation/outbox.hpp"
#include "app/simulation/point_order.hpp"
#include "app/simulation/pulse_watch.hpp"
#include "app/simulation/reported_methods.hpp"
#include "app/simulation/simulation.hpp"
#include "app/simulation/simulation_plan.hpp"
#include "fem/beat_maps.hpp"
#include "fem/scaling.hpp"
#include "kernels/backend/backend.hpp"
#include "kernels/backend/cpu_backend.hpp"

namespace cardiowarp {

// The Simulation (simulation.hpp) as one text for all machines: `simulation_cpu.cpp` compiles it for the CPU,
// `gpu_cuda.cu` for a GPU, and backend_bytes() for a backend that only counts memory. It joins the time scheme, the
// source, the maps of the beat, the probes, the watch over the pulses and what follows each step. Between two questions
// everything stays in backend memory, also from step to step of a flight (flight.hpp); a question for a field downloads
// it, puts it into the input's order and makes it mV, and what is sent to frames in single precision goes through an
// Outbox.

struct StartMaps {
  BeatMaps maps;
  const Real* phi;
  CARDIOWARP_HD void operator()(Index node) const { maps.start(node, phi[node]); }
};

struct RecordMaps {
  BeatMaps maps;
  LinearSteps steps;
  CARDIOWARP_HD void operator()(Index node) const { maps.record(node, steps(node)); }
};

struct ProbePotential {
  const ProbePoint* probe;
  const Real* phi;
  Real* value;
  CARDIOWARP_HD void operator()(Index i) const {
    value[i] = 0;
    for (int k = 0; k < 4; ++k) value[i] += probe[i].weights[k] * phi[probe[i].nodes[k]];
    if (!probe[i].is_quadratic()) return;
    for (int k = 0; k < 6; ++k) value[i] += probe[i].edge_weights[k] * phi[probe[i].edge_nodes[k]];
  }
};

/// The simulation on backend B: stimuli, the step, the maps of the beat. Nodes and elements are in an order that suits
/// the machine; answers leave in the input's.
template <Backend B>
class BackendSimulation final : public Simulation, private Flying {
 public:
  /// The plan is read here only.
  explicit BackendSimulation(const SimulationPlan& plan)
      : integrator_(make_integrator(backend_, plan)),
        scaling_(plan.problem().scaling()),
        range_in_words_(range_in_words(plan.problem().cell_models)),
        node_in_input_(plan.renumbered.node_in_input),
        element_in_input_(plan.renumbered.element_in_input),
        point_in_input_(points_in_input(plan)),
        corner_points_(plan.corner_points),
        is_quadratic_(plan.quadratic.has_value()),
        probes_(uploaded(backend_, plan.problem().probes)),
        probe_phi_(backend_.template allocate<Real>(longest_flight * plan.problem().probes.size())),
        steps_in_flight_(std::same_as<B, CpuBackend> ? 1 : longest_flight),
        source_(backend_, plan.problem()),
        pulses_(backend_, plan),
        followers_(backend_, plan.problem()),
        far_potentials_(backend_, plan.problem(), equation_.phi()),
        methods_(reported_methods(plan, equation_.solver_path())) {
    for (Buffer<Real>* vector : {&activation_ms_, &apd90_ms_, &peak_phi_})
      *vector = backend_.template allocate<Real>(nodes());
    if (plan.problem().sends_potential) outbox_.emplace(backend_, node_in_input_);
    backend_.for_each(nodes(), StartMaps{maps(), equation_.phi()});
    pulses_.start(backend_, equation_.phi());
    followers_.template start<LinearSteps>(backend_, equation_.phi());
  }

  Real time_ms() const override { return time_ms_; }

  Flying* flying() override { return equation_.flying() != nullptr ? this : nullptr; }

  bool interpolates() const override { return equation_.interpolates(); }
  void look_at(Real time_ms) override {
    part_.reset();
    if (equation_.interpolates() && time_ms < time_ms_)
      part_ = (time_ms - step_begin_ms_) / (time_ms_ - step_begin_ms_);
  }

  void send_potential_mv(std::unique_ptr<SinglesUnderWay>& singles, std::size_t /*nodes*/) override {
    if (!outbox_) outbox_.emplace(backend_, node_in_input_);
    outbox_->send_potential(backend_, phi_looked_at(), scaling_, singles);
  }
  EcgSamples take_ecg() override {
    assert(is_at_its_end());
    return followers_.ecg.take(backend_, time_ms_);
  }
  BeatRecords beats() override {
    assert(is_at_its_end());
    return followers_.beats.records(backend_, node_in_input_);
  }
  std::vector<PulseCaptures> captures() override { return pulses_.captures(backend_, time_ms_); }
  std::optional<FarPotential> farthest_potential() override {
    return far_potentials_.farthest(backend_, node_in_input_);
  }

  void exchange(StateArchive& archive) override {
    BackendArchive<B> arrays(backend_, archive, {node_in_input_, point_in_input_});
    archive.value("simulation/time_ms", time_ms_);
    archive.value("simulation/step_begin_ms", step_begin_ms_);
    assert(is_at_its_end());
    arrays.nodes("maps/activation_ms", activation_ms_);
    arrays.nodes("maps/apd90_ms", apd90_ms_);
    arrays.nodes("maps/peak_phi", peak_phi_);
    equation_.exchange(arrays);
    source_.exchange(backend_, archive);
    pulses_.exchange(arrays);
    followers_.beats.exchange(backend_, arrays);
    part_.reset();
    if (!archive.is_loading()) return;
    followers_.ecg.go_on_at(time_ms_);
    forget_flight();
  }

  StepSeconds seconds() override { return equation_.seconds(); }
  SimulationMethods methods() const override { return methods_; }

  const B& backend() const { return backend_; }

 private:
  StepReport step(Real time_ms, std::optional<Real> largest_error) override {
    return largest_error ? adaptive_step(time_ms, *largest_error) : equal_step(time_ms);
  }

  StepReport equal_step(Real time_ms) {
    // Equal steps of backward Euler do not begin where a pulse does.
    if (update_source(time_ms) && equation_.interpolates()) equation_.meet_jump();
    StepReport report = attempt(time_ms);
    if (!report.failure) accept(time_ms);
    return report;
  }

  StepReport adaptive_step(Real time_ms, Real largest_error) {
    if (flown_ms()) {
      assert(time_ms == *flown_ms());
      if (std::optional<StepReport> flown = tell_of_flown()) return *flown;
    }
    if (update_source(time_ms)) equation_.meet_jump();
    StepReport report = attempt(time_ms, true);
    if (report.failure) return report;
    report.error = equation_.error();
    report.rejected = report.error.value_or(0) > largest_error;
    if (!report.rejected) accept(time_ms);
    return report;
  }

  /// Not where fewer than two steps are expected before the next look or fit into the time of a flight, nor where the
  /// source changes with them: pulses that begin or end almost at the same time.
  void fly(const Flight& flight) override {
    const Real until_ms = std::min(flight.stop_ms, flight.look_ms), step_ms = flight.plan.step_ms();
    const int most =
        flight_limit_.most_steps(flight.steps > 0 ? std::min(flight.steps, longest_flight) : steps_in_flight_);
    const int steps = static_cast<int>(std::min<Real>(most, std::ceil((until_ms - time_ms_) / step_ms)));
    FlyingScheme& scheme = *equation_.flying();
    if (steps < 2 || !scheme.can_fly() || !source_.is_constant(flight.plan.next_ms, flight.stop_ms)) return;
    const Stopwatch watch;
    if (update_source(flight.plan.next_ms)) equation_.meet_jump();
    scheme.take_off(flight, scaling_.ms_per_tau, source_.data());
    for (int step = 0; step < steps; ++step) {
      scheme.fly_step();
      record(0, 0);
      far_potentials_.record(backend_, equation_.phi(), until_ms);
      evaluate_probes(equation_.phi(), step);
    }
    flown_ = scheme.land();
    flight_limit_.add(flown_.number, watch.seconds());
    told_ = 0;
    flown_probes_.resize(probes_.size() * flown_.accepted());
    if (!flown_probes_.empty())
      backend_.download(static_cast<const Real*>(probe_phi_.data()), std::span<Real>(flown_probes_));
  }
  std::optional<Real> flown_ms() const override {
    return told_ < flown_.number ? std::optional(flown_.steps[told_].end_ms) : std::nullopt;
  }

  void read(Answer answer, std::size_t number, std::span<Real> values) override {
    switch (answer) {
      case Answer::potential:
        return read_potential(values);
      case Answer::state:
        return read_state(number, values);
      case Answer::activation_time:
        return download_in_order(activation_ms_.data(), node_in_input_, values);
      case Answer::apd90:
        return download_in_order(apd90_ms_.data(), node_in_input_, values);
      case Answer::probes:
        return read_probes(values);
    }
  }

  void read_potential(std::span<Real> nodes) {
    download_in_order(phi_looked_at(), node_in_input_, nodes);
    for (Real& value : nodes) value = scaling_.mv_from_phi(value);
  }
  void read_state(std::size_t number, std::span<Real> elements) {
    const std::size_t begin = number * equation_.points();
    transfer_.resize(equation_.points());
    if (!part_) backend_.download(equation_.states() + begin, std::span<Real>(transfer_));
    const std::span<Real> downloaded(transfer_);
    for (Index first = 0; part_ && first < equation_.points(); first += nodes()) {  // as many as there is room for
      const Index some = std::min(nodes(), equation_.points() - first);
      equation_.interpolation()->interpolate_states(*part_, begin + first, some, equation_.scratch());
      backend_.download(static_cast<const Real*>(equation_.scratch()), downloaded.subspan(first, some));
    }
    for (std::size_t e = 0; e < element_in_input_.size(); ++e)
      elements[element_in_input_[e]] = is_quadratic_               ? mean_of_points(e)
                                       : corner_points_ == nullptr ? transfer_[e]
                                                                   : mean_of_corners(e);
  }

  void read_probes(std::span<Real> probes) {
    if (!part_ && told_ > 0 && told_ <= flown_.accepted()) {  // at the end of the step of a flight that was told last
      std::copy_n(flown_probes_.begin() + (told_ - 1) * probes.size(), probes.size(), probes.begin());
    } else {
      evaluate_probes(phi_looked_at(), 0);
      backend_.download(static_cast<const Real*>(probe_phi_.data()), probes);
    }
    for (Real& value : probes) value = scaling_.mv_from_phi(value);
  }

  Index nodes() const { return equation_.nodes(); }
  BeatMaps maps() const { return {activation_ms_.data(), apd90_ms_.data(), peak_phi_.data(), scaling_.phi_from_mv(0)}; }

  /// [nodes] at the end of the last step or where look_at() asked.
  const Real* phi_looked_at() {
    assert(is_at_its_end());
    if (!part_) return equation_.phi();
    equation_.interpolation()->interpolate_phi(*part_, equation_.scratch());
    return equation_.scratch();
  }

  /// host[input[i]] = memory[i]
  void download_in_order(const Real* memory, const std::vector<Index>& input, std::span<Real> host) {
    transfer_.resize(input.size());
    backend_.download(memory, std::span<Real>(transfer_));
    for (std::size_t i = 0; i < input.size(); ++i) host[input[i]] = transfer_[i];
  }

  /// The mean of the values in transfer_, [points], at the corners of an element.
  Real mean_of_corners(std::size_t element) const {
    Real sum = 0;
    for (const Index point : (*corner_points_)[element]) sum += transfer_[point];
    return sum / 4;
  }

  /// The mean of the values in transfer_ at the points of a quadratic element, with their shares.
  Real mean_of_points(std::size_t element) const {
    constexpr auto points = fourteen_points();
    Real sum = 0;
    for (int q = 0; q < quadratic_points; ++q) sum += points[q].share * transfer_[quadratic_points * element + q];
    return sum;
  }

  /// Whether what is in backend memory is the state at time_ms().
  bool is_at_its_end() const { return told_ >= flown_.accepted(); }

  /// Into probe_phi_, as of the given step of a flight.
  void evaluate_probes(const Real* phi, int step) {
    backend_.for_each(static_cast<Index>(probes_.size()),
                      ProbePotential{probes_.data(), phi, probe_phi_.data() + step * probes_.size()});
  }

  /// The report of the next step of a flight. Nothing where that had no solution: then it is still to be tried in the
  /// way that steps are without a flight.
  std::optional<StepReport> tell_of_flown() {
    const FlownStep& step = flown_.steps[told_++];
    StepReport report{step.newton_iterations, step.linear_iterations, step.error};
    if (told_ <= flown_.accepted()) {
      finish_step(step.end_ms);
      return report;
    }
    report.rejected = flown_.last == FlownEnd::rejected;
    return report.rejected ? std::optional(report) : std::nullopt;
  }

  /// True where the source changed.
  bool update_source(Real step_end_ms) {
    pulses_.begin_step(backend_, time_ms_, step_end_ms);
    return source_.update(backend_, step_end_ms);
  }

  StepReport attempt(Real time_ms, bool with_error = false) {
    const Stopwatch watch;
    const NewtonReport newton = equation_.attempt(scaling_.tau_from_ms(time_ms - time_ms_), source_.data(), with_error);
    flight_limit_.add(1, watch.seconds());
    StepReport report{.newton_iterations = newton.iterations, .linear_iterations = newton.linear_iterations};
    if (!newton.converged()) report.failure = diagnose(newton);
    return report;
  }

  void accept(Real time_ms) {
    equation_.accept();
    record(time_ms_, time_ms);
    far_potentials_.record(backend_, equation_.phi(), time_ms);
    forget_flight();
    finish_step(time_ms);
  }

  /// Keeps the times and values of the step that was made, or of one of a flight.
  void record(Real t_old_ms, Real t_new_ms) {
    equation_.record(maps(), pulses_.since(), t_old_ms, t_new_ms);
    if (!followers_.empty()) equation_.follow(followers_, t_old_ms, t_new_ms);
  }

  void forget_flight() {
    flown_ = {};
    told_ = 0;
  }

  void finish_step(Real time_ms) {
    step_begin_ms_ = time_ms_;
    time_ms_ = time_ms;
    part_.reset();
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
    return {failure_reason(newton, left_range, range_in_words_), node_in_input_[worst],
            scaling_.mv_from_phi(phi[worst]), newton.status == NewtonStatus::not_finite && left_range};
  }

  B backend_;
  std::unique_ptr<Integrator<B>> integrator_;
  Integrator<B>& equation_ = *integrator_;
  Scaling scaling_;
  std::string range_in_words_;
  std::vector<Index> node_in_input_, element_in_input_, point_in_input_;
  std::shared_ptr<const std::vector<Tetrahedron>> corner_points_;  // of the elements, where only these have states
  bool is_quadratic_;
  std::vector<Real> transfer_;  // values on their way out
  Buffer<ProbePoint> probes_;
  Buffer<Real> probe_phi_;  // [steps of a flight × probes]
  int steps_in_flight_;     // at most, where nobody says how many
  FlightLimit flight_limit_;
  FlightReport flown_;  // the last flight
  int told_ = 0;        // how many of its steps were told
  std::vector<Real> flown_probes_;
  std::optional<Outbox<B>> outbox_;
  NodalSource<B> source_;
  Buffer<Real> activation_ms_, apd90_ms_, peak_phi_;
  PulseWatch<B> pulses_;
  StepFollowers<B> followers_;
  FarPotentials<B> far_potentials_;
  SimulationMethods methods_;
  Real time_ms_ = 0, step_begin_ms_ = 0;  ///< the end and the beginning of the last step
  std::optional<Real> part_;              ///< of it that has passed where look_at() asked
};

}  // namespace cardiowarp
