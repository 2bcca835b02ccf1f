#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "app/checkpoint/state_archive.hpp"
#include "app/simulation/problem.hpp"
#include "fem/mesh.hpp"
#include "kernels/backend/backend.hpp"

namespace cardiowarp {

// The stimuli as a source at the nodes, which the time schemes read in every step. A simulation owns one and updates it
// before each step; most updates find that no pulse has begun or ended, and do nothing on the backend.

struct SetZero {
  Real* value;
  CARDIOWARP_HD void operator()(Index i) const { value[i] = 0; }
};

struct AddAtNodes {
  Real* value;
  const Index* node;  ///< each at most once
  const Real* share;  ///< of the amount, for each of them
  Real amount;
  CARDIOWARP_HD void operator()(Index i) const { value[node[i]] += share[i] * amount; }
};

/// The rate that the stimuli add to φ' at each node, in backend memory: 8 bytes a node, and 12 for each node of a
/// stimulus. It is made anew only when a pulse begins or ends; overlapping stimuli add up.
template <Backend B>
class NodalSource {
 public:
  NodalSource(B& backend, const Tissue& tissue)
      : stimuli_(tissue.stimuli),
        on_(stimuli_.size(), false),
        source_(backend.template allocate<Real>(tissue.mesh->nodes.size())) {
    for (const Stimulus& stimulus : stimuli_) {
      nodes_.push_back(uploaded(backend, stimulus.nodes));
      shares_.push_back(
          uploaded(backend, stimulus.share.empty() ? std::vector<Real>(stimulus.nodes.size(), 1) : stimulus.share));
    }
  }

  const Real* data() const { return source_.data(); }  ///< [nodes] φ per τ

  /// Makes it that of a step that ends at `step_end_ms`. True where it changed.
  bool update(B& backend, Real step_end_ms) {
    bool changed = false;
    for (std::size_t k = 0; k < stimuli_.size(); ++k) {
      const bool on = stimuli_[k].pulses.on(step_end_ms);
      changed = changed || on != on_[k];
      on_[k] = on;
    }
    if (changed) make(backend);
    return changed;
  }

  /// Whether it is the same in steps that end at both times, and no pulse begins between, if no more than one begins
  /// or ends there.
  bool is_constant(Real step_end_ms, Real later_end_ms) const {
    return std::all_of(stimuli_.begin(), stimuli_.end(), [&](const Stimulus& stimulus) {
      const PulseTrain& pulses = stimulus.pulses;
      return pulses.on(step_end_ms) == pulses.on(later_end_ms) &&
             pulses.begun(step_end_ms) == pulses.begun(later_end_ms);
    });
  }

  /// Saves or loads which stimuli are on.
  void exchange(B& backend, StateArchive& archive) {
    std::vector<std::uint8_t> on(on_.begin(), on_.end());
    archive.bytes("source/on", std::as_writable_bytes(std::span(on)));
    if (!archive.is_loading()) return;
    on_.assign(on.begin(), on.end());
    make(backend);
  }

 private:
  void make(B& backend) {
    backend.for_each(static_cast<Index>(source_.size()), SetZero{source_.data()});
    for (std::size_t k = 0; k < stimuli_.size(); ++k)
      if (on_[k])
        backend.for_each(static_cast<Index>(stimuli_[k].nodes.size()),
                         AddAtNodes{source_.data(), nodes_[k].data(), shares_[k].data(), stimuli_[k].amplitude});
  }

  std::vector<Stimulus> stimuli_;
  std::vector<bool> on_;
  std::vector<Buffer<Index>> nodes_;
  std::vector<Buffer<Real>> shares_;
  Buffer<Real> source_;
};

}  // namespace cardiowarp
