#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "app/checkpoint/state_archive.hpp"
#include "app/simulation/simulation.hpp"

namespace cardiowarp::test {

/// Tissue at rest whose time is set by hand.
class RestingSimulation : public Simulation {
 public:
  Real time_ms() const override { return time_ms_; }
  bool interpolates() const override { return false; }
  void look_at(Real) override {}
  std::vector<PulseCaptures> captures() override { return {}; }
  void exchange(StateArchive&) override {}
  StepSeconds seconds() override { return {}; }
  SimulationMethods methods() const override { return {}; }

 protected:
  StepReport step(Real time_ms, std::optional<Real>) override {
    time_ms_ = time_ms;
    return {};
  }
  void read(Answer answer, std::size_t, std::span<Real> values) override {
    const bool is_potential = answer == Answer::potential || answer == Answer::probes;
    std::ranges::fill(values, is_potential ? -80 : answer == Answer::state ? 0 : -1);
  }

 private:
  Real time_ms_ = 0;
};

/// A simulation whose fields are given.
class GivenFields final : public RestingSimulation {
 public:
  std::vector<Real> potential = {};
  std::vector<Real> states = {};  ///< [states × elements], state after state

 private:
  void read(Answer answer, std::size_t number, std::span<Real> values) override {
    if (answer == Answer::potential)
      copy(potential, values);
    else if (answer == Answer::state)
      copy(std::span<const Real>(states).subspan(number * values.size(), values.size()), values);
    else
      RestingSimulation::read(answer, number, values);
  }
  static void copy(std::span<const Real> from, std::span<Real> to) {
    ASSERT_EQ(from.size(), to.size());
    std::ranges::copy(from, to.begin());
  }
};

}  // namespace cardiowarp::test
