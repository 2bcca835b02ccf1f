#include "cellml/single_cell.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "cellml/number_text.hpp"
#include "cellml/stiff_solver.hpp"
#include "cellml/term_tape.hpp"
#include "fem/cells/beats/beat_curve.hpp"

namespace cardiowarp {
namespace {

constexpr double first_step_ms = 1e-3, longest_step_ms = 20;

/// A copy of a model's graph with all derivatives of its rates, and the terms that a solver wants.
struct Terms {
  TermGraph graph;
  std::vector<TermIndex> rates;                               ///< of the potential and the states
  std::vector<TermIndex> by_time;                             ///< ∂rates/∂t
  std::vector<std::pair<std::size_t, TermIndex>> by_unknown;  ///< entries of ∂rates/∂y that are not 0, with their place
};

Terms terms_of(const CellMlModel& model) {
  Terms terms{model.graph, {model.potential_rate}, {}, {}};
  for (const CellMlState& state : model.states) terms.rates.push_back(state.rate);
  const std::size_t size = terms.rates.size();
  const TermIndex zero = terms.graph.constant(0);
  for (std::size_t column = 0; column < size; ++column) {
    const TermIndex leaf = column == 0 ? terms.graph.leaf(Operation::potential)
                                       : terms.graph.leaf(Operation::state, static_cast<int>(column) - 1);
    const std::vector<TermIndex> slopes = derivatives(terms.graph, terms.rates, leaf);
    for (std::size_t row = 0; row < size; ++row)
      if (slopes[row] != zero) terms.by_unknown.emplace_back(row * size + column, slopes[row]);
  }
  terms.by_time = derivatives(terms.graph, terms.rates, terms.graph.leaf(Operation::time));
  return terms;
}

std::vector<TermIndex> all_outputs(const Terms& terms) {
  std::vector<TermIndex> outputs = terms.rates;
  outputs.insert(outputs.end(), terms.by_time.begin(), terms.by_time.end());
  for (const auto& [place, term] : terms.by_unknown) outputs.push_back(term);
  return outputs;
}

/// The sizes beside which errors of the unknowns are judged: 1 mV, and a tenth of a state's initial value.
std::vector<double> scales_of(const CellMlModel& model) {
  std::vector<double> scales{1};
  for (const CellMlState& state : model.states) scales.push_back(std::max(0.1 * std::abs(state.initial), 1e-4));
  return scales;
}

}  // namespace

/// The potential and the states of a model as one system.
class CellMlCell::Equations : public StiffSystem {
 public:
  explicit Equations(const CellMlModel& model) : Equations(terms_of(model), model.parameter_values()) {
    const bool has_stimulus = model.stimulus && model.stimulus->mv_per_ms != 0;
    file_units_per_mv_per_ms_ = has_stimulus ? 1 / model.stimulus->mv_per_ms : 0;
  }

  std::size_t size() const override { return size_; }

  void rates(double t, std::span<const double> y, std::span<double> f) override { evaluate(rates_, t, y, f); }

  void rates_and_slopes(double t, std::span<const double> y, std::span<double> f, std::span<double> by_y,
                        std::span<double> by_t) override {
    evaluate(slopes_, t, y, f);
    std::fill(by_y.begin(), by_y.end(), 0.0);
    for (std::size_t k = 0; k < size_; ++k) by_t[k] = slopes_.output(size_ + k);
    for (std::size_t k = 0; k < places_.size(); ++k) by_y[places_[k]] = slopes_.output(2 * size_ + k);
  }

  /// What is added to dV/dt: through the stimulus of the model where it has one, so that what it carries into the cell
  /// is counted.
  void set_stimulus(double mv_per_ms) {
    stimulus_ = mv_per_ms * file_units_per_mv_per_ms_;
    direct_ = file_units_per_mv_per_ms_ == 0 ? mv_per_ms : 0;
  }

 private:
  struct Evaluator {
    Evaluator(const Terms& terms, std::span<const TermIndex> outputs, std::span<const double> parameters)
        : tape(terms.graph, outputs, parameters), registers(tape.registers<double, 1>()) {}
    double output(std::size_t number) const { return registers[static_cast<std::size_t>(tape.output(number))]; }

    TermTape tape;
    std::vector<double> registers;
  };

  Equations(const Terms& terms, const std::vector<double>& parameters)
      : size_(terms.rates.size()),
        rates_(terms, terms.rates, parameters),
        slopes_(terms, all_outputs(terms), parameters) {
    for (const auto& [place, term] : terms.by_unknown) places_.push_back(place);
  }

  void evaluate(Evaluator& evaluator, double t, std::span<const double> y, std::span<double> f) const {
    const auto put = [&](std::int32_t place, double value) {
      if (place >= 0) evaluator.registers[static_cast<std::size_t>(place)] = value;
    };
    put(evaluator.tape.potential(), y[0]);
    put(evaluator.tape.time(), t);
    put(evaluator.tape.stimulus(), stimulus_);
    for (std::size_t k = 1; k < size_; ++k) put(evaluator.tape.state(k - 1), y[k]);
    evaluator.tape.run<double, 1>(evaluator.registers);
    for (std::size_t k = 0; k < size_; ++k) f[k] = evaluator.output(k);
    f[0] += direct_;
  }

  std::size_t size_;
  Evaluator rates_, slopes_;
  std::vector<std::size_t> places_;
  double file_units_per_mv_per_ms_ = 0, stimulus_ = 0, direct_ = 0;
};

struct CellMlCell::Parts {
  Parts(const CellMlModel& model, double tolerance)
      : equations(model), solver(equations, tolerance, scales_of(model)), y{model.initial_potential_mv} {
    const std::vector<double> states = model.initial_states();
    y.insert(y.end(), states.begin(), states.end());
  }

  /// To the end of a beat or a pulse.
  void advance(double end_ms, BeatCurve& curve, const OnPoint& on_point) {
    solver.restart(first_step_ms);
    const StiffSolver::End end = solver.advance(time_ms, end_ms, y, longest_step_ms, [&](const StiffStep& step) {
      curve.add({step.t, step.h, step.begin[0], step.end[0], step.third[0], step.fourth[0]});
      if (on_point) on_point(step.t + step.h, step.end[0], step.end.subspan(1));
    });
    if (end == StiffSolver::End::reached) return;
    throw NumericalFailure(
        "at " + number_text(time_ms) + " ms and " + number_text(y[0]) + " mV " +
        (end == StiffSolver::End::no_number ? "a rate is not a number" : "no step is short enough for the tolerance"));
  }

  Equations equations;
  StiffSolver solver;
  std::vector<double> y;
  double time_ms = 0;
};

CellMlCell::CellMlCell(const CellMlModel& model, double tolerance)
    : parts_(std::make_unique<Parts>(model, tolerance)) {}

CellMlCell::~CellMlCell() = default;

BeatReport CellMlCell::beat(double period_ms, const CellPulse& pulse, const OnPoint& on_point) {
  const double begin = parts_->time_ms, pulse_ms = std::min(pulse.duration_ms, period_ms);
  BeatCurve curve(begin);
  if (on_point) on_point(begin, parts_->y[0], states());
  if (pulse_ms > 0 && pulse.amplitude_mv_per_ms != 0) {
    parts_->equations.set_stimulus(pulse.amplitude_mv_per_ms);
    parts_->advance(begin + pulse_ms, curve, on_point);
    parts_->equations.set_stimulus(0);
  }
  parts_->advance(begin + period_ms, curve, on_point);
  return curve.report();
}

SingleCellState CellMlCell::state() const {
  return {parts_->time_ms, parts_->y[0], std::vector<double>(parts_->y.begin() + 1, parts_->y.end())};
}

void CellMlCell::set_state(const SingleCellState& state) {
  parts_->time_ms = state.time_ms;
  parts_->y.assign(1, state.potential_mv);
  parts_->y.insert(parts_->y.end(), state.states.begin(), state.states.end());
}

double CellMlCell::time_ms() const { return parts_->time_ms; }
double CellMlCell::potential_mv() const { return parts_->y[0]; }
std::span<const double> CellMlCell::states() const { return std::span(parts_->y).subspan(1); }
std::size_t CellMlCell::steps() const { return parts_->solver.steps(); }

}  // namespace cardiowarp
