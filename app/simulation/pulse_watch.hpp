#pragma once
#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "app/simulation/backend_archive.hpp"
#include "app/simulation/pulse_surroundings.hpp"
#include "app/simulation/simulation.hpp"
#include "app/simulation/simulation_plan.hpp"
#include "app/simulation/volleys.hpp"
#include "fem/beat_maps.hpp"
#include "kernels/backend/backend.hpp"

namespace cardiowarp {

// Tells of each pulse of a stimulus whether it started a wave. BackendSimulation tells it of each step beforehand, and
// has the times recorded at which nodes are activated together with the maps of the beat; captures() gives the counts
// that `summary.json` shows. It takes 8 bytes a node in backend memory, and there 4 for each node of the surroundings
// of a stimulus (pulse_surroundings.hpp) and 8 for each of the largest. The host waits for the backend, fetches these
// times and goes through them only at the beginning of a pulse and when it is asked.

struct StartActivation {
  ActivationSince since;
  const Real* phi;
  CARDIOWARP_HD void operator()(Index node) const { since.start(node, phi[node]); }
};

/// When each of some nodes was activated.
struct GatherActivation {
  const Real* activation_ms;
  const Index* nodes;
  Real* gathered_ms;
  CARDIOWARP_HD void operator()(Index i) const { gathered_ms[i] = activation_ms[nodes[i]]; }
};

/// Finds out which pulses of the stimuli capture. A pulse has captured when the front that it began (trace_of_pulse())
/// reached a node that is far from the stimulated ones. It has missed when it activated none of these until the next
/// pulse of the stimulus began or it has been over for `patience_ms`, and when its front has come to an end nearer:
/// when it activated no node for `longest_pause_ms`. It is not judged where no node is far, nor where its front met
/// another one. Nodes count as activated here at three eighths of the way from rest to 0 mV, as fronts in tissue that
/// has not recovered may get on for long before they reach 0 mV. Stimuli that inhibit are not judged, nor those that
/// have no nodes left where all of theirs are prescribed.
template <Backend B>
class PulseWatch {
 public:
  static constexpr Real patience_ms = 100;        ///< after it no wave is a pulse's; a weak one may take 80 ms to begin
  static constexpr Real silence_ms = 20;          ///< from then on a pulse that has activated nothing counts as missed
  static constexpr Real activated_share = 0.375;  ///< of the way from rest to 0 mV

  PulseWatch(B& backend, const SimulationPlan& plan)
      : activation_ms_(backend.template allocate<Real>(plan.problem().mesh->nodes.size())),
        activation_phi_(activated_share * plan.problem().scaling().phi_from_mv(0)) {
    const Scaling scaling = plan.problem().scaling();
    const std::vector<Stimulus>& stimuli = plan.problem().stimuli;
    std::size_t largest = 0;
    for (std::size_t k = 0; k < stimuli.size(); ++k) {
      const PulseSurroundings& around = *plan.surroundings[k];
      largest = std::max(largest, around.nodes.size());
      const bool depolarizes = stimuli[k].amplitude > 0 && !stimuli[k].nodes.empty();
      const Real raises_ms = depolarizes ? activation_phi_ / 2 * scaling.ms_per_tau / stimuli[k].amplitude : 0;
      PulseTrain pulses = stimuli[k].pulses;
      // From the first volley to the last: nothing is driven before it.
      pulses.start_ms += shortest_delay_ms(stimuli[k]);
      pulses.duration_ms += longest_delay_ms(stimuli[k]) - shortest_delay_ms(stimuli[k]);
      watched_.push_back({pulses, depolarizes, raises_ms, plan.surroundings[k], uploaded(backend, around.nodes)});
    }
    gathered_ms_ = backend.template allocate<Real>(largest);
  }

  /// Before the first step, with φ [nodes] at its beginning.
  void start(B& backend, const Real* phi) {
    backend.for_each(static_cast<Index>(activation_ms_.size()), StartActivation{since(), phi});
  }

  /// The activation times that every step has to record.
  ActivationSince since() const { return {activation_ms_.data(), since_ms_, activation_phi_}; }

  /// To be called before a step from `now_ms` to `step_end_ms`, and again if the step is repeated. Waits for the
  /// backend if a pulse begins in the step.
  void begin_step(B& backend, Real now_ms, Real step_end_ms) {
    const auto begins = [&](const Watched& stimulus) { return stimulus.pulses.begun(step_end_ms) > stimulus.begun; };
    if (std::none_of(watched_.begin(), watched_.end(), begins)) return;
    judge(backend, now_ms);
    for (Watched& stimulus : watched_) {
      if (!begins(stimulus)) continue;
      stimulus.begun = stimulus.pulses.begun(step_end_ms);
      ++stimulus.captures.pulses;
      if (!stimulus.depolarizes) continue;
      if (!stimulus.until_ms.empty()) stimulus.until_ms.back() = std::min(stimulus.until_ms.back(), now_ms);
      stimulus.since_ms.push_back(now_ms);
      stimulus.until_ms.push_back(now_ms + stimulus.pulses.duration_ms + patience_ms);
    }
    since_ms_ = now_ms;
  }

  /// Saves or loads the findings so far.
  void exchange(BackendArchive<B>& archive) {
    archive.nodes("pulses/activation_ms", activation_ms_);
    archive.value("pulses/since_ms", since_ms_);
    for (std::size_t k = 0; k < watched_.size(); ++k) {
      Watched& stimulus = watched_[k];
      const std::string name = "pulses/" + std::to_string(k);
      archive.value(name + "/begun", stimulus.begun);
      archive.plain().values(name + "/undecided_since_ms", stimulus.since_ms);
      archive.plain().values(name + "/undecided_until_ms", stimulus.until_ms);
      PulseCaptures& captures = stimulus.captures;
      archive.value(name + "/pulses", captures.pulses);
      archive.value(name + "/captured", captures.captured);
      archive.value(name + "/missed", captures.missed);
      archive.value(name + "/cramped", captures.cramped);
      archive.value(name + "/met", captures.met);
    }
  }

  /// [stimuli] waits for the backend.
  std::vector<PulseCaptures> captures(B& backend, Real now_ms) {
    judge(backend, now_ms);
    std::vector<PulseCaptures> captures;
    for (const Watched& stimulus : watched_) {
      captures.push_back(stimulus.captures);
      for (const Real until_ms : stimulus.silent_until_ms)
        if (now_ms >= until_ms - (patience_ms - silence_ms)) ++captures.back().missed;
    }
    return captures;
  }

 private:
  struct Watched {
    PulseTrain pulses;
    bool depolarizes;
    Real raises_ms;
    std::shared_ptr<const PulseSurroundings> around;
    Buffer<Index> nodes;
    int begun = 0;
    std::vector<Real> since_ms = {}, until_ms = {};  // of the pulses that are not decided: PulseSpan
    std::vector<Real> silent_until_ms = {};          // of those that had activated nothing when judge() looked
    PulseCaptures captures = {};
  };

  /// Decides what can be by now.
  void judge(B& backend, Real now_ms) {
    for (Watched& stimulus : watched_) {
      stimulus.silent_until_ms.clear();
      if (stimulus.since_ms.empty()) continue;
      const auto number = static_cast<Index>(stimulus.nodes.size());
      backend.for_each(number, GatherActivation{activation_ms_.data(), stimulus.nodes.data(), gathered_ms_.data()});
      at_ms_.resize(number);
      backend.download(static_cast<const Real*>(gathered_ms_.data()), std::span<Real>(at_ms_));
      std::size_t kept = 0;
      for (std::size_t pulse = 0; pulse < stimulus.since_ms.size(); ++pulse) {
        const Real since_ms = stimulus.since_ms[pulse], until_ms = stimulus.until_ms[pulse];
        const PulseTrace trace = trace_of_pulse(
            *stimulus.around, at_ms_, {since_ms, since_ms + stimulus.pulses.duration_ms, until_ms, stimulus.raises_ms});
        if (count(stimulus.captures, trace, stimulus.around->has_far(), until_ms, now_ms)) continue;
        if (!trace.activated) stimulus.silent_until_ms.push_back(until_ms);
        stimulus.since_ms[kept] = since_ms;
        stimulus.until_ms[kept++] = until_ms;
      }
      stimulus.since_ms.resize(kept);
      stimulus.until_ms.resize(kept);
    }
  }

  /// Counts a pulse with what became of it; false where it is too early to tell.
  static bool count(PulseCaptures& captures, const PulseTrace& trace, bool has_far, Real until_ms, Real now_ms) {
    if (!trace.activated && now_ms < until_ms) return false;
    if (trace.activated && has_far && !trace.is_far && now_ms < trace.last_ms + longest_pause_ms) return false;
    int& what = trace.is_far                  ? captures.captured
                : trace.activated && !has_far ? captures.cramped
                : trace.met                   ? captures.met
                                              : captures.missed;
    ++what;
    return true;
  }

  std::vector<Watched> watched_;
  Buffer<Real> activation_ms_, gathered_ms_;
  Real activation_phi_, since_ms_ = 0;
  std::vector<Real> at_ms_;  // of the surroundings that are looked at
};

}  // namespace cardiowarp
