#pragma once
#include "app/simulation/beat_watch.hpp"
#include "app/simulation/ecg_sampler.hpp"
#include "app/simulation/problem.hpp"
#include "kernels/backend/backend.hpp"

namespace cardiowarp {

/// The followers of the potential in every step where a user asks for them, in the memory of backend B: the ECG, and
/// beats after the first. Without such a wish it has no memory and no loops.
template <Backend B>
struct StepFollowers {
  StepFollowers(B& backend, const Problem& problem) : ecg(backend, problem), beats(backend, problem) {}

  bool empty() const { return ecg.empty() && beats.empty(); }

  /// With φ [nodes], backend memory, at t = 0.
  template <class Steps>
  void start(B& backend, const Real* phi) {
    ecg.template start<Steps>(backend, phi);
    beats.start(backend, phi);
  }

  /// A step that was made, or one of a flight.
  template <class Steps>
  void follow(B& backend, const Steps& steps) {
    if (!ecg.empty()) ecg.sample(backend, steps);
    if (!beats.empty()) beats.record(backend, steps);
  }

  EcgSampler<B> ecg;
  BeatWatch<B> beats;
};

}  // namespace cardiowarp
