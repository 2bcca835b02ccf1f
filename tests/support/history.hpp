#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "app/simulation/simulation.hpp"
#include "tests/support/single_run.hpp"

namespace cardiowarp {

/// A wave from the lowest part of the mesh, by stimulus, with tight tolerances.
inline Problem wave_from_below(const Mesh& mesh, Real isotropic, Real anisotropic) {
  Problem problem = resting_problem(mesh, isotropic, anisotropic);
  Real lowest = mesh.nodes[0].z;
  for (const Vector3& node : mesh.nodes) lowest = std::min(lowest, node.z);
  Stimulus stimulus{{}, {0, 2}, AlievPanfilov::scaling.stimulus(60)};
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i)
    if (mesh.nodes[i].z < lowest + 5) stimulus.nodes.push_back(static_cast<Index>(i));
  problem.stimuli.push_back(stimulus);
  return problem;
}

/// The potential after every step, [steps × nodes], and the state at the end.
struct History {
  History(Simulation& simulation, const Mesh& mesh, int steps, Real step_ms)
      : recovery(mesh.tetrahedra.size()), activation_ms(mesh.nodes.size()) {
    std::vector<Real> potential(mesh.nodes.size());
    for (int step = 1; step <= steps; ++step) {
      if (simulation.step_to(step * step_ms).failure) {
        ADD_FAILURE() << "step " << step << " failed";
        return;
      }
      simulation.potential_mv(potential);
      potential_mv.push_back(potential);
    }
    simulation.state(0, recovery);
    simulation.activation_time_ms(activation_ms);
    captures = simulation.captures();
    solver = simulation.methods().solver;
  }
  std::string solver;
  std::vector<std::vector<Real>> potential_mv;
  std::vector<Real> recovery, activation_ms;
  std::vector<PulseCaptures> captures;
};

/// The largest difference of potential over all nodes and steps is at most 1e-10 mV, and a wave ran.
inline void expect_equal(const History& run, const History& expected, const std::string& name) {
  ASSERT_EQ(run.potential_mv.size(), expected.potential_mv.size());
  Real largest = 0, highest = -100;
  for (std::size_t step = 0; step < run.potential_mv.size(); ++step)
    for (std::size_t i = 0; i < run.activation_ms.size(); ++i) {
      largest = std::max(largest, std::fabs(run.potential_mv[step][i] - expected.potential_mv[step][i]));
      highest = std::max(highest, expected.potential_mv[step][i]);
    }
  std::printf("RESULT parity %s solver=%s nodes=%zu steps=%zu largest_difference_mv=%.2e\n", name.c_str(),
              run.solver.c_str(), run.activation_ms.size(), run.potential_mv.size(), largest);
  EXPECT_GT(highest, 0);
  EXPECT_LE(largest, 1e-10);
  EXPECT_EQ(run.captures, expected.captures);
  for (std::size_t e = 0; e < run.recovery.size(); ++e) ASSERT_NEAR(run.recovery[e], expected.recovery[e], 1e-8);
  for (std::size_t i = 0; i < run.activation_ms.size(); ++i)
    ASSERT_NEAR(run.activation_ms[i], expected.activation_ms[i], 1e-6);
}

}  // namespace cardiowarp
