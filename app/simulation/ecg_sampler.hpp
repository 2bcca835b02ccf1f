#pragma once
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <span>
#include <vector>

#include "app/simulation/ecg.hpp"
#include "app/simulation/problem.hpp"
#include "fem/lead_field.hpp"
#include "fem/mesh.hpp"
#include "kernels/backend/backend.hpp"
#include "kernels/backend/cpu_backend.hpp"
#include "kernels/backend/sizing_backend.hpp"
#include "kernels/backend/thread_team.hpp"

namespace cardiowarp {

// Records the ECG of a simulation where it computes. A sample is a product of each electrode's lead vector with φ of
// all nodes at the time of the sample, on the path that φ takes in the step. Three loops make it, so that sums have one
// order: some threads add up strided nodes, some add up what these found, one adds up the rest. Samples stay in backend
// memory until the host takes them, so that neither a step nor a flight waits. In a flight the loops find in backend
// memory which samples the step has; otherwise the host knows, and there are no loops where there is none. It takes 8
// bytes a node and electrode, and nothing where there is no ECG.

/// How the nodes are shared out.
struct SampleShares {
  Index nodes;
  Index chunks;                  ///< of the first loop
  Index by_chunk, by_node, run;  ///< chunk c has the nodes c by_chunk + j by_node, j < run
  Index middle;                  ///< sums that the second loop leaves
  int electrodes;
  int groups;  ///< of electrodes_at_once, for each of which a thread of the first loop reads φ

  static constexpr int electrodes_at_once = 3;
  static constexpr int samples_at_once = 8;

  int rows() const { return samples_at_once * electrodes; }
};

/// A CPU has runs of neighboring nodes, short ones so that all threads have some, a GPU threads whose nodes are side by
/// side.
inline SampleShares sample_shares(Index nodes, int electrodes, bool on_cpu) {
  constexpr Index cpu_run = 32, gpu_chunks = 16384;
  const Index chunks = on_cpu ? (nodes + cpu_run - 1) / cpu_run : std::min(nodes, gpu_chunks);
  return {.nodes = nodes,
          .chunks = chunks,
          .by_chunk = on_cpu ? cpu_run : 1,
          .by_node = on_cpu ? 1 : chunks,
          .run = on_cpu ? cpu_run : (nodes + chunks - 1) / chunks,
          .middle = std::min(chunks, Index{128}),
          .electrodes = electrodes,
          .groups = (electrodes + SampleShares::electrodes_at_once - 1) / SampleShares::electrodes_at_once};
}

/// The samples that a step has of those from the `skipped`-th on.
struct SamplesOfStep {
  SampleTimes times;
  Real begin_ms, end_ms;
  int skipped;

  CARDIOWARP_HD std::int64_t first() const { return times.last_by(begin_ms) + 1 + skipped; }
  CARDIOWARP_HD bool has(int sample) const { return first() + sample <= times.last_by(end_ms); }
  /// The share of the step that has passed at a sample.
  CARDIOWARP_HD Real part(int sample) const {
    const Real part = (times.time_ms(first() + sample) - begin_ms) / (end_ms - begin_ms);
    return part < 0 ? 0 : part > 1 ? 1 : part;
  }
};

/// partial[row][chunk] = Σ lead · φ over the nodes of the chunk, with a row for each sample and electrode.
template <class Steps>
struct SumChunks {
  Steps steps;
  SampleTimes times;
  int skipped;
  SampleShares shares;
  const Real* leads;  ///< [electrodes × nodes]
  Real* partial;      ///< [samples at once × electrodes × chunks]

  CARDIOWARP_HD void operator()(Index i) const {
    if (!steps.is_made()) return;
    const SamplesOfStep samples{times, steps.begin_ms(), steps.end_ms(), skipped};
    const Index chunk = i % shares.chunks;
    const int first = i / shares.chunks * SampleShares::electrodes_at_once;
    const int left = shares.electrodes - first;
    const Real* lead[SampleShares::electrodes_at_once];  // those that are too many repeat the first
    for (int e = 0; e < SampleShares::electrodes_at_once; ++e)
      lead[e] = leads + static_cast<std::size_t>(first + (e < left ? e : 0)) * shares.nodes;
    for (int sample = 0; sample < SampleShares::samples_at_once && samples.has(sample); ++sample) {
      const Real part = samples.part(sample);
      Real sum[SampleShares::electrodes_at_once] = {};
      Index node = chunk * shares.by_chunk;
      for (Index j = 0; j < shares.run && node < shares.nodes; ++j, node += shares.by_node) {
        const Real phi = steps(node).at(part);
        for (int e = 0; e < SampleShares::electrodes_at_once; ++e) sum[e] += lead[e][node] * phi;
      }
      for (int e = 0; e < SampleShares::electrodes_at_once && e < left; ++e)
        partial[static_cast<std::size_t>(sample * shares.electrodes + first + e) * shares.chunks + chunk] = sum[e];
    }
  }
};

/// middle[row][m] = Σ partial[row][c] over c = m, m + middle, ..
template <class Steps>
struct SumStrides {
  Steps steps;
  SampleTimes times;
  int skipped;
  SampleShares shares;
  const Real* partial;
  Real* middle;

  CARDIOWARP_HD void operator()(Index i) const {
    if (!steps.is_made()) return;
    const Index row = i / shares.middle, begin = i % shares.middle;
    if (!SamplesOfStep{times, steps.begin_ms(), steps.end_ms(), skipped}.has(row / shares.electrodes)) return;
    Real sum = 0;
    for (Index c = begin; c < shares.chunks; c += shares.middle)
      sum += partial[static_cast<std::size_t>(row) * shares.chunks + c];
    middle[i] = sum;
  }
};

/// The value of each row, to the place of its sample.
template <class Steps>
struct SumRows {
  Steps steps;
  SampleTimes times;
  int skipped;
  SampleShares shares;
  const Real* middle;
  Real* kept;  ///< [capacity × electrodes]
  std::int64_t capacity;

  CARDIOWARP_HD void operator()(Index row) const {
    if (!steps.is_made()) return;
    const SamplesOfStep samples{times, steps.begin_ms(), steps.end_ms(), skipped};
    const int sample = row / shares.electrodes, electrode = row % shares.electrodes;
    if (!samples.has(sample)) return;
    Real sum = 0;
    for (Index m = 0; m < shares.middle; ++m) sum += middle[static_cast<std::size_t>(row) * shares.middle + m];
    kept[(samples.first() + sample) % capacity * shares.electrodes + electrode] = sum;
  }
};

/// The ECG in the memory of backend B.
template <Backend B>
class EcgSampler {
 public:
  /// Samples that may wait for the host, beside those of the step in which they become too many.
  static constexpr int most_waiting = 256;

  EcgSampler(B& backend, const Problem& problem)
      : times_(problem.ecg.times), mv_per_phi_(problem.scaling().mv_per_phi), most_a_step_(problem.ecg.most_a_step) {
    if (problem.ecg.empty()) return;
    const auto nodes = static_cast<Index>(problem.mesh->nodes.size());
    shares_ = sample_shares(nodes, static_cast<int>(problem.ecg.electrodes.size()), std::same_as<B, CpuBackend>);
    const std::size_t rows = static_cast<std::size_t>(shares_.rows());
    capacity_ = 2 * most_waiting + most_a_step_;
    partial_ = backend.template allocate<Real>(rows * shares_.chunks);
    middle_ = backend.template allocate<Real>(rows * shares_.middle);
    kept_ = backend.template allocate<Real>(static_cast<std::size_t>(capacity_) * shares_.electrodes);
    leads_ = backend.template allocate<Real>(problem.ecg.electrodes.size() * problem.mesh->nodes.size());
    if constexpr (!std::same_as<B, SizingBackend>) upload_leads(backend, problem);
  }

  bool empty() const { return shares_.electrodes == 0; }

  /// The sample of the start, from φ [nodes], backend memory, at t = 0.
  template <class Steps>
  void start(B& backend, const Real* phi) {
    if (!empty()) sample(backend, Steps{-times_.interval_ms / 2, 0, phi, phi});
  }

  /// The samples of a step that was made, or of one of a flight.
  template <class Steps>
  void sample(B& backend, const Steps& steps) {
    int most = most_a_step_;
    if (!steps.is_of_flight())
      most = static_cast<int>(times_.last_by(steps.end_ms()) - times_.last_by(steps.begin_ms()));
    for (int skipped = 0; skipped < most; skipped += SampleShares::samples_at_once) {
      backend.for_each(shares_.chunks * shares_.groups,
                       SumChunks<Steps>{steps, times_, skipped, shares_, leads_.data(), partial_.data()});
      backend.for_each(shares_.rows() * shares_.middle,
                       SumStrides<Steps>{steps, times_, skipped, shares_, partial_.data(), middle_.data()});
      backend.for_each(shares_.rows(),
                       SumRows<Steps>{steps, times_, skipped, shares_, middle_.data(), kept_.data(), capacity_});
    }
  }

  /// The samples up to `now_ms`, the end of the last step, since the last call. Waits for the backend.
  EcgSamples take(B& backend, Real now_ms) {
    EcgSamples samples{next_, static_cast<std::size_t>(shares_.electrodes)};
    if (empty()) return samples;
    const std::int64_t end = times_.last_by(now_ms) + 1;
    std::vector<Real> kept(kept_.size());
    if (end > next_) backend.download(static_cast<const Real*>(kept_.data()), std::span<Real>(kept));
    for (; next_ < end; ++next_)
      for (int e = 0; e < shares_.electrodes; ++e)
        samples.value_mv.push_back(mv_per_phi_ * kept[next_ % capacity_ * shares_.electrodes + e]);
    return samples;
  }

  /// A run goes on at `now_ms`, by which all samples had been taken.
  void go_on_at(Real now_ms) {
    if (!empty()) next_ = times_.last_by(now_ms) + 1;
  }

 private:
  void upload_leads(B& backend, const Problem& problem) {
    const std::vector<Vector3>& electrodes = problem.ecg.electrodes;
    std::vector<std::vector<Real>> leads(electrodes.size());
    parallel_ranges(static_cast<std::int64_t>(electrodes.size()), 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t e = begin; e < end; ++e)
        leads[e] = lead_vector(*problem.mesh, problem.diffusivity, electrodes[e], problem.ecg.scale);
    });
    for (std::size_t e = 0; e < leads.size(); ++e)
      backend.upload(std::span<const Real>(leads[e]), leads_.data() + e * problem.mesh->nodes.size());
  }

  SampleTimes times_;
  Real mv_per_phi_;
  int most_a_step_;
  SampleShares shares_{};
  std::int64_t capacity_ = 0, next_ = 0;  ///< the number of the next sample that is taken
  Buffer<Real> leads_, partial_, middle_, kept_;
};

}  // namespace cardiowarp
