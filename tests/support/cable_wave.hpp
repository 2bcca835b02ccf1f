#pragma once
#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "app/config/time_config.hpp"
#include "app/simulation/time_stepper.hpp"
#include "meshes/generate.hpp"
#include "tests/support/single_run.hpp"

namespace cardiowarp::test {

/// What a beat leaves on a cable: the maps [nodes], and how many steps it took.
struct CableWave {
  std::vector<Real> activation_ms, apd90_ms;
  StepCounts steps;
};

/// A beat along a cable of 10 mm with edges of 0.25 mm, stimulated at its first 1.6 mm from 5 to 7 ms, by these steps.
/// `adjust` changes the methods of the problem: with none, backward Euler and one point in an element.
template <class Adjust>
CableWave cable_wave(const TimeConfig& time, const Adjust& adjust) {
  const Mesh mesh = slab_mesh({10, 0.5, 0.5}, 0.25, true);
  Problem problem = resting_problem(mesh, 0.1, 0);
  problem.newton = {};
  adjust(problem);
  Stimulus stimulus{{}, {5, 2}, AlievPanfilov::scaling.stimulus(35)};
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i)
    if (mesh.nodes[i].x < 1.6) stimulus.nodes.push_back(static_cast<Index>(i));
  problem.stimuli.push_back(stimulus);
  const auto simulation = make_cpu_simulation(problem);
  TimeStepper stepper(time, 10, problem.stimuli);
  while (!stepper.finished())
    if (stepper.advance(*simulation).failure) {
      ADD_FAILURE() << "at " << simulation->time_ms() << " ms";
      break;
    }
  CableWave wave{std::vector<Real>(mesh.nodes.size()), std::vector<Real>(mesh.nodes.size()), stepper.counts()};
  simulation->activation_time_ms(wave.activation_ms);
  simulation->apd90_ms(wave.apd90_ms);
  return wave;
}

}  // namespace cardiowarp::test
