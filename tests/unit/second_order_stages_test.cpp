// What single steps of the schemes of order 2 report and leave, against numbers by hand: on tissue whose nodes all have
// the same potential, which is one cell.

#include "app/simulation/second_order_loops.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "app/simulation/chebyshev_formula.hpp"
#include "app/simulation/simulation.hpp"
#include "meshes/generate.hpp"
#include "tests/support/paced_bar.hpp"
#include "tests/support/second_order_schemes.hpp"
#include "tests/support/single_run.hpp"

namespace cardiowarp {
namespace {

constexpr Real any_error = std::numeric_limits<Real>::infinity();
const Scaling& scaling = AlievPanfilov::scaling;

class OneCellStep : public testing::TestWithParam<TimeScheme> {
 protected:
  /// All of the tissue begins with `phi` and is stimulated from the start on; equations are solved to rounding.
  Problem cell(Real phi, Real mv_per_ms, const AlievPanfilov& model = {}) const {
    Problem problem = test::paced_bar(mesh, GetParam(), {0, 1000}, mv_per_ms);
    problem.time.newton_follows = problem.time.linear_follows = false;
    problem.newton = tight_newton;
    problem.linear_solver = tight_cg;
    problem.cell_models = std::vector{model};
    std::fill(problem.phi.begin(), problem.phi.end(), phi);
    return problem;
  }
  Real phi_of(Simulation& simulation) const {
    std::vector<Real> values(mesh.nodes.size());
    simulation.potential_mv(values);
    for (const Real value : values) EXPECT_NEAR(value, values[0], 1e-10);
    return (values[0] - scaling.mv_from_phi(0)) / scaling.mv_per_phi;
  }
  Real recovery_of(Simulation& simulation) const {
    std::vector<Real> values(mesh.tetrahedra.size());
    simulation.state(0, values);
    return values[0];
  }

  const Mesh mesh = slab_mesh({1, 1, 1}, 0.5, true);
};
INSTANTIATE_TEST_SUITE_P(Schemes, OneCellStep, test::second_order_schemes(), test::name_of_scheme_in_test);

class ImplicitOneCellStep : public OneCellStep {};
INSTANTIATE_TEST_SUITE_P(Schemes, ImplicitOneCellStep, test::implicit_schemes_of_order_two(),
                         test::name_of_scheme_in_test);

TEST(StageNewton, HasAToleranceThatFallsWithTheRootOfTheLengthWhereItFollows) {
  EXPECT_DOUBLE_EQ((StageNewton{{.tolerance = 3e-4}, true}(0.04).tolerance), 3e-4 / 0.2);
  EXPECT_DOUBLE_EQ((StageNewton{{.tolerance = 3e-4}, true}(9).tolerance), 1e-4);
  EXPECT_EQ((StageNewton{{.tolerance = 3e-4}, false}(0.04).tolerance), 3e-4);
}

TEST(BeginStage, AfterOneWithoutASolutionHasNoIterationAndKeepsItsReport) {
  for (const bool converged : {true, false})
    for (const bool follows : {true, false}) {
      StepState state{};
      state.newton.report.iterations = 7;
      state.newton.report.status = converged ? NewtonStatus::converged : NewtonStatus::iteration_limit;
      BeginStage{&state, {{0.5, 0.25}}, 0.3, {{.tolerance = 1e-3}, true}, follows, 2e-5}();
      EXPECT_EQ(state.newton.go_on != 0, converged || !follows);
      EXPECT_FALSE(state.newton.report.converged());
      EXPECT_EQ(state.stage_before.iterations, follows ? 7 : 0);
      EXPECT_DOUBLE_EQ(state.step, 0.15);
      EXPECT_EQ(state.linear_error, 2e-5);
    }
}

TEST(StagesOfAStep, BeginWithTheRateOnTheLineThroughTheLastTwo) {
  const Real phi_old = 2, phi_older = 9, rate = 3, rate_before = 1, first_source = 0.5, source = 0.25;
  const Real step = 0.4, previous = 0.1, share = 0.3, length = 0.12, first_at = 0.6, beyond = 1.5;
  const auto begin = [&](StepState& state, Real before, bool follows) {
    return BeginStage{&state, {{step, before}}, share, {{}, false}, follows, 0};
  };
  for (const Real before : {previous, Real{0}}) {  // no step before: the rate at the step's beginning
    StepState state{};
    Real load = 0, phi = 0;
    const FirstOld old{&phi_old, &phi_older, &rate, &first_source, {{step, before}}, 0, 0};
    StartFirstStage{&load, &phi, old, &first_source, &rate, &rate_before, first_at, begin(state, before, false)}(0);
    const Real at_end = before > 0 ? rate + 0.24 * (rate - rate_before) / previous : rate;
    EXPECT_DOUBLE_EQ(phi, phi_old + length * (at_end + first_source));
    EXPECT_DOUBLE_EQ(load, phi_old / length + first_source);

    const Real first = phi = 2.3, of_first = (first - phi_old) / length - first_source;
    const Real rest_over_first = (1 - first_at) / first_at, start = phi_old + beyond * (first - phi_old);
    StartSecondStage{
        &load, &phi, old, &first_source, &source, &rate, beyond, rest_over_first, begin(state, before, true)}(0);
    EXPECT_DOUBLE_EQ(phi, start + length * (of_first + (of_first - rate) / 0.24 * 0.16 + source));
    EXPECT_DOUBLE_EQ(load, start / length + source);
  }
}

TEST(AddUpdate, HasNoNumberWhereANodeReachesTheEndOfItsRangeAndChangesNothingWithoutASolution) {
  const Real update = -0.5, lowest = -0.3;
  for (const auto& [before, is_inside] : {std::pair{0.25, true}, {0.1, false}, {0.2, false}}) {
    CgReport solve;
    solve.status = CgStatus::converged;
    Real phi = before;
    const Real change = AddUpdate{&phi, &update, &lowest, &solve}(0);
    EXPECT_EQ(phi, before + update);
    EXPECT_EQ(std::isnan(change), !is_inside);
    EXPECT_EQ(is_inside ? change : 0.5, 0.5);
    solve.status = CgStatus::not_finite;
    phi = before;
    EXPECT_EQ((AddUpdate{&phi, &update, &lowest, &solve}(0)), 0);
    EXPECT_EQ(phi, before);
  }
}

TEST(ErrorFromResidual, IsTheLargestOfItsThreeBounds) {
  // Of smooth errors, of those that change sign, and of those that only diffusion sees, without and with its limit.
  const std::vector<Real> residual{-3, 3, -3, 3}, inverse_volume{50, 1, 1, 0.01}, inverse_diffusion{0.5, 0.5, 7, 7},
      inverse_diagonal{1, 4, 0.01, 0.01}, expected{3 * 5, 3 * 8, 3 * 7, 3 * 1};
  StepState state{};
  state.step = 0.1;
  const ErrorFromResidual error{residual.data(), inverse_volume.data(), inverse_diffusion.data(),
                                inverse_diagonal.data(), &state};
  for (Index i = 0; i < 4; ++i) EXPECT_DOUBLE_EQ(error(i), expected[i]) << i;
}

TEST(SetLinearTarget, AsksForWhatIsLeftToDoAndForNothingWhereNothingIs) {
  StepState state{};
  state.linear_error = 2e-5;
  for (const auto& [first, expected] : {std::pair{4.0, 5e-6}, {2e-5, 1.0}, {1e-7, 1.0}}) {
    state.max_right_hand_side = first;
    SetLinearTarget{&state}();
    EXPECT_DOUBLE_EQ(state.newton.forcing.largest, expected);
  }
}

TEST_P(ImplicitOneCellStep, HasNoSolutionWhereItsFirstStageAloneHasNone) {
  for (const int most : {2, 4}) {
    Problem problem = cell(0.1, 40);
    for (Diffusivity& of_element : problem.diffusivity) of_element = {};
    problem.quadrature = Quadrature::vertices;
    problem.newton = {1e-6, most, ForcingChoice::fixed};
    const auto simulation = make_cpu_simulation(problem);
    const StepReport report = simulation->step_to(1);
    EXPECT_EQ(report.failure.has_value(), most == 2);
    EXPECT_EQ(simulation->time_ms(), most == 2 ? 0 : 1);
  }
}

TEST_P(ImplicitOneCellStep, CountsTheIterationsOfAllItsStagesWhereOneFindsNoSolutionAtOnce) {
  // Without diffusion the matrix is diagonal: a linear solve takes one iteration.
  for (const auto& [end_ms, most] : {std::pair{1.0, 2}, {3.0, 3}, {3.0, 4}}) {
    Problem problem = cell(0, 40);
    for (Diffusivity& of_element : problem.diffusivity) of_element = {};
    problem.quadrature = Quadrature::vertices;
    problem.newton = {1e-6, most, ForcingChoice::fixed};
    const StepReport report = make_cpu_simulation(problem)->step_to(end_ms);
    EXPECT_GT(report.newton_iterations, 2 * most);  // more than those of one stage from both of its guesses
    EXPECT_EQ(report.linear_iterations, report.newton_iterations);
  }
}

TEST_P(ImplicitOneCellStep, IsAParabolaWithTheRateAtItsEndWhereItIsTheFirst) {
  const Real step_ms = 2, start = 0.02, step = step_ms / scaling.ms_per_tau;
  const auto simulation = make_cpu_simulation(cell(start, 20));
  ASSERT_FALSE(simulation->step_to(step_ms).failure);
  const Real end = phi_of(*simulation), recovery = recovery_of(*simulation);
  const Real slope = step * (AlievPanfilov{}.rates(end, &recovery).f + scaling.stimulus(20));
  EXPECT_GT(std::fabs(slope - (end - start)), 0.01);  // else a line would do
  for (const Real part : {0.1, 0.37, 0.5, 0.9}) {
    simulation->look_at(part * step_ms);
    const Real bend = slope - (end - start);
    EXPECT_NEAR(phi_of(*simulation), start + part * (end - start) - part * (1 - part) * bend, 1e-9) << part;
  }
}

/// φ a time τ later where φ' = f(φ) and there is no recovery, by 200 steps of the classical method of Runge and Kutta.
Real later(const AlievPanfilov& model, Real phi, Real tau) {
  const auto f = [&](Real at) {
    const Real no_recovery = 0;
    return model.rates(at, &no_recovery).f;
  };
  const Real h = tau / 200;
  for (int k = 0; k < 200; ++k) {
    const Real k1 = f(phi), k2 = f(phi + h / 2 * k1), k3 = f(phi + h / 2 * k2), k4 = f(phi + h * k3);
    phi += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  return phi;
}

TEST_P(OneCellStep, EstimatesTheErrorOfASmallStepAsItsFormulaDoes) {
  // Near rest, where the equation is all but linear. With a step before that is shorter, bdf2 hardly feels its error.
  const AlievPanfilov model{.alpha = 0.2, .gamma = 0, .mu1 = 0};
  Problem problem = cell(1e-4, 0, model);
  for (Diffusivity& of_element : problem.diffusivity) of_element = {};
  const auto simulation = make_cpu_simulation(problem);
  const Real first_ms = 0.1, step_ms = 0.22;
  const StepReport first = simulation->try_step_to(first_ms, any_error);
  ASSERT_FALSE(first.failure);
  EXPECT_EQ(first.error.has_value(), GetParam() == TimeScheme::rkc2);  // the others know no rate at its beginning
  const Real begin = phi_of(*simulation);
  const StepReport report = simulation->try_step_to(first_ms + step_ms, any_error);
  ASSERT_TRUE(report.error);
  const Real error = std::fabs(phi_of(*simulation) - later(model, begin, step_ms / scaling.ms_per_tau));
  // Of rkc2 with its two stages, and of sdirk2, whose result is (sqrt(2) - 1) / 2 z³ in place of z³/6.
  const Real of_sdirk2 = (std::sqrt(2.0) - 1) / 2, third = 1. / 6;
  const Real expected = GetParam() == TimeScheme::rkc2     ? 1.2
                        : GetParam() == TimeScheme::sdirk2 ? (0.25 - of_sdirk2) / (of_sdirk2 - third)
                                                           : 1;
  EXPECT_NEAR(*report.error / error, expected, GetParam() == TimeScheme::bdf2 ? 0.06 : 0.03);
}

/// What a step of length 1 makes of φ = 1 where φ' = z φ.
Real growth_of(const ChebyshevFormula& formula, Real z) {
  Real before = 1, now = 1 + formula.first * z;
  for (const auto& by : formula.stages) {
    const Real next =
        1 - by.now - by.before + by.now * now + by.before * before + z * (by.by_rate * now + by.by_first_rate);
    before = std::exchange(now, next);
  }
  return now;
}

TEST(ChebyshevFormula, EstimatesNoLessThanTheErrorOfASmallStepAndLessThanTwiceThat) {
  // Of two stages the error is |z|³/6 and the distance to the trapezoidal rule |z|³/4, of many |z|³/15 and 3/20 |z|³.
  const Real z = -0.01;
  for (const auto& [number, expected] : {std::pair{2, 1.2}, {50, 1.8}}) {
    const Real end = growth_of(ChebyshevFormula(number), z);
    const Real estimate = ChebyshevFormula::error * std::fabs(1 + z / 2 * (1 + end) - end);
    EXPECT_NEAR(estimate / std::fabs(end - std::exp(z)), expected, 0.03 * expected) << number;
  }
}

class ExplicitOneCellStep : public OneCellStep {
 protected:
  /// φ after a step of the cell by `number` stages.
  static Real by_hand(int number, Real step, Real phi, Real recovery) {
    const AlievPanfilov model;
    const ChebyshevFormula formula(number);
    const auto rate = [&](const std::pair<Real, Real>& y) {
      const auto rates = model.rates(y.first, &y.second);
      return std::pair<Real, Real>{rates.f, rates.g[0]};
    };
    const std::pair<Real, Real> start{phi, recovery}, f0 = rate(start);
    std::pair<Real, Real> before = start,
                          now{phi + formula.first * step * f0.first, recovery + formula.first * step * f0.second};
    for (const auto& by : formula.stages) {
      const std::pair<Real, Real> f = rate(now);
      const auto next = [&](Real of_start, Real of_now, Real of_before, Real of_f, Real of_f0) {
        return (1 - by.now - by.before) * of_start + by.now * of_now + by.before * of_before +
               step * (by.by_rate * of_f + by.by_first_rate * of_f0);
      };
      const std::pair<Real, Real> stage{next(start.first, now.first, before.first, f.first, f0.first),
                                        next(start.second, now.second, before.second, f.second, f0.second)};
      before = std::exchange(now, stage);
    }
    return now.first;
  }
};
INSTANTIATE_TEST_SUITE_P(Schemes, ExplicitOneCellStep, testing::Values(TimeScheme::rkc2), test::name_of_scheme_in_test);

TEST_P(ExplicitOneCellStep, HasTheStagesForDiffusionAndSixFifthsOfTheCellsStiffness) {
  const Real start = 0.3, recovery = 0.2, step_ms = 1, step = step_ms / scaling.ms_per_tau;
  const auto rates = AlievPanfilov{}.rates(start, &recovery);
  const Real of_cell = std::fmax(std::fabs(rates.df_dphi) + std::fabs(rates.df_dstate[0]),
                                 std::fabs(rates.dg_dphi[0]) + std::fabs(rates.dg_dstate[0][0]));
  for (const int number : {3, 5})
    for (const bool is_above : {false, true}) {
      Problem problem = cell(start, 0);
      std::fill(problem.states.begin(), problem.states.end(), recovery);
      SimulationPlan plan = plan_simulation(problem, cpu_device());
      plan.vertices->stiffness = ChebyshevFormula::limit(number) / step - (is_above ? 1.19 : 1.21) * of_cell;
      const auto simulation = make_cpu_simulation_of(plan);
      ASSERT_FALSE(simulation->step_to(step_ms).failure);
      const Real expected = by_hand(number + is_above, step, start, recovery);
      EXPECT_NEAR(phi_of(*simulation), expected, 1e-12) << number;
      EXPECT_GT(std::fabs(by_hand(number + !is_above, step, start, recovery) - expected), 1e-7);
    }
}

TEST_P(ExplicitOneCellStep, IsInsideOnTheCubicsWithTheRatesAtBothEnds) {
  const Real begin_ms = 1, step_ms = 2, step = step_ms / scaling.ms_per_tau;
  Problem problem = cell(0.3, 20);
  std::fill(problem.states.begin(), problem.states.end(), 0.2);
  const auto simulation = make_cpu_simulation(problem);
  struct End {
    Real phi, recovery, f, g;
  };
  const auto end_at = [&](Real time_ms) {
    EXPECT_FALSE(simulation->step_to(time_ms).failure);
    const Real phi = phi_of(*simulation), recovery = recovery_of(*simulation);
    const auto rates = AlievPanfilov{}.rates(phi, &recovery);
    return End{phi, recovery, rates.f + scaling.stimulus(20), rates.g[0]};
  };
  const End first = end_at(begin_ms), last = end_at(begin_ms + step_ms);
  const auto cubic = [&](Real t, Real from, Real rate_from, Real to, Real rate_to) {
    return from + t * t * (3 - 2 * t) * (to - from) + step * t * (1 - t) * ((1 - t) * rate_from - t * rate_to);
  };
  for (const Real part : {0.2, 0.5, 0.83}) {
    simulation->look_at(begin_ms + part * step_ms);
    EXPECT_NEAR(phi_of(*simulation), cubic(part, first.phi, first.f, last.phi, last.f), 1e-11) << part;
    EXPECT_NEAR(recovery_of(*simulation), cubic(part, first.recovery, first.g, last.recovery, last.g), 1e-11) << part;
  }
}

}  // namespace
}  // namespace cardiowarp
