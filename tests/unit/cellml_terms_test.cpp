#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <vector>

#include "cellml/exp_quotient.hpp"
#include "cellml/state_kinds.hpp"
#include "cellml/term_graph.hpp"

namespace cardiowarp {
namespace {

double at(const TermGraph& graph, TermIndex term, double potential_mv, std::vector<double> states = {}) {
  return evaluate(graph, {.potential_mv = potential_mv, .states = states})[static_cast<std::size_t>(term)];
}

TEST(TermGraph, EqualTermsAreStoredOnceAndTrivialOnesNotAtAll) {
  TermGraph graph;
  const TermIndex v = graph.leaf(Operation::potential), s = graph.leaf(Operation::state, 0);
  const TermIndex sum = graph.add(v, s);
  EXPECT_EQ(graph.add(s, v), sum);
  EXPECT_EQ(graph.multiply(v, graph.constant(1)), v);
  EXPECT_EQ(graph.add(v, graph.constant(0)), v);
  EXPECT_EQ(graph.add(graph.constant(0), v), v);
  EXPECT_EQ(graph.divide(v, graph.constant(1)), v);
  EXPECT_EQ(graph.multiply(v, graph.constant(0)), graph.constant(0));
  EXPECT_EQ(graph.subtract(sum, sum), graph.constant(0));
  EXPECT_EQ(graph.negate(graph.negate(v)), v);
  EXPECT_EQ(graph.negate(graph.subtract(v, s)), graph.subtract(s, v));
  EXPECT_EQ(graph.subtract(v, graph.negate(s)), sum);
  const TermIndex inverse = graph.divide(graph.constant(1), s);
  EXPECT_EQ(graph.divide(graph.divide(v, s), inverse), v);
  EXPECT_EQ(graph.negate(inverse), graph.divide(graph.constant(-1), s));
  EXPECT_EQ(graph.term(Operation::power, v, graph.constant(2)), graph.multiply(v, v));
  EXPECT_EQ(graph.term(Operation::exp, graph.constant(0)), graph.constant(1));
  EXPECT_EQ(graph.select(graph.constant(0), v, s), s);
  EXPECT_NE(graph.leaf(Operation::state, 1), s);
  const TermIndex nan = graph.constant(std::nan(""));
  EXPECT_EQ(graph.constant(std::nan("")), nan);
}

TEST(TermGraph, TheDerivativeOfEachOperationIsThatOfFiniteDifferences) {
  for (int k = static_cast<int>(Operation::negate); k <= static_cast<int>(Operation::select); ++k) {
    const auto operation = static_cast<Operation>(k);
    TermGraph graph;
    const TermIndex v = graph.leaf(Operation::potential);
    const double x = operation == Operation::acosh ? 1.7 : 0.37;
    const TermIndex square = graph.add(graph.multiply(v, v), graph.constant(0.3));
    const int arguments = arguments_of(operation);
    const TermIndex term = arguments == 1   ? graph.term(operation, v)
                           : arguments == 2 ? graph.term(operation, square, v)
                                            : graph.term(operation, v, square, v);
    const TermIndex slope = derivatives(graph, {&term, 1}, v)[0];
    const double h = 1e-5, difference = (at(graph, term, x + h) - at(graph, term, x - h)) / (2 * h);
    EXPECT_NEAR(at(graph, slope, x), difference, 1e-8 * (1 + std::abs(difference))) << "operation " << k;
  }
}

TEST(TermGraph, TheQuotientOfTheExponentialIsSmoothAtZero) {
  for (const double x : {-300.0, -3.0, -0.26, -0.24, -1e-4, -1e-9, 1e-9, 1e-5, 0.1, 0.2499, 0.2501, 5.0, 40.0}) {
    const long double y = x, above = std::expm1(y), q = y / above;
    EXPECT_NEAR(exp_quotient(x), static_cast<double>(q), 2e-16 * std::abs(static_cast<double>(q))) << x;
    if (std::abs(x) < 1e-3) continue;
    const long double slope = (q * (1 - y) - q * q) / y;
    EXPECT_NEAR(exp_quotient_slope(x), static_cast<double>(slope), 2e-13) << x;
  }
  EXPECT_EQ(exp_quotient(0), 1);
  EXPECT_EQ(exp_quotient_slope(0), -0.5);
  EXPECT_EQ(exp_quotient(800), 0);
  EXPECT_EQ(exp_quotient_slope(800), 0);
}

class Kinds : public testing::Test {
 protected:
  TermIndex number(double value) { return graph.constant(value); }
  TermIndex state(int k) { return graph.leaf(Operation::state, k); }
  std::vector<ClassifiedState> kinds(const std::vector<TermIndex>& rates) { return classify_states(graph, rates); }

  TermGraph graph;
  TermIndex v = graph.leaf(Operation::potential);
};

TEST_F(Kinds, GatesFollowersAndPoolsAreTold) {
  const TermIndex c = state(0), f = state(1), g = state(2);
  const auto sorted = kinds({graph.subtract(f, graph.multiply(c, c)),                              // a pool
                             graph.subtract(graph.multiply(c, v), graph.multiply(f, g)),           // follows c and g
                             graph.divide(graph.subtract(v, g), graph.term(Operation::exp, v))});  // a gate
  ASSERT_EQ(sorted.size(), 3U);
  EXPECT_EQ(sorted[0].state, 2);
  EXPECT_EQ(sorted[0].kind, StateKind::gate);
  EXPECT_EQ(sorted[1].state, 1);
  EXPECT_EQ(sorted[1].kind, StateKind::follower);
  EXPECT_EQ(sorted[2].state, 0);
  EXPECT_EQ(sorted[2].kind, StateKind::pool);
}

TEST_F(Kinds, AMarkovChainIsOneThingAndItsFollowerComesAfterIt) {
  // a <-> b <-> c with rates of the potential, and d that follows c.
  const TermIndex a = state(1), b = state(2), c = state(3), d = state(0);
  const TermIndex ab = graph.subtract(graph.multiply(v, a), b), bc = graph.subtract(graph.multiply(v, b), c);
  const auto sorted = kinds({graph.subtract(c, d), graph.negate(ab), graph.subtract(ab, bc), bc});
  ASSERT_EQ(sorted.size(), 4U);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(sorted[k].kind, StateKind::chain);
    EXPECT_EQ(sorted[k].chain, 0);
    EXPECT_EQ(sorted[k].state, static_cast<int>(k) + 1);
  }
  EXPECT_EQ(sorted[3].kind, StateKind::follower);
}

TEST_F(Kinds, AStateThatIsComparedIsAPool) {
  const TermIndex s = state(0), rate = graph.subtract(v, s);
  const auto sorted = kinds({graph.select(graph.term(Operation::less, s, v), rate, graph.constant(0))});
  EXPECT_EQ(sorted[0].kind, StateKind::pool);
  // Both choices have the same slope.
  const auto chosen = kinds({graph.select(s, rate, graph.subtract(graph.constant(1), s))});
  EXPECT_EQ(chosen[0].kind, StateKind::pool);
}

TEST_F(Kinds, WhatIsLinearInPairsAloneIsNoChain) {
  // a' = b c − a, b' = a − b + c, c' = b − c: linear in each two that exchange, not in all three.
  const TermIndex a = state(0), b = state(1), c = state(2);
  const auto sorted =
      kinds({graph.subtract(graph.multiply(b, c), a), graph.add(graph.subtract(a, b), c), graph.subtract(b, c)});
  for (const ClassifiedState& found : sorted) EXPECT_NE(found.kind, StateKind::chain) << found.state;
  EXPECT_EQ(sorted[2].kind, StateKind::pool);
}

TEST_F(Kinds, FollowersInACircleAreBrokenByAPool) {
  // Each follows the square of the other: linear in itself, not in both.
  const TermIndex a = state(0), b = state(1);
  const auto sorted = kinds({graph.subtract(graph.multiply(b, b), a), graph.subtract(graph.multiply(a, a), b)});
  EXPECT_EQ(sorted[0].kind, StateKind::follower);
  EXPECT_EQ(sorted[1].kind, StateKind::pool);
}

TEST_F(Kinds, AStateThatDoesNotActOnItselfIsAPool) { EXPECT_EQ(kinds({v})[0].kind, StateKind::pool); }

TEST_F(Kinds, AGateOfTimeIsNoGate) {
  const TermIndex s = state(0);
  EXPECT_EQ(kinds({graph.subtract(graph.leaf(Operation::time), s)})[0].kind, StateKind::follower);
}

}  // namespace
}  // namespace cardiowarp
