#pragma once
#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "kernels/backend/cuda_backend.cuh"
#include "kernels/backend/cuda_check.hpp"

namespace cardiowarp {

namespace cuda {

/// A graph of `calls` calls of `enqueue()`, which puts work into a stream. To launch it costs the host little, and the
/// device goes from call to call without waiting for the host.
class CallGraph {
 public:
  template <class Enqueue>
  CallGraph(cudaStream_t stream, int calls, const Enqueue& enqueue) {
    cudaGraph_t graph = nullptr;
    cuda_check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    try {
      for (int call = 0; call < calls; ++call) enqueue();
    } catch (...) {
      cudaStreamEndCapture(stream, &graph);
      if (graph) cudaGraphDestroy(graph);
      throw;
    }
    cuda_check(cudaStreamEndCapture(stream, &graph));
    const cudaError_t status = cudaGraphInstantiate(&executable_, graph, 0);
    cudaGraphDestroy(graph);
    cuda_check(status);
  }
  CallGraph(const CallGraph&) = delete;
  CallGraph& operator=(const CallGraph&) = delete;
  ~CallGraph() { cudaGraphExecDestroy(executable_); }

  void launch(cudaStream_t stream) const { cuda_check(cudaGraphLaunch(executable_, stream)); }

 private:
  cudaGraphExec_t executable_ = nullptr;
};

}  // namespace cuda

/// Device seconds of one call of `enqueue()`, which puts work into the backend's stream. Each of the results is the
/// mean over `calls` calls in one graph. There are `repeats` of them, or fewer, but at least three, where all would
/// take more than 50 ms. The device idles for about 1 µs between two calls, which is counted. The caches are warm: data
/// of a call that stay in them are read from there by the next.
template <class Enqueue>
std::vector<double> seconds_a_call(CudaBackend& backend, int calls, int repeats, const Enqueue& enqueue) {
  constexpr double most_seconds = 0.05;
  constexpr int fewest = 3;
  const cuda::CallGraph graph(backend.stream(), calls, enqueue);
  const auto timed = [&](std::size_t launches) {
    std::vector<double> seconds(launches);
    for (double& launch : seconds) {
      const auto watch = backend.stopwatch(launch);
      graph.launch(backend.stream());
    }
    backend.synchronize();
    return seconds;
  };
  const double warm_up = timed(1).front();
  const double affordable = std::max<double>(fewest, most_seconds / warm_up);
  std::vector<double> seconds = timed(static_cast<std::size_t>(std::min<double>(repeats, affordable)));
  for (double& launch : seconds) launch /= calls;
  return seconds;
}

/// [repeats] Device seconds of one call of `enqueue()` with cold caches. Before each call `scratch`, which is twice as
/// large as the L2 cache, is written over; meanwhile the host gets ahead of the device.
template <class Enqueue>
std::vector<double> cold_seconds(CudaBackend& backend, const Buffer<std::byte>& scratch, int repeats,
                                 const Enqueue& enqueue) {
  std::vector<double> seconds(repeats + 1);
  for (double& call : seconds) {
    cuda_check(cudaMemsetAsync(scratch.data(), 0, scratch.size(), backend.stream()));
    const auto watch = backend.stopwatch(call);
    enqueue();
  }
  backend.synchronize();
  seconds.erase(seconds.begin());  // warm-up
  return seconds;
}

}  // namespace cardiowarp
