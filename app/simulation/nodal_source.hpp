#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "app/checkpoint/state_archive.hpp"
#include "app/simulation/problem.hpp"
#include "app/simulation/volleys.hpp"
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
/// stimulus. It is made anew only when a pulse begins or ends; overlapping stimuli add up. Where nodes get their pulses
/// at different times, the nodes of each time are a volley, and each volley that is on is a loop.
template <Backend B>
class NodalSource {
 public:
  NodalSource(B& backend, const Tissue& tissue) : source_(backend.template allocate<Real>(tissue.mesh->nodes.size())) {
    for (std::size_t k = 0; k < tissue.stimuli.size(); ++k) {
      const StimulusInVolleys stimulus = in_volleys(tissue.stimuli[k]);
      nodes_.push_back(uploaded(backend, stimulus.nodes));
      shares_.push_back(uploaded(backend, stimulus.share));
      for (const Volley& volley : stimulus.volleys) driven_.push_back({volley, k, tissue.stimuli[k].amplitude});
    }
    on_.assign(driven_.size(), false);
  }

  const Real* data() const { return source_.data(); }  ///< [nodes] φ per τ

  /// Makes it that of a step that ends at `step_end_ms`. True where it changed.
  bool update(B& backend, Real step_end_ms) {
    bool changed = false;
    for (std::size_t k = 0; k < driven_.size(); ++k) {
      const bool on = driven_[k].volley.pulses.on(step_end_ms);
      changed = changed || on != on_[k];
      on_[k] = on;
    }
    if (changed) make(backend);
    return changed;
  }

  /// Whether it is the same in steps that end at both times, and no pulse begins between, if no more than one begins
  /// or ends there.
  bool is_constant(Real step_end_ms, Real later_end_ms) const {
    return std::all_of(driven_.begin(), driven_.end(), [&](const Driven& driven) {
      const PulseTrain& pulses = driven.volley.pulses;
      return pulses.on(step_end_ms) == pulses.on(later_end_ms) &&
             pulses.begun(step_end_ms) == pulses.begun(later_end_ms);
    });
  }

  /// Saves or loads which volleys are on.
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
    for (std::size_t k = 0; k < driven_.size(); ++k) {
      if (!on_[k]) continue;
      const auto& [volley, stimulus, amplitude] = driven_[k];
      backend.for_each(volley.nodes, AddAtNodes{source_.data(), nodes_[stimulus].data() + volley.first,
                                                shares_[stimulus].data() + volley.first, amplitude});
    }
  }

  /// A volley with the number and the amplitude of its stimulus.
  struct Driven {
    Volley volley;
    std::size_t stimulus;
    Real amplitude;
  };

  std::vector<Driven> driven_;        // of all stimuli, one stimulus after the other
  std::vector<bool> on_;              // [driven]
  std::vector<Buffer<Index>> nodes_;  // [stimuli]
  std::vector<Buffer<Real>> shares_;  // [stimuli]
  Buffer<Real> source_;
};

}  // namespace cardiowarp
