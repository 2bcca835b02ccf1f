#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "app/simulation/backend_archive.hpp"
#include "app/simulation/problem.hpp"
#include "fem/beat_log.hpp"
#include "fem/mesh.hpp"
#include "fem/scaling.hpp"
#include "kernels/backend/backend.hpp"

namespace cardiowarp {

// Follows the beats of all nodes where a simulation computes, as Tissue::beats asks: a BeatLog in the memory of a
// backend, with one pass over the potential more in each step. It takes 24 bytes a node and 16 to 56 for each of the
// beats that are kept, and nothing where none are.

struct StartBeats {
  BeatLog log;
  const Real* phi;
  CARDIOWARP_HD void operator()(Index node) const { log.start(node, phi[node]); }
};

template <class Steps>
struct RecordBeats {
  BeatLog log;
  Steps steps;
  CARDIOWARP_HD void operator()(Index node) const {
    if (steps.is_made()) log.record(node, steps(node));
  }
};

template <Backend B>
class BeatWatch {
 public:
  BeatWatch(B& backend, const Problem& problem) : scaling_(problem.scaling()), wish_(problem.beats) {
    if (wish_.empty()) return;
    nodes_ = problem.mesh->nodes.size();
    const std::size_t kept = static_cast<std::size_t>(wish_.beats) * nodes_;
    beats_ = backend.template allocate<Real>(nodes_);
    is_armed_ = backend.template allocate<Real>(nodes_);
    activation_ms_ = backend.template allocate<Real>(kept);
    peak_phi_ = backend.template allocate<Real>(kept);
    for (int k = 0; k < BeatLog::levels; ++k)
      if (wish_.repolarization[k]) repolarized_ms_[k] = backend.template allocate<Real>(kept);
    if (!wish_.upstroke) return;
    steepest_ = backend.template allocate<Real>(nodes_);
    upstroke_ = backend.template allocate<Real>(kept);
  }

  bool empty() const { return wish_.empty(); }

  /// With φ [nodes], backend memory, at t = 0.
  void start(B& backend, const Real* phi) {
    if (!empty()) backend.for_each(static_cast<Index>(nodes_), StartBeats{log(), phi});
  }

  template <class Steps>
  void record(B& backend, const Steps& steps) {
    backend.for_each(static_cast<Index>(nodes_), RecordBeats<Steps>{log(), steps});
  }

  /// Saves or loads only as many kept beats as the node with the most has had. A run that loads may keep more, as its
  /// time may end later.
  void exchange(B& backend, BackendArchive<B>& archive) {
    if (empty()) return;
    archive.nodes("beats/number", beats_);
    archive.nodes("beats/is_armed", is_armed_);
    if (wish_.upstroke) archive.nodes("beats/steepest", steepest_);
    int used = used_beats(backend);
    archive.value("beats/kept", used);
    for (int beat = 0; beat < std::min(used, wish_.beats); ++beat) {
      const std::string name = "beats/" + std::to_string(beat);
      archive.nodes(name + "/activation_ms", of_beat(activation_ms_, beat));
      archive.nodes(name + "/peak_phi", of_beat(peak_phi_, beat));
      for (int k = 0; k < BeatLog::levels; ++k)
        if (wish_.repolarization[k])
          archive.nodes(name + "/repolarized_ms_" + std::to_string(k), of_beat(repolarized_ms_[k], beat));
      if (wish_.upstroke) archive.nodes(name + "/upstroke", of_beat(upstroke_, beat));
    }
  }

  /// The beats known by now, in the order of the input. Waits for the backend.
  BeatRecords records(B& backend, const std::vector<Index>& node_in_input) {
    BeatRecords records{nodes_, empty() ? 0 : used_beats(backend)};
    records.last = wish_.last;
    if (empty()) return records;
    for (const Real number : in_order(backend, beats_, 1, node_in_input))
      records.beats.push_back(static_cast<int>(number));
    const int kept = records.kept;
    records.activation_ms = in_order(backend, activation_ms_, kept, node_in_input);
    for (int k = 0; k < BeatLog::levels; ++k)
      if (wish_.repolarization[k])
        records.repolarized_ms[k] = in_order(backend, repolarized_ms_[k], kept, node_in_input);
    records.peak_mv = in_order(backend, peak_phi_, kept, node_in_input);
    for (std::size_t i = 0; i < records.peak_mv.size(); ++i)
      if (records.activation_ms[i] >= 0) records.peak_mv[i] = scaling_.mv_from_phi(records.peak_mv[i]);
    if (wish_.upstroke) records.upstroke_mv_per_ms = in_order(backend, upstroke_, kept, node_in_input);
    for (std::size_t i = 0; i < records.upstroke_mv_per_ms.size(); ++i)
      if (records.activation_ms[i] >= 0) records.upstroke_mv_per_ms[i] *= scaling_.mv_per_phi;
    return records;
  }

 private:
  BeatLog log() const {
    return {
        static_cast<Index>(nodes_),
        wish_.beats,
        wish_.last,
        scaling_.phi_from_mv(0),
        beats_.data(),
        is_armed_.data(),
        steepest_.data(),
        activation_ms_.data(),
        peak_phi_.data(),
        {repolarized_ms_[0].data(), repolarized_ms_[1].data(), repolarized_ms_[2].data(), repolarized_ms_[3].data()},
        upstroke_.data()};
  }

  int used_beats(B& backend) {
    std::vector<Real> beats(nodes_);
    backend.download(static_cast<const Real*>(beats_.data()), std::span<Real>(beats));
    const Real most = nodes_ == 0 ? 0 : *std::max_element(beats.begin(), beats.end());
    return static_cast<int>(std::min<Real>(most, wish_.beats));
  }

  /// The memory of one beat of all nodes, which nobody frees twice.
  Buffer<Real> of_beat(const Buffer<Real>& memory, int beat) const {
    return Buffer<Real>(memory.data() + static_cast<std::size_t>(beat) * nodes_, nodes_, [](Real*) noexcept {});
  }

  /// [kept × nodes] result[s n + input[i]] = memory[s n + i]
  std::vector<Real> in_order(B& backend, const Buffer<Real>& memory, int kept, const std::vector<Index>& input) {
    std::vector<Real> machine(nodes_), result(static_cast<std::size_t>(kept) * nodes_);
    for (int beat = 0; beat < kept; ++beat) {
      const std::size_t first = static_cast<std::size_t>(beat) * nodes_;
      backend.download(static_cast<const Real*>(memory.data() + first), std::span<Real>(machine));
      for (std::size_t i = 0; i < nodes_; ++i) result[first + input[i]] = machine[i];
    }
    return result;
  }

  Scaling scaling_;
  BeatWish wish_;
  std::size_t nodes_ = 0;
  Buffer<Real> beats_, is_armed_, steepest_;                  // [nodes]
  Buffer<Real> activation_ms_, peak_phi_, upstroke_;          // [kept × nodes]
  std::array<Buffer<Real>, BeatLog::levels> repolarized_ms_;  // likewise
};

}  // namespace cardiowarp
