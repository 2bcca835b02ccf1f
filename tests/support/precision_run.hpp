#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "app/simulation/simulation.hpp"
#include "tests/support/single_run.hpp"

namespace cardiowarp {

/// What a run in one precision is held against one in another by.
struct History {
  std::vector<std::vector<Real>> potential_mv;
  std::vector<int> newton_iterations;
};

/// A front through a slab, whose systems are solved as `choose` says.
template <class Choose>
History front(const Mesh& mesh, const Choose& choose) {
  Problem problem = resting_problem(mesh, 0.1, 0.3);
  problem.newton = {};
  problem.linear_solver = {1e-10, 1000};
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i)
    if (mesh.nodes[i].x < 2) problem.phi[i] = 1;
  choose(problem);
  const auto simulation = make_cpu_simulation(problem);
  History run;
  std::vector<Real> potential(mesh.nodes.size());
  for (int step = 1; step <= 60; ++step) {
    const StepReport report = simulation->step_to(step * 0.2);
    EXPECT_FALSE(report.failure) << report.failure->reason;
    run.newton_iterations.push_back(report.newton_iterations);
    simulation->potential_mv(potential);
    run.potential_mv.push_back(potential);
  }
  return run;
}

inline Real largest_difference(const History& a, const History& b) {
  Real largest = 0;
  for (std::size_t step = 0; step < a.potential_mv.size(); ++step)
    for (std::size_t i = 0; i < a.potential_mv[step].size(); ++i)
      largest = std::max(largest, std::fabs(a.potential_mv[step][i] - b.potential_mv[step][i]));
  return largest;
}

}  // namespace cardiowarp
