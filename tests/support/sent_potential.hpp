#pragma once
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "app/simulation/simulation.hpp"

namespace cardiowarp::test {

/// Sends the potential of a simulation three times, at the beginning, inside a step and after it, and lets several be
/// under way at once, one of them in an object that was used before: each has what the simulation looked at, rounded.
inline void expect_sent_potential_is_rounded(Simulation& simulation, std::size_t nodes, Real step_ms) {
  const auto rounded = [&] {
    std::vector<Real> values(nodes);
    simulation.potential_mv(values);
    return std::vector<float>(values.begin(), values.end());
  };
  std::unique_ptr<SinglesUnderWay> first, second, third;
  simulation.send_potential_mv(first, nodes);
  const std::vector<float> at_beginning = rounded();
  ASSERT_FALSE(simulation.step_to(step_ms).failure);
  simulation.look_at(0.3 * step_ms);
  simulation.send_potential_mv(second, nodes);
  const std::vector<float> inside = rounded();
  simulation.look_at(step_ms);
  simulation.send_potential_mv(third, nodes);
  const std::vector<float> at_end = rounded();
  const auto values_of = [](SinglesUnderWay& singles) {
    singles.await();
    return std::vector<float>(singles.values().begin(), singles.values().end());
  };
  EXPECT_EQ(values_of(*third), at_end);
  EXPECT_EQ(values_of(*second), inside);
  EXPECT_EQ(values_of(*first), at_beginning);
  EXPECT_NE(at_end, at_beginning);
  if (simulation.interpolates()) {
    EXPECT_NE(inside, at_end);
  }
  SinglesUnderWay* const used = second.get();
  simulation.send_potential_mv(second, nodes);
  EXPECT_EQ(second.get(), used);
  EXPECT_EQ(values_of(*second), at_end);
}

}  // namespace cardiowarp::test
