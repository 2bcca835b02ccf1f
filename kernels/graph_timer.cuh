#pragma once
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/cuda_backend.cuh"
#include "kernels/cuda_check.hpp"

namespace cardiowarp {

namespace cuda {

/// What `enqueue()` puts into a stream, `calls` times over, as one graph: a launch of it costs the host little, and the
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

/// Device seconds of one call of `enqueue()`, which puts work into the backend's stream: [repeats], each the mean over
/// the calls of one graph, as many as take about 2 ms. Between two calls of a graph the device idles for about 1 µs,
/// which is counted. The caches are warm: what of a call's data stays in them is read from there by the next.
template <class Enqueue>
std::vector<double> seconds_a_call(CudaBackend& backend, int repeats, const Enqueue& enqueue) {
  constexpr int trial_calls = 10, warm_up = 3, most_calls = 2000;
  constexpr double graph_seconds = 2e-3;
  const auto timed = [&](int calls, int launches) {
    const cuda::CallGraph graph(backend.stream(), calls, enqueue);
    std::vector<double> seconds(warm_up + launches);
    for (double& launch : seconds) {
      const auto watch = backend.stopwatch(launch);
      graph.launch(backend.stream());
    }
    backend.synchronize();
    seconds.erase(seconds.begin(), seconds.begin() + warm_up);
    for (double& launch : seconds) launch /= calls;
    return seconds;
  };
  const double trial = timed(trial_calls, 1).front();
  return timed(static_cast<int>(std::clamp<double>(std::ceil(graph_seconds / trial), 1, most_calls)), repeats);
}

}  // namespace cardiowarp
