#include "cellml/tissue/cellml_lanes.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "cellml/term_tape.hpp"
#include "cellml/tissue/lane_solver.hpp"
#include "cellml/tissue/stage_method.hpp"
#include "cellml/tissue/stage_terms.hpp"

namespace cardiowarp {
namespace {

namespace method = stage_method;
constexpr int lanes = LaneStage::lanes;
static_assert(lanes == TermTape::wide_lanes && lanes == LaneSolver::lanes);

/// A number of one tape that is an input of the other.
struct Handed {
  std::int32_t from, to;
};

/// A derivative other than 0: the register of it, and where it belongs.
struct Entry {
  std::int32_t from;
  int row, column;
};

/// What all threads share of the stages of a model's cells.
class StageTapes {
 public:
  StageTapes(const CellMlModel& model, std::span<const std::vector<double>> of_cells)
      : terms(stage_terms(model)),
        varying(varying_parameters(of_cells)),
        cells(of_cells.begin(), of_cells.end()),
        split(split_terms(terms, outputs(), varying_and_step())),
        before(terms.graph, split.before, values(), varying_and_step()),
        during(split.during, split.outputs, values(), handed_numbers()) {
    for (std::size_t k = 0; k < split.before.size(); ++k)
      if (const std::int32_t to = during.parameter(static_cast<std::size_t>(split.first) + k); to >= 0)
        handed.push_back({before.output(k), to});
    for (const int pool : terms.pools) {
      const CellMlState& state = model.states[static_cast<std::size_t>(pool)];
      initial.push_back(std::abs(state.initial));
      stays_positive.push_back(state.is_amount && state.initial >= 0 ? 1 : 0);
    }
    place_outputs();
  }

  int pools() const { return static_cast<int>(terms.pools.size()); }

  StageTerms terms;
  std::vector<int> varying;  ///< parameters that are not the same in all cells
  std::vector<std::vector<double>> cells;
  SplitTerms split;
  TermTape before, during;
  std::vector<Handed> handed;
  LaneSolver solver;
  std::vector<double> initial;       ///< [pool] where it begins, without its sign
  std::vector<char> stays_positive;  ///< [pool]

  // Registers of `during`.
  std::int32_t current = -1, current_by_potential = -1;
  std::vector<std::int32_t> rate, rate_by_potential, closed_end;
  std::vector<Entry> current_by_pool, rate_by_pool, closed_by_pool;

 private:
  std::vector<int> varying_and_step() const {
    std::vector<int> all = varying;
    all.push_back(terms.step);
    return all;
  }
  std::vector<int> handed_numbers() const {
    std::vector<int> all;
    for (std::size_t k = 0; k < split.before.size(); ++k) all.push_back(split.first + static_cast<int>(k));
    return all;
  }
  /// The parameters of the first cell; what is an input has any number.
  std::vector<double> values() const {
    std::vector<double> all = cells.front();
    all.resize(static_cast<std::size_t>(split.first) + split.before.size(), 0);
    return all;
  }

  std::vector<TermIndex> outputs() const {
    std::vector<TermIndex> all{terms.current, terms.current_by_potential};
    for (const std::vector<TermIndex>* more : {&terms.rate, &terms.rate_by_potential, &terms.closed_end,
                                               &terms.current_by_pool, &terms.rate_by_pool, &terms.closed_by_pool})
      all.insert(all.end(), more->begin(), more->end());
    return all;
  }

  /// Where the outputs are, in the order of outputs().
  void place_outputs() {
    std::size_t next = 0;
    const auto take = [&] { return during.output(next++); };
    const auto take_entries = [&](const std::vector<TermIndex>& of, std::vector<Entry>& entries) {
      for (std::size_t k = 0; k < of.size(); ++k) {
        const std::int32_t from = take();
        if (!terms.graph.is_constant(of[k], 0))
          entries.push_back({from, static_cast<int>(k) / pools(), static_cast<int>(k) % pools()});
      }
    };
    current = take();
    current_by_potential = take();
    for (std::size_t k = 0; k < terms.pools.size(); ++k) rate.push_back(take());
    for (std::size_t k = 0; k < terms.pools.size(); ++k) rate_by_potential.push_back(take());
    for (std::size_t k = 0; k < terms.closed.size(); ++k) closed_end.push_back(take());
    take_entries(terms.current_by_pool, current_by_pool);
    take_entries(terms.rate_by_pool, rate_by_pool);
    take_entries(terms.closed_by_pool, closed_by_pool);
    std::vector<char> is_there(terms.rate_by_pool.size(), 0);
    for (const Entry& entry : rate_by_pool) is_there[static_cast<std::size_t>(entry.row * pools() + entry.column)] = 1;
    solver = LaneSolver(pools(), is_there);
  }
};

class CellMlLaneStage final : public LaneStage {
 public:
  explicit CellMlLaneStage(std::shared_ptr<const StageTapes> tapes)
      : LaneStage(tapes->terms.closed.size() + tapes->terms.pools.size()),
        tapes_(std::move(tapes)),
        before_(tapes_->before.registers<double, lanes>()),
        during_(tapes_->during.registers<double, lanes>()),
        pool_(of_pools()),
        first_(of_pools()),
        change_(of_pools()),
        by_potential_(of_pools()),
        matrix_(tapes_->solver.entries() * lanes) {}

  std::unique_ptr<LaneStage> another() const override { return std::make_unique<CellMlLaneStage>(tapes_); }

  void run(Real h) override {
    begin(h);
    solve(h);
    if (h <= method::short_ms && begin_again_below_zero()) solve(h);
    end();
  }

 private:
  using Lanes = std::array<char, lanes>;

  std::vector<double> of_pools() const { return std::vector<double>(tapes_->terms.pools.size() * lanes); }
  double* in(std::vector<double>& registers, std::int32_t place) {
    return registers.data() + static_cast<std::ptrdiff_t>(place) * lanes;
  }
  const double* out(std::int32_t place) const { return during_.data() + static_cast<std::ptrdiff_t>(place) * lanes; }
  static double* row(std::vector<double>& values, std::size_t k) { return values.data() + k * lanes; }

  void solve(Real h) {
    for (int iteration = 1; iteration <= method::most_iterations; ++iteration) {
      evaluate(h);
      if (!judge()) break;
      move(iteration % method::half_every == 0 ? 0.5 : 1);
    }
  }

  /// What depends on the potential and the states in closed form alone, and the pools as they begin.
  void begin(Real h) {
    const TermTape& tape = tapes_->before;
    const StageTerms& terms = tapes_->terms;
    if (tape.potential() >= 0) std::ranges::copy(potential_mv, in(before_, tape.potential()));
    for (const int state : terms.closed)
      if (const std::int32_t place = tape.state(static_cast<std::size_t>(state)); place >= 0)
        std::copy_n(old.data() + static_cast<std::ptrdiff_t>(state) * lanes, lanes, in(before_, place));
    if (const std::int32_t place = tape.parameter(static_cast<std::size_t>(terms.step)); place >= 0)
      std::fill_n(in(before_, place), lanes, h);
    for (const int parameter : tapes_->varying)
      if (const std::int32_t place = tape.parameter(static_cast<std::size_t>(parameter)); place >= 0)
        for (int lane = 0; lane < lanes; ++lane)
          in(before_, place)[lane] =
              tapes_->cells[cell[static_cast<std::size_t>(lane)]][static_cast<std::size_t>(parameter)];
    tape.run<double, lanes>(before_);
    for (const Handed& handed : tapes_->handed) std::copy_n(in(before_, handed.from), lanes, in(during_, handed.to));
    has_failed_.fill(0);
    may_be_negative_.fill(0);
    for (std::size_t k = 0; k < terms.pools.size(); ++k) begin_pool(k);
  }

  /// Lanes without a solution at 0 or above begin anew where they began, with no bound; whether there are any.
  bool begin_again_below_zero() {
    bool is_any = false;
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      may_be_negative_[lane] = !has_solution(lane) ? 1 : 0;
      if (may_be_negative_[lane] == 0) continue;
      is_any = true;
      has_failed_[lane] = 0;
      for (std::size_t k = 0; k < tapes_->terms.pools.size(); ++k)
        row(first_, k)[lane] = row(pool_, k)[lane] =
            old[static_cast<std::size_t>(tapes_->terms.pools[k]) * lanes + lane];
    }
    return is_any;
  }

  bool stays_positive(std::size_t pool, std::size_t lane) const {
    return tapes_->stays_positive[pool] != 0 && may_be_negative_[lane] == 0;
  }
  bool has_solution(std::size_t lane) const {
    bool is_there = is_solved_[lane] != 0 && has_failed_[lane] == 0;
    for (std::size_t k = 0; k < tapes_->terms.pools.size(); ++k)
      if (stays_positive(k, lane)) is_there = is_there && pool_[k * lanes + lane] + change_[k * lanes + lane] >= 0;
    return is_there;
  }

  void begin_pool(std::size_t k) {
    const double* const value = old.data() + static_cast<std::ptrdiff_t>(tapes_->terms.pools[k]) * lanes;
    double *const first = row(first_, k), *const pool = row(pool_, k);
    const double initial = tapes_->initial[k];
    for (int lane = 0; lane < lanes; ++lane) {
      first[lane] = pool[lane] = value[lane];
      if (tapes_->stays_positive[k] == 0) continue;
      if (first[lane] < 0 && first[lane] > -method::just_below * initial) first[lane] = 0;
      pool[lane] =
          first[lane] >= 0 && first[lane] < method::least_guess * initial ? method::least_guess * initial : first[lane];
    }
  }

  /// All terms for the present pools, and the change that Newton's method makes of these.
  void evaluate(Real h) {
    const StageTapes& tapes = *tapes_;
    for (std::size_t k = 0; k < tapes.terms.pools.size(); ++k)
      if (const std::int32_t place = tapes.during.state(static_cast<std::size_t>(tapes.terms.pools[k])); place >= 0)
        std::copy_n(row(pool_, k), lanes, in(during_, place));
    tapes.during.run<double, lanes>(during_);
    std::ranges::fill(matrix_, 0);
    const LaneSolver& solver = tapes.solver;
    for (int k = 0; k < solver.rows(); ++k) {
      const auto of = static_cast<std::size_t>(k);
      const double *const rate = out(tapes.rate[of]), *const by_potential = out(tapes.rate_by_potential[of]);
      for (int lane = 0; lane < lanes; ++lane) {
        row(change_, of)[lane] = row(first_, of)[lane] + h * rate[lane] - row(pool_, of)[lane];
        row(by_potential_, of)[lane] = h * by_potential[lane];
      }
      std::fill_n(row(matrix_, static_cast<std::size_t>(solver.place(k, k))), lanes, 1);
    }
    for (const Entry& entry : tapes.rate_by_pool) {
      double* const to = row(matrix_, static_cast<std::size_t>(solver.place(entry.row, entry.column)));
      const double* const by_pool = out(entry.from);
      for (int lane = 0; lane < lanes; ++lane) to[lane] -= h * by_pool[lane];
    }
    solver.solve(matrix_.data(), change_.data(), by_potential_.data(), has_failed_.data());
  }

  /// Finds which lanes are solved; whether one may still be.
  bool judge() {
    is_solved_.fill(1);
    for (std::size_t k = 0; k < tapes_->terms.pools.size(); ++k) {
      const double *const change = row(change_, k), *const pool = row(pool_, k), *const first = row(first_, k);
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        // A pool that passes through 0 has no relative error there.
        const double scale =
            stays_positive(k, lane) ? 0 : method::of_signed * std::max(tapes_->initial[k], std::abs(first[lane]));
        if (!(std::abs(change[lane]) <= method::near_enough * (std::abs(pool[lane]) + scale + method::least)))
          is_solved_[lane] = 0;
        if (!std::isfinite(change[lane])) has_failed_[lane] = 1;
      }
    }
    for (std::size_t lane = 0; lane < lanes; ++lane)
      if (is_solved_[lane] == 0 && has_failed_[lane] == 0) return true;
    return false;
  }

  void move(double share) {
    for (std::size_t k = 0; k < tapes_->terms.pools.size(); ++k) {
      const double* const change = row(change_, k);
      double* const pool = row(pool_, k);
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        if (is_solved_[lane] != 0 || has_failed_[lane] != 0) continue;
        const double end = pool[lane] + share * change[lane];
        pool[lane] = stays_positive(k, lane) ? std::max(end, method::least_share * pool[lane]) : end;
      }
    }
  }

  /// Current and states with the last change of the pools, and the slope with what V does through them.
  void end() {
    const StageTapes& tapes = *tapes_;
    std::copy_n(out(tapes.current), lanes, current.begin());
    std::copy_n(out(tapes.current_by_potential), lanes, slope.begin());
    for (const Entry& entry : tapes.current_by_pool) {
      const auto pool = static_cast<std::size_t>(entry.column);
      const double* const by_pool = out(entry.from);
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        current[lane] += by_pool[lane] * row(change_, pool)[lane];
        slope[lane] += by_pool[lane] * row(by_potential_, pool)[lane];
      }
    }
    for (std::size_t k = 0; k < tapes.closed_end.size(); ++k)
      std::copy_n(out(tapes.closed_end[k]), lanes, row(states, static_cast<std::size_t>(tapes.terms.closed[k])));
    for (const Entry& entry : tapes.closed_by_pool) {
      double* const state =
          row(states, static_cast<std::size_t>(tapes.terms.closed[static_cast<std::size_t>(entry.row)]));
      const double *const by_pool = out(entry.from), *const change =
                                                         row(change_, static_cast<std::size_t>(entry.column));
      for (int lane = 0; lane < lanes; ++lane) state[lane] += by_pool[lane] * change[lane];
    }
    for (std::size_t k = 0; k < tapes.terms.pools.size(); ++k) {
      double* const state = row(states, static_cast<std::size_t>(tapes.terms.pools[k]));
      for (std::size_t lane = 0; lane < lanes; ++lane) state[lane] = row(pool_, k)[lane] + row(change_, k)[lane];
    }
    for (std::size_t lane = 0; lane < lanes; ++lane)
      if (!has_solution(lane)) current[lane] = slope[lane] = std::numeric_limits<Real>::quiet_NaN();
  }

  std::shared_ptr<const StageTapes> tapes_;
  std::vector<double> before_, during_;                       ///< registers of the tapes
  std::vector<double> pool_, first_, change_, by_potential_;  ///< [pool][lane]
  std::vector<double> matrix_;
  Lanes is_solved_{}, has_failed_{}, may_be_negative_{};
};

}  // namespace

std::unique_ptr<LaneStage> cellml_lane_stage(const CellMlModel& model, std::span<const std::vector<double>> cells) {
  return std::make_unique<CellMlLaneStage>(std::make_shared<const StageTapes>(model, cells));
}

}  // namespace cardiowarp
