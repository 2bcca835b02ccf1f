#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <vector>

#include "app/checkpoint/state_archive.hpp"
#include "app/simulation/simulation.hpp"

namespace cardiowarp::test {

/// Tissue at rest whose time is set by hand.
class RestingSimulation : public Simulation {
 public:
  StepReport step_to(Real time_ms) override {
    time_ms_ = time_ms;
    return {};
  }
  StepReport try_step_to(Real time_ms, Real) override { return step_to(time_ms); }
  Real time_ms() const override { return time_ms_; }
  void potential_mv(std::span<Real> nodes) override { std::ranges::fill(nodes, -80); }
  void state(std::size_t, std::span<Real> elements) override { std::ranges::fill(elements, 0); }
  void activation_time_ms(std::span<Real> nodes) override { std::ranges::fill(nodes, -1); }
  void apd90_ms(std::span<Real> nodes) override { std::ranges::fill(nodes, -1); }
  void probe_mv(std::span<Real> probes) override { std::ranges::fill(probes, -80); }
  std::vector<PulseCaptures> captures() override { return {}; }
  void exchange(StateArchive&) override {}
  StepSeconds seconds() override { return {}; }
  SimulationMethods methods() const override { return {}; }

 private:
  Real time_ms_ = 0;
};

/// A simulation whose fields are given.
class GivenFields final : public RestingSimulation {
 public:
  std::vector<Real> potential = {};
  std::vector<Real> states = {};  ///< [states × elements], state after state

  void potential_mv(std::span<Real> nodes) override { copy(potential, nodes); }
  void state(std::size_t number, std::span<Real> elements) override {
    copy(std::span<const Real>(states).subspan(number * elements.size(), elements.size()), elements);
  }

 private:
  static void copy(std::span<const Real> from, std::span<Real> to) {
    ASSERT_EQ(from.size(), to.size());
    std::ranges::copy(from, to.begin());
  }
};

}  // namespace cardiowarp::test
