#pragma once
#include <cuda_runtime.h>

#include <array>
#include <cassert>
#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernels/backend/buffer.hpp"
#include "kernels/backend/cuda_check.hpp"

#if CUDART_VERSION >= 13000 && !defined(CARDIOWARP_NO_GRAPH_LOOPS)
#define CARDIOWARP_GRAPH_LOOPS
#endif

namespace cardiowarp::cuda {

/// Whether this build can have graph loops: CUDA graphs with launches that the device repeats while a number is not 0.
#ifdef CARDIOWARP_GRAPH_LOOPS
inline constexpr bool graph_loops = true;
#else
inline constexpr bool graph_loops = false;
#endif

#ifdef CARDIOWARP_GRAPH_LOOPS
/// Lets the graph loop go on, or not.
static __global__ void look_kernel(cudaGraphConditionalHandle condition, const int* go_on) {
  cudaGraphSetConditional(condition, *go_on != 0);
}
#endif

/// Ends lap `ended`, unless that is −1, and begins the next: clock[0] is the time in ns at which the last lap began,
/// clock[1 + k] the sum of the times of lap k.
static __global__ void lap_kernel(unsigned long long* clock, int ended) {
  unsigned long long now = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  if (ended >= 0) clock[1 + ended] += now - clock[0];
  clock[0] = now;
}

/// As long as it lives, what is enqueued in a stream is recorded into a graph and not done. A capture that was not
/// ended by end() is thrown away.
class Capture {
 public:
  Capture(cudaStream_t stream, [[maybe_unused]] cudaGraph_t graph) : stream_(stream) {
#ifdef CARDIOWARP_GRAPH_LOOPS
    cuda_check(cudaStreamBeginCaptureToGraph(stream, graph, nullptr, nullptr, 0, cudaStreamCaptureModeRelaxed));
#else
    throw DeviceError("built without loops in graphs");
#endif
  }
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;
  ~Capture() {
    if (stream_ == nullptr) return;
    cudaGraph_t graph = nullptr;
    cudaStreamEndCapture(stream_, &graph);
  }
  void end() {
    cudaGraph_t graph = nullptr;
    cuda_check(cudaStreamEndCapture(std::exchange(stream_, nullptr), &graph));
  }

 private:
  cudaStream_t stream_;
};

/// Adds a graph loop to what is being captured in `stream`:  look → while [ body → .. → body → look ].  body() puts its
/// work into `inside`, another stream. After `calls` of it a kernel of one thread looks at the number in device memory
/// that decides; to look and to begin again takes an H200 4.7 us.
template <class Body>
void capture_repetition([[maybe_unused]] cudaStream_t stream, [[maybe_unused]] cudaStream_t inside,
                        [[maybe_unused]] const int* go_on, [[maybe_unused]] int calls,
                        [[maybe_unused]] const Body& body) {
#ifdef CARDIOWARP_GRAPH_LOOPS
  cudaGraph_t graph = nullptr;
  const cudaGraphNode_t* last = nullptr;
  std::size_t number = 0;
  const auto ask_where = [&] {
    cudaStreamCaptureStatus status{};
    cuda_check(cudaStreamGetCaptureInfo(stream, &status, nullptr, &graph, &last, nullptr, &number));
  };
  ask_where();
  cudaGraphConditionalHandle condition{};
  cuda_check(cudaGraphConditionalHandleCreate(&condition, graph));
  look_kernel<<<1, 1, 0, stream>>>(condition, go_on);
  cuda_check(cudaGetLastError());
  cudaGraphNodeParams repeated{};
  repeated.type = cudaGraphNodeTypeConditional;
  repeated.conditional.handle = condition;
  repeated.conditional.type = cudaGraphCondTypeWhile;
  repeated.conditional.size = 1;
  ask_where();
  cudaGraphNode_t loop = nullptr;
  cuda_check(cudaGraphAddNode(&loop, graph, last, nullptr, number, &repeated));
  cuda_check(cudaStreamUpdateCaptureDependencies(stream, &loop, nullptr, 1, cudaStreamSetCaptureDependencies));

  Capture capture(inside, repeated.conditional.phGraph_out[0]);
  for (int call = 0; call < calls; ++call) body();
  look_kernel<<<1, 1, 0, inside>>>(condition, go_on);
  cuda_check(cudaGetLastError());
  capture.end();
#endif
}

/// A repetition that the device does by itself, in one launch, others nested in it, too: a CUDA graph with conditional
/// nodes, the graph loops. And what stopwatches in it have measured, by the device's clock: no event can be in there.
class WhileGraph {
 public:
  /// At the first call records what put_repetition() puts into `stream`. False where there is no graph, because the
  /// program was built without (graph_loops), or the driver or what is repeated refuses: the host is then to repeat it.
  /// `go_on` is the same in all calls.
  template <class PutRepetition>
  bool prepare(cudaStream_t stream, const int* go_on, const PutRepetition& put_repetition) {
    assert(go_on_ == nullptr || go_on_ == go_on);
    if (go_on_ == nullptr) {
      go_on_ = go_on;
      make(stream, put_repetition);
    }
    return executable_ != nullptr;
  }

  void launch(cudaStream_t stream) const { cuda_check(cudaGraphLaunch(executable_.get(), stream)); }

  bool is_made() const { return executable_ != nullptr; }
  const std::string& refusal() const { return refusal_; }  ///< why it was not made

  // Laps, while it is made. The end of one is often the beginning of the next: then one look at the clock does for
  // both.

  /// Begins a lap whose time is to be added to `seconds`; returns its number, for end_lap().
  int begin_lap(cudaStream_t stream, double& seconds) {
    std::size_t lap = 0;
    while (lap < lap_seconds_.size() && lap_seconds_[lap] != &seconds) ++lap;
    if (lap == most_laps) throw DeviceError("too many stopwatches in a loop");
    if (lap == lap_seconds_.size()) lap_seconds_.push_back(&seconds);
    look_at_clock(stream);
    return static_cast<int>(lap);
  }
  void end_lap(int lap) { ended_ = lap; }
  /// Looks at the clock where a lap has ended: before a nested repetition and at the end of what is repeated.
  void end_laps(cudaStream_t stream) {
    if (ended_ >= 0) look_at_clock(stream);
  }

  /// Adds what was measured since the last time; waits for the stream.
  void settle(cudaStream_t stream) {
    if (lap_seconds_.empty()) return;
    std::array<unsigned long long, 1 + most_laps> clock{};
    cuda_check(cudaMemcpyAsync(clock.data(), clock_.data(), sizeof clock, cudaMemcpyDeviceToHost, stream));
    cuda_check(cudaMemsetAsync(clock_.data(), 0, sizeof clock, stream));
    cuda_check(cudaStreamSynchronize(stream));
    for (std::size_t lap = 0; lap < lap_seconds_.size(); ++lap) *lap_seconds_[lap] += 1e-9 * clock.at(1 + lap);
  }

 private:
  static constexpr std::size_t most_laps = 7;

  struct Destroy {
    void operator()(cudaGraph_t graph) const { cudaGraphDestroy(graph); }
    void operator()(cudaGraphExec_t executable) const { cudaGraphExecDestroy(executable); }
  };
  template <class Handle>
  using Owner = std::unique_ptr<std::remove_pointer_t<Handle>, Destroy>;

  template <class PutRepetition>
  void make(cudaStream_t stream, const PutRepetition& put_repetition) {
    try {
      void* clock = nullptr;
      cuda_check(cudaMalloc(&clock, (1 + most_laps) * sizeof(unsigned long long)));
      clock_ = Buffer<unsigned long long>(static_cast<unsigned long long*>(clock), 1 + most_laps,
                                          [](unsigned long long* pointer) noexcept { cudaFree(pointer); });
      cuda_check(cudaMemsetAsync(clock, 0, (1 + most_laps) * sizeof(unsigned long long), stream));
      cudaGraph_t graph = nullptr;
      cuda_check(cudaGraphCreate(&graph, 0));
      const Owner<cudaGraph_t> owner(graph);
      Capture capture(stream, graph);
      put_repetition();
      capture.end();
      cudaGraphExec_t executable = nullptr;
      cuda_check(cudaGraphInstantiate(&executable, graph, 0));
      executable_.reset(executable);
    } catch (const DeviceError& error) {
      refusal_ = error.what();
      lap_seconds_.clear();
      ended_ = -1;
      cudaGetLastError();
    }
  }

  void look_at_clock(cudaStream_t stream) {
    lap_kernel<<<1, 1, 0, stream>>>(clock_.data(), std::exchange(ended_, -1));
    cuda_check(cudaGetLastError());
  }

  const int* go_on_ = nullptr;
  Owner<cudaGraphExec_t> executable_;
  std::string refusal_;
  Buffer<unsigned long long> clock_;
  std::vector<double*> lap_seconds_;
  int ended_ = -1;  // lap whose end has not been marked yet
};

}  // namespace cardiowarp::cuda
