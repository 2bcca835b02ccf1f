#include "app/cells/lattice_speeds.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <mutex>
#include <optional>
#include <utility>

#include "app/cells/small_models.hpp"
#include "app/simulation/step_formula.hpp"
#include "app/simulation/step_law.hpp"
#include "fem/cells/cell_model.hpp"
#include "fem/cells/ionic_model.hpp"
#include "fem/cells/marched_cells.hpp"
#include "kernels/backend/thread_team.hpp"

namespace cardiowarp {
namespace {

constexpr StepFormula formula = step_formula::sdirk2;
constexpr Real infinity = std::numeric_limits<Real>::infinity();

/// A cable of D = 1 mm²/ms, lumped, with the diffusion (K V)_i = (2 V_i − V_{i−1} − V_{i+1}) / a².
class Cable {
 public:
  Cable(const IonicCell& cell, int nodes, int excited, Real excited_mv, Real spacing_mm)
      : per_square_(1 / (spacing_mm * spacing_mm)), cells_(cell, nodes), potential_(cells_.potentials()) {
    std::fill_n(potential_.begin(), excited, excited_mv);
    begin_states_ = cells_.states();
    for (std::vector<Real>* of : {&begin_, &start_, &rate_, &new_rate_, &first_rate_, &change_, &factor_})
      of->assign(potential_.size(), 0);
    begin_ = potential_;
    rest_mv_ = potential_.back();
    find_active();
  }

  /// When V first rises through 0 at two nodes, the second later than the first, in ms; nothing where the front needs
  /// longer than `patience_ms` from one node to the next.
  std::optional<std::pair<Real, Real>> crossings(int first, int second, Real patience_ms, Real longest_step_ms) {
    constexpr Real tolerance = 5e-4, shortest_ms = 1e-7;
    const StepLaw law{tolerance, shortest_ms, longest_step_ms, 3};
    StepPlan plan{.proposed_ms = 1e-3};
    std::optional<Real> first_ms;
    Real moved_ms = 0;
    auto ahead =
        static_cast<std::size_t>(std::ranges::find_if(potential_, [](Real V) { return V < 0; }) - potential_.begin());
    while (plan.time_ms < moved_ms + patience_ms) {
      law.plan_to(plan, infinity);
      const Real h = plan.step_ms(), error = try_step(h);
      if (!std::isfinite(error)) {
        if (law.is_shortest(plan)) return {};
        plan.proposed_ms = std::max(h / 4, shortest_ms);
        plan.previous_ratio = 0;
      } else if (error > law.largest_error(plan)) {
        law.reject(plan, error);
      } else {
        const auto crossed_ms = [&](int node) { return plan.time_ms + h * root(static_cast<std::size_t>(node), h); };
        const auto rises = [&](int node) {
          return begin_[static_cast<std::size_t>(node)] < 0 && potential_[static_cast<std::size_t>(node)] >= 0;
        };
        if (!first_ms && rises(first)) first_ms = crossed_ms(first);
        if (first_ms && rises(second)) return std::pair(*first_ms, crossed_ms(second));
        law.accept(plan, error);
        plan.time_ms = plan.next_ms;
        keep();
        for (; ahead < potential_.size() && potential_[ahead] >= 0; ++ahead) moved_ms = plan.time_ms;
        continue;
      }
      undo();
    }
    return {};
  }

 private:
  /// The estimated error of a step of h ms in 100 mV, with the state at its end in place; NaN where it has none.
  Real try_step(Real h) {
    const Real length = formula.length * h;
    const std::size_t nodes = potential_.size();
    start_ = begin_;
    for (std::size_t i = 0; i < nodes; ++i) potential_[i] = begin_[i] + length * rate_[i];
    if (!solve(length)) return NAN;
    for (std::size_t i = 0; i < nodes; ++i) {
      first_rate_[i] = (potential_[i] - begin_[i]) / length;
      start_[i] = begin_[i] + formula.beyond * (potential_[i] - begin_[i]);
      potential_[i] = start_[i] + length * (first_rate_[i] + formula.rest_over_first() * (first_rate_[i] - rate_[i]));
    }
    cells_.move(formula.beyond);
    if (!solve(length)) return NAN;
    Real error = 0;
    for (std::size_t i = 0; i < nodes; ++i) {
      new_rate_[i] = (potential_[i] - start_[i]) / length;
      error = std::max(error, std::abs(begin_[i] + h / 2 * (rate_[i] + new_rate_[i]) - potential_[i]));
    }
    return formula.error * error / 100;
  }

  /// V − V̂ + θ (I(V) + K V) = 0 by Newton's method; the matrix is tridiagonal.
  bool solve(Real length) {
    constexpr int most_iterations = 12;
    constexpr Real near_enough_mv = 0.05;  // Newton's error squares, and what is left is a thousandth of it
    const std::size_t nodes = potential_.size();
    const Real coupling = length * per_square_;
    for (int iteration = 0; iteration < most_iterations; ++iteration) {
      cells_.evaluate(length, active_);
      Real largest = 0;
      for (std::size_t i = 0; i < nodes; ++i) {
        const IonicCurrent& ionic = cells_.current(static_cast<int>(i));
        if (!std::isfinite(ionic.current)) return false;
        const Real left = i > 0 ? potential_[i - 1] - potential_[i] : 0,
                   right = i + 1 < nodes ? potential_[i + 1] - potential_[i] : 0;
        const Real neighbors = i == 0 || i + 1 == nodes ? 1 : 2, before = i > 0 ? factor_[i - 1] : 0;
        const Real pivot = 1 + length * ionic.slope + neighbors * coupling - coupling * before;
        if (!(pivot > 0)) return false;
        const Real residual = start_[i] - potential_[i] - length * ionic.current + coupling * (left + right);
        change_[i] = (residual + (i > 0 ? coupling * change_[i - 1] : 0)) / pivot;
        factor_[i] = coupling / pivot;
      }
      for (std::size_t i = nodes; i-- > 0;) {
        if (i + 1 < nodes) change_[i] += factor_[i] * change_[i + 1];
        largest = std::max(largest, std::abs(change_[i]));
        potential_[i] += change_[i];
      }
      if (largest <= near_enough_mv) return true;
    }
    return false;
  }

  void keep() {
    cells_.take_ends();
    begin_states_ = cells_.states();
    begin_ = potential_;
    rate_.swap(new_rate_);
    find_active();
  }
  /// All but the last nodes, which the front has not reached.
  void find_active() {
    constexpr Real reached_mv = 0.001;
    active_ = potential_.size();
    while (active_ > 1 && std::abs(potential_[active_ - 1] - rest_mv_) < reached_mv) --active_;
    active_ = std::min(active_ + 1, potential_.size());
  }
  void undo() {
    cells_.states() = begin_states_;
    potential_ = begin_;
  }

  /// Where in a step V of a node rises through 0, from 0 to 1, on the cubic of its values and rates.
  Real root(std::size_t node, Real h) const {
    const Real from = begin_[node], to = potential_[node], m0 = h * rate_[node], m1 = h * new_rate_[node];
    Real low = 0, high = 1;
    for (int halving = 0; halving < 40; ++halving) {
      const Real x = (low + high) / 2, y = 1 - x;
      const Real value = from * y * y * (1 + 2 * x) + m0 * x * y * y + to * x * x * (3 - 2 * x) - m1 * x * x * y;
      (value < 0 ? low : high) = x;
    }
    return (low + high) / 2;
  }

  Real per_square_;  ///< 1 / a²
  Real rest_mv_ = 0;
  std::size_t active_ = 0;
  MarchedCells cells_;
  std::vector<Real>& potential_;
  std::vector<std::vector<Real>> begin_states_;
  std::vector<Real> begin_, start_, rate_, new_rate_, first_rate_, change_, factor_;
};

/// The time that a front takes for 1 mm on a cable of D = 1 mm²/ms with nodes `spacing` δ apart; infinite where it
/// stops.
Real ms_per_mm(const AnyCell& cell, const Front& front, Real spacing) {
  const Scaling scaling = scaling_of(cell);
  const Real front_mm = std::sqrt(front.thickness_square * scaling.ms_per_tau), spacing_mm = spacing * front_mm;
  const Real speed = front.speed / std::sqrt(scaling.ms_per_tau), ms_a_front = front_mm / speed;
  const auto edges_of = [&](Real fronts, int at_least) {
    return std::max(static_cast<int>(std::ceil(fronts / spacing)), at_least);
  };
  const int excited = edges_of(4, 3), settles = excited + edges_of(16, 4), gauge = edges_of(6, 2),
            nodes = settles + gauge + edges_of(6, 3);
  const Real excited_mv = is_ionic(cell) ? 0 : scaling.mv_from_phi(1), patience_ms = 20 * (1 + spacing) * ms_a_front;
  const IonicCell view = ionic_view(cell);
  Cable cable(view, nodes, excited, excited_mv, spacing_mm);
  const auto crossed = cable.crossings(settles, settles + gauge, patience_ms, ms_a_front);
  return crossed ? (crossed->second - crossed->first) / (gauge * spacing_mm) : infinity;
}

constexpr Real finest = 0.5;

}  // namespace

LatticeSpeeds::LatticeSpeeds(const AnyCell& cell, const Front& front, Real coarsest) {
  if (!(front.speed > 0)) {
    samples_ = {{finest, infinity}};
    return;
  }
  const Real end = std::min(coarsest, coarsest_measured(cell));
  for (Real spacing = finest; samples_.size() < 2 || samples_.back().spacing < end; spacing *= 2)
    samples_.push_back({spacing, 0});
  parallel_ranges(static_cast<std::int64_t>(samples_.size()), 1, [&](std::int64_t begin, std::int64_t last) {
    for (std::int64_t k = begin; k < last; ++k) {
      Sample& sample = samples_[static_cast<std::size_t>(k)];
      sample.delay = ms_per_mm(cell, front, sample.spacing);
    }
  });
  // Where the front stops is known better by a cable between the last two.
  const auto stopped = std::ranges::find_if(samples_, [](const Sample& of) { return !std::isfinite(of.delay); });
  if (stopped != samples_.begin() && stopped != samples_.end()) {
    const Real between = std::sqrt(stopped->spacing * (stopped - 1)->spacing);
    samples_.insert(stopped, {between, ms_per_mm(cell, front, between)});
  }
  // The error falls with the square of the spacing.
  const Real in_continuum = samples_[0].delay - (samples_[1].delay - samples_[0].delay) / 3;
  for (Sample& sample : samples_) sample.delay = std::max<Real>(sample.delay / in_continuum - 1, 0);
}

Real LatticeSpeeds::error(Real spacing) const {
  const auto error_of = [](Real delay) { return 1 / (1 + delay) - 1; };
  const auto next = std::ranges::find_if(samples_, [&](const Sample& of) { return of.spacing >= spacing; });
  if (next == samples_.end()) return error_of(samples_.back().delay);
  if (next == samples_.begin()) return error_of(next->delay * (spacing / next->spacing) * (spacing / next->spacing));
  const Sample& before = *(next - 1);
  if (!std::isfinite(next->delay) || !(before.delay > 0))
    return error_of(next->spacing == spacing ? next->delay : before.delay);
  const Real power = std::log(next->delay / before.delay) / std::log(next->spacing / before.spacing);
  return error_of(before.delay * std::pow(spacing / before.spacing, power));
}

bool LatticeSpeeds::stops(Real spacing) const {
  const auto first = std::ranges::find_if(samples_, [](const Sample& of) { return !std::isfinite(of.delay); });
  return first != samples_.end() && (first == samples_.begin() || spacing > (first - 1)->spacing);
}

std::vector<LatticeSpeeds> lattice_speeds(const TissueCells& cells, const std::vector<Front>& fronts,
                                          const std::vector<Real>& coarsest) {
  struct Known {
    AnyCell cell;
    LatticeSpeeds speeds;
  };
  static std::mutex mutex;
  static std::vector<Known> all;
  const std::lock_guard lock(mutex);
  std::vector<LatticeSpeeds> result;
  for (std::size_t kind = 0; kind < fronts.size(); ++kind) {
    const AnyCell cell = cells[kind];
    const Real end = std::min(coarsest[kind], LatticeSpeeds::coarsest_measured(cell));
    auto found = std::ranges::find(all, cell, &Known::cell);
    if (found != all.end() && found->speeds.coarsest() < end) {
      all.erase(found);
      found = all.end();
    }
    if (found == all.end()) found = all.insert(found, {cell, LatticeSpeeds(cell, fronts[kind], end)});
    result.push_back(found->speeds);
  }
  return result;
}

}  // namespace cardiowarp
