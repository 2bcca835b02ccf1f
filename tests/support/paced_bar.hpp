#pragma once
#include "tests/support/second_order_schemes.hpp"
#include "tests/support/single_run.hpp"

namespace cardiowarp::test {

/// A bar that pulses at x < 1.6 mm pace, computed by a scheme of order 2 that is as accurate as its steps need it.
inline Problem paced_bar(const Mesh& mesh, TimeScheme scheme, PulseTrain pulses, Real mv_per_ms = 40) {
  Problem problem = resting_problem(mesh, 0.1, 0.1);
  problem.time = {scheme, 1e-3, true, true};
  problem.quadrature = quadrature_for(scheme);
  problem.newton = {};
  problem.linear_solver = {0, 1000};
  Stimulus stimulus{{}, pulses, AlievPanfilov::scaling.stimulus(mv_per_ms)};
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i)
    if (mesh.nodes[i].x < 1.6) stimulus.nodes.push_back(static_cast<Index>(i));
  problem.stimuli.push_back(stimulus);
  return problem;
}

}  // namespace cardiowarp::test
