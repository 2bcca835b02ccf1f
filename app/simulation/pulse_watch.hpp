#pragma once
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "app/simulation/backend_archive.hpp"
#include "app/simulation/simulation.hpp"
#include "app/simulation/simulation_plan.hpp"
#include "fem/beat_maps.hpp"
#include "kernels/backend/backend.hpp"

namespace cardiowarp {

// Tells of each pulse of a stimulus whether it started a wave. BackendSimulation tells it of each step beforehand, and
// has the times of activation recorded together with the maps of the beat; captures() gives the counts that
// `summary.json` shows. It takes 8 bytes a node in backend memory, and 4 for each node that is stimulated or watched.
// The host waits for the backend only at the beginning of a pulse and when it is asked.

/// How long ago a node was first activated after `since_ms`, plus one ms; 0 where it was not.
struct ActivatedAgo {
  const Real* activation_ms;
  const Index* nodes;
  Real since_ms, now_ms;
  CARDIOWARP_HD Real operator()(Index i) const {
    const Real at = activation_ms[nodes[i]];
    return at > since_ms ? now_ms - at + 1 : 0;
  }
};

/// The first nodes that, from element to element, are farther than `distance_mm` from that of `nodes` from which the
/// fewest elements lead to them, ascending; where there are none, all others that these are connected to; where there
/// are none, `nodes` themselves.
std::vector<Index> nodes_around(const Sparsity& sparsity, const std::vector<Vector3>& position,
                                const std::vector<Index>& nodes, Real distance_mm);

/// Finds out which pulses of the stimuli capture. A pulse has captured when one of the nodes around the stimulated
/// ones, a front's thickness away, was activated, and not before the first of the stimulated ones, from the step in
/// which the pulse begins until the one in which the stimulus' next pulse does. So a wave that was there before does
/// not count, nor one that passes from elsewhere, but that of another stimulus inside does. Nearer, what diffuses out
/// of a small region can reach 0 mV without a wave. A pulse that has not captured has missed when the next one begins
/// or it has been over for `patience_ms`. Stimuli that inhibit are not judged, nor those that have no nodes left where
/// all of theirs are prescribed.
template <Backend B>
class PulseWatch {
 public:
  static constexpr Real patience_ms = 20;

  PulseWatch(B& backend, const SimulationPlan& plan)
      : activation_ms_(backend.template allocate<Real>(plan.problem().mesh->nodes.size())),
        earliest_(backend.template allocate<Real>(1)),
        activation_phi_(plan.problem().scaling().phi_from_mv(0)) {
    const std::vector<Stimulus>& stimuli = plan.problem().stimuli;
    for (std::size_t k = 0; k < stimuli.size(); ++k)
      watched_.push_back({stimuli[k].pulses, stimuli[k].amplitude > 0 && !stimuli[k].nodes.empty(),
                          uploaded(backend, stimuli[k].nodes), uploaded(backend, plan.watched[k])});
  }

  /// What every step has to record.
  ActivationSince since() const { return {activation_ms_.data(), since_ms_, activation_phi_}; }

  /// To be called before a step from `now_ms` to `step_end_ms`, and again if the step is repeated. Waits for the
  /// backend if a pulse begins in the step.
  void begin_step(B& backend, Real now_ms, Real step_end_ms) {
    const auto begins = [&](const Watched& stimulus) { return stimulus.pulses.begun(step_end_ms) > stimulus.begun; };
    if (std::none_of(watched_.begin(), watched_.end(), begins)) return;
    look_for_captures(backend, now_ms);
    for (Watched& stimulus : watched_) {
      if (!begins(stimulus)) continue;
      stimulus.begun = stimulus.pulses.begun(step_end_ms);
      if (stimulus.undecided_since_ms) ++stimulus.captures.missed;
      ++stimulus.captures.pulses;
      if (stimulus.depolarises) stimulus.undecided_since_ms = now_ms;
    }
    since_ms_ = now_ms;
  }

  /// What has been found out so far.
  void exchange(BackendArchive<B>& archive) {
    archive.nodes("pulses/activation_ms", activation_ms_);
    archive.value("pulses/since_ms", since_ms_);
    for (std::size_t k = 0; k < watched_.size(); ++k) {
      Watched& stimulus = watched_[k];
      const std::string name = "pulses/" + std::to_string(k);
      archive.value(name + "/begun", stimulus.begun);
      archive.value(name + "/undecided_since_ms", stimulus.undecided_since_ms);
      archive.value(name + "/pulses", stimulus.captures.pulses);
      archive.value(name + "/captured", stimulus.captures.captured);
      archive.value(name + "/missed", stimulus.captures.missed);
    }
  }

  /// [stimuli] waits for the backend.
  std::vector<PulseCaptures> captures(B& backend, Real now_ms) {
    look_for_captures(backend, now_ms);
    std::vector<PulseCaptures> captures;
    for (const Watched& stimulus : watched_) {
      captures.push_back(stimulus.captures);
      if (stimulus.undecided_since_ms &&
          now_ms >= *stimulus.undecided_since_ms + stimulus.pulses.duration_ms + patience_ms)
        ++captures.back().missed;
    }
    return captures;
  }

 private:
  struct Watched {
    PulseTrain pulses;
    bool depolarises;
    Buffer<Index> nodes, around;
    int begun = 0;
    std::optional<Real> undecided_since_ms = {};
    PulseCaptures captures = {};
  };

  void look_for_captures(B& backend, Real now_ms) {
    for (Watched& stimulus : watched_) {
      if (!stimulus.undecided_since_ms) continue;
      const auto ago = [&](const Buffer<Index>& nodes) {
        backend.maximum(static_cast<Index>(nodes.size()), earliest_.data(),
                        ActivatedAgo{activation_ms_.data(), nodes.data(), *stimulus.undecided_since_ms, now_ms});
        return backend.read(static_cast<const Real*>(earliest_.data()));
      };
      const Real around = ago(stimulus.around);
      if (around == 0 || ago(stimulus.nodes) < around) continue;
      ++stimulus.captures.captured;
      stimulus.undecided_since_ms.reset();
    }
  }

  std::vector<Watched> watched_;
  Buffer<Real> activation_ms_, earliest_;
  Real activation_phi_, since_ms_ = 0;
};

}  // namespace cardiowarp
