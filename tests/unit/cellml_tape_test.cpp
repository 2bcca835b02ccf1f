#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <random>
#include <span>
#include <vector>

#include "cellml/model.hpp"
#include "cellml/single_cell.hpp"
#include "cellml/stiff_solver.hpp"
#include "cellml/term_tape.hpp"
#include "tests/support/cellml_text.hpp"

namespace cardiowarp {
namespace {

/// A graph of `count` random operations on a potential, two states, a parameter and a constant.
TermGraph random_graph(std::mt19937& random, int count) {
  TermGraph graph;
  graph.leaf(Operation::potential);
  for (int k = 0; k < 2; ++k) graph.leaf(Operation::state, k);
  graph.leaf(Operation::parameter, 0);
  graph.constant(0.7);
  const auto any = [&](int below) { return static_cast<int>(random() % static_cast<unsigned>(below)); };
  for (int k = 0; k < count; ++k) {
    const int first = static_cast<int>(Operation::negate), last = static_cast<int>(Operation::select);
    graph.term(static_cast<Operation>(first + any(last - first + 1)), any(graph.size()), any(graph.size()),
               any(graph.size()));
  }
  return graph;
}

template <class Number, int Lanes>
void expect_values_of_graph(const TermGraph& graph, const std::vector<TermIndex>& outputs, double tolerance) {
  const std::vector<double> parameters{1.3};
  const TermTape tape(graph, outputs, parameters);
  std::vector<Number> registers = tape.registers<Number, Lanes>();
  const auto input = [](int which, int lane) { return 0.3 * which - 0.4 + 0.05 * lane; };
  const std::int32_t places[] = {tape.potential(), tape.state(0), tape.state(1)};
  for (int which = 0; which < 3; ++which)
    for (int lane = 0; lane < Lanes && places[which] >= 0; ++lane)
      registers[static_cast<std::size_t>(places[which] * Lanes + lane)] = static_cast<Number>(input(which, lane));
  tape.run<Number, Lanes>(registers);
  for (int lane = 0; lane < Lanes; ++lane) {
    const std::vector<double> states{input(1, lane), input(2, lane)};
    const std::vector<double> values =
        evaluate(graph, {.potential_mv = input(0, lane), .states = states, .parameters = parameters});
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      const double expected = values[static_cast<std::size_t>(outputs[k])];
      const double found = registers[static_cast<std::size_t>(tape.output(k) * Lanes + lane)];
      if (std::isnan(expected)) {
        EXPECT_TRUE(std::isnan(found));
      } else if (tolerance == 0) {
        EXPECT_EQ(found, expected) << "output " << k << " of lane " << lane;
      } else {
        EXPECT_NEAR(found, expected, tolerance * (1 + std::abs(expected))) << "output " << k << " of lane " << lane;
      }
    }
  }
}

/// A graph of chains of sums, differences, products and quotients, whose links are used once.
TermGraph graph_of_chains(std::mt19937& random, std::vector<TermIndex>& ends) {
  constexpr Operation operations[] = {Operation::add, Operation::subtract, Operation::multiply, Operation::divide};
  TermGraph graph;
  const TermIndex leaves[] = {graph.leaf(Operation::potential), graph.leaf(Operation::state, 0),
                              graph.leaf(Operation::state, 1), graph.leaf(Operation::parameter, 0)};
  for (int chain = 0; chain < 7; ++chain) {
    TermIndex link = leaves[chain % 3];
    for (int k = 0; k < 9; ++k) {
      const TermIndex leaf = leaves[random() % 4u];
      const Operation operation = operations[random() % 4u];
      link = random() % 2u == 0 ? graph.term(operation, link, leaf) : graph.term(operation, leaf, link);
    }
    ends.push_back(link);
  }
  return graph;
}

TEST(TermTape, JoinsOperationsWhoseResultIsUsedOnceWithTheBitsOfTheGraph) {
  std::mt19937 random(11);
  for (int trial = 0; trial < 40; ++trial) {
    std::vector<TermIndex> ends;
    const TermGraph graph = graph_of_chains(random, ends);
    expect_values_of_graph<double, 1>(graph, ends, 0);
    expect_values_of_graph<double, 32>(graph, ends, 0);
    const TermTape tape(graph, ends, std::vector<double>{1.3});
    EXPECT_LT(tape.instructions(), 6 * ends.size());  // of 9 operations each
  }
}

TEST(TermTape, EachOutputHasTheBitsOfThePlainEvaluationInEveryLane) {
  std::mt19937 random(5);
  for (int count : {1, 7, 43, 301}) {
    const TermGraph graph = random_graph(random, count);
    std::vector<TermIndex> outputs{graph.size() - 1, 0, 4, graph.size() / 2, graph.size() - 1, 3};
    expect_values_of_graph<double, 1>(graph, outputs, 0);
    expect_values_of_graph<double, TermTape::wide_lanes>(graph, outputs, 0);
  }
}

TEST(TermTape, SinglePrecisionIsRoundedDoublePrecision) {
  TermGraph graph;
  const TermIndex v = graph.leaf(Operation::potential), s = graph.leaf(Operation::state, 1);
  const TermIndex exp = graph.term(Operation::exp, graph.multiply(v, s));
  const TermIndex quotient = graph.term(Operation::exp_quotient, v);
  expect_values_of_graph<float, TermTape::wide_lanes>(graph, {graph.divide(exp, graph.constant(3)), quotient}, 3e-7);
}

TEST(TermTape, AParameterThatVariesIsAnInput) {
  TermGraph graph;
  const TermIndex v = graph.leaf(Operation::potential), a = graph.leaf(Operation::parameter, 0);
  const TermIndex b = graph.leaf(Operation::parameter, 1);
  const TermIndex output = graph.multiply(graph.term(Operation::exp, b), graph.subtract(v, a));
  const std::vector<double> parameters{2, 0.5};
  const std::vector<int> varying{1};
  const TermTape tape(graph, {&output, 1}, parameters, varying);
  EXPECT_LT(tape.parameter(0), 0);
  ASSERT_GE(tape.parameter(1), 0);
  std::vector<double> registers = tape.registers<double, 1>();
  registers[static_cast<std::size_t>(tape.potential())] = 7;
  for (const double number : {0.5, -1.0}) {  // 0.5 stands there from the beginning
    if (number < 0) registers[static_cast<std::size_t>(tape.parameter(1))] = number;
    tape.run<double, 1>(registers);
    EXPECT_DOUBLE_EQ(registers[static_cast<std::size_t>(tape.output(0))], std::exp(number) * 5);
  }
}

TEST(TermTape, RegistersAreUsedAgain) {
  TermGraph graph;
  TermIndex term = graph.leaf(Operation::potential);
  for (int k = 0; k < 500; ++k) term = graph.term(Operation::sin, term);
  const TermTape tape(graph, {&term, 1}, {});
  EXPECT_EQ(tape.instructions(), 500U);
  EXPECT_LE((tape.registers<double, 1>().size()), 3U);
}

/// y' = −k (y − cos t) − sin t with y(0) = 1 is cos t; z' = y z with z(0) = 1 is exp(sin t).
class KnownSystem : public StiffSystem {
 public:
  explicit KnownSystem(double stiffness) : k_(stiffness) {}
  std::size_t size() const override { return 2; }
  void rates(double t, std::span<const double> y, std::span<double> f) override {
    f[0] = -k_ * (y[0] - std::cos(t)) - std::sin(t);
    f[1] = y[0] * y[1];
  }
  void rates_and_slopes(double t, std::span<const double> y, std::span<double> f, std::span<double> by_y,
                        std::span<double> by_t) override {
    rates(t, y, f);
    by_y[0] = -k_, by_y[1] = 0, by_y[2] = y[1], by_y[3] = y[0];
    by_t[0] = -k_ * std::sin(t) - std::cos(t), by_t[1] = 0;
  }

 private:
  double k_;
};

struct Errors {
  double at_end, between;
};

/// Largest errors of equal steps from 0 to 2.
Errors errors_of_equal_steps(int steps, double stiffness) {
  KnownSystem system(stiffness);
  StiffSolver solver(system, 1e3, {1, 1});
  std::vector<double> y{1, 1};
  double t = 0, between = 0;
  solver.restart(2.0 / steps);
  solver.advance(t, 2, y, 2.0 / steps, [&](const StiffStep& step) {
    for (const double s : {0.3, 0.7}) {
      between = std::max(between, std::abs(step.value(0, s) - std::cos(step.t + s * step.h)));
      between = std::max(between, std::abs(step.value(1, s) - std::exp(std::sin(step.t + s * step.h))));
      const double slope = (step.value(1, s + 1e-5) - step.value(1, s - 1e-5)) / (2e-5 * step.h);
      EXPECT_NEAR(step.slope(1, s), slope, 1e-8);
    }
  });
  EXPECT_EQ(solver.steps(), static_cast<std::size_t>(steps));
  return {std::max(std::abs(y[0] - std::cos(2)), std::abs(y[1] - std::exp(std::sin(2)))), between};
}

TEST(StiffSolver, HasOrderFourAtItsStepsAndThreeBetweenThem) {
  for (const double stiffness : {1.0, 1e4}) {
    const Errors coarse = errors_of_equal_steps(16, stiffness), fine = errors_of_equal_steps(32, stiffness);
    EXPECT_GT(std::log2(coarse.at_end / fine.at_end), 3.7) << "stiffness " << stiffness;
    EXPECT_GT(std::log2(coarse.between / fine.between), 2.9) << "stiffness " << stiffness;
    EXPECT_LT(fine.at_end, 1e-5);
  }
}

TEST(StiffSolver, KeepsTheErrorNearItsToleranceWithFewSteps) {
  for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
    KnownSystem system(1e5);
    StiffSolver solver(system, tolerance, {1, 1});
    std::vector<double> y{1, 1};
    double t = 0;
    EXPECT_EQ(solver.advance(t, 2, y, 1, [](const StiffStep&) {}), StiffSolver::End::reached);
    EXPECT_EQ(t, 2);
    EXPECT_LT(std::abs(y[1] - std::exp(std::sin(2))), 20 * tolerance);
    EXPECT_LT(solver.steps() + solver.rejected(), 200U);
  }
}

TEST(CellMlCell, APassiveCellIsTheExponentialOfItsTimeConstant) {
  // Without its gate's motion dV/dt = −(g n / C) (V − E) is an exponential; the pulse adds 40 mV/ms for 1 ms.
  std::string text =
      test::with(test::small_cell, "<cn cellml:units=\"per_ms\">0.1</cn>", "<cn cellml:units=\"per_ms\">0</cn>");
  text = test::with(text, "<cn cellml:units=\"per_ms\">0.05</cn>", "<cn cellml:units=\"per_ms\">0</cn>");
  CellMlCell cell(parse_cellml(text), 1e-9);
  std::size_t points = 0;
  const BeatReport beat = cell.beat(100, {40, 1}, [&](double, double, std::span<const double> states) {
    EXPECT_EQ(states[0], 0.5);
    ++points;
  });
  const double rate = 0.025, rest = -70, added = 40 / rate;  // V goes to rest + added while the pulse lasts
  const double after_pulse = rest + added + (-80 - rest - added) * std::exp(-rate);
  EXPECT_EQ(beat.rest_mv, -80);
  EXPECT_NEAR(beat.peak_mv, after_pulse, 1e-5);
  EXPECT_NEAR(beat.peak_ms, 1, 1e-6);
  EXPECT_NEAR(cell.potential_mv(), rest + (after_pulse - rest) * std::exp(-rate * 99), 1e-5);
  EXPECT_NEAR(beat.upstroke_mv_per_ms, 40.25, 1e-6);
  EXPECT_EQ(beat.upstroke_ms, 0);
  ASSERT_TRUE(beat.apd50_ms);
  const double level = (after_pulse - 80) / 2;
  EXPECT_NEAR(*beat.apd50_ms, 1 + std::log((after_pulse - rest) / (level - rest)) / rate, 1e-4);
  EXPECT_FALSE(beat.apd90_ms);  // nine tenths of the way back are below the −70 mV to which it goes
  EXPECT_FALSE(beat.zero_ms);
  EXPECT_EQ(cell.time_ms(), 100);
  EXPECT_GT(points, 10U);
}

TEST(CellMlCell, ARateThatIsNoNumberEndsItWithTimeAndPotential) {
  // c goes to 0 and its root with it: dc/dt = n − c² becomes −1 / √(c − 1.9).
  const std::string text = test::with(
      test::small_cell, "<apply><minus/><ci>n</ci><apply><times/><ci>c</ci><ci>c</ci></apply></apply>",
      "<apply><minus/><apply><root/><apply><minus/><ci>c</ci><cn>1.9</cn></apply></apply><cn>1</cn></apply>");
  CellMlCell cell(parse_cellml(text));
  try {
    cell.beat(100, {});
    FAIL() << "expected a NumericalFailure";
  } catch (const NumericalFailure& failure) {
    EXPECT_NE(std::string(failure.what()).find("a rate is not a number"), std::string::npos) << failure.what();
  }
}

TEST(CellMlCell, AJumpOfARateIsPassed) {
  // dn/dt = 0.01 below V = −75 mV, −1000 above: passed once on the way to E.
  const std::string rate =
      "<apply><minus/><apply><times/><ci>rate</ci><apply><minus/><cn "
      "cellml:units=\"dimensionless\">1</cn><ci>n</ci></apply></apply><apply><times/><cn "
      "cellml:units=\"per_ms\">0.05</cn><ci>n</ci></apply></apply>";
  const std::string text = test::with(test::small_cell, rate,
                                      "<piecewise><piece><cn>0</cn><apply><lt/><ci>V</ci><cn>-75</cn></apply></piece>"
                                      "<otherwise><apply><times/><cn>1000</cn><apply><minus/><cn>0.25</cn><ci>n</ci></"
                                      "apply></apply></otherwise></piecewise>");
  CellMlCell cell(parse_cellml(text));
  cell.beat(500, {});
  // 10 mV are halved in ln 2 / 0.025 ms, then the rate is 0.0125.
  EXPECT_NEAR(cell.potential_mv(), -70 - 5 * std::exp(-0.0125 * (500 - std::log(2) / 0.025)), 1e-3);
}

}  // namespace
}  // namespace cardiowarp
