#pragma once
#include <cuda_runtime.h>

#include <cassert>
#include <memory>
#include <string>
#include <type_traits>

#include "kernels/cuda_check.hpp"

namespace cardiowarp::cuda {

#if CUDART_VERSION >= 13000
/// Lets the loop go on, or not.
static __global__ void look_kernel(cudaGraphConditionalHandle condition, const int* go_on) {
  cudaGraphSetConditional(condition, *go_on != 0);
}
#endif

/// What a body puts into a stream, kept as the inside of a loop that the device repeats by itself: a conditional node
/// of a graph. After some rounds a kernel of one thread looks at the number in device memory that decides; to look and
/// to begin again takes an H200 4.7 us.
class WhileGraph {
 public:
  /// At the first call body() puts its work into the graph, `rounds` times between two looks. False where there is
  /// none, because the program was built with a CUDA before 13, or the driver or what the body does refuses: the host
  /// is then to repeat body().
  template <class Body>
  bool prepare(cudaStream_t stream, const int* go_on, const Body& body, int rounds) {
    assert(go_on_ == nullptr || go_on_ == go_on);
    if (go_on_ == nullptr) {
      go_on_ = go_on;
      make(stream, body, rounds);
    }
    return executable_ != nullptr;
  }

  void launch(cudaStream_t stream) const { cuda_check(cudaGraphLaunch(executable_.get(), stream)); }

  bool is_made() const { return executable_ != nullptr; }
  const std::string& refusal() const { return refusal_; }  ///< why it was not made

 private:
  struct Destroy {
    void operator()(cudaGraph_t graph) const { cudaGraphDestroy(graph); }
    void operator()(cudaGraphExec_t executable) const { cudaGraphExecDestroy(executable); }
  };
  template <class Handle>
  using Owner = std::unique_ptr<std::remove_pointer_t<Handle>, Destroy>;

#if CUDART_VERSION >= 13000
  template <class Body>
  void make(cudaStream_t stream, const Body& body, int rounds) {
    try {
      cudaGraph_t graph = nullptr;
      cuda_check(cudaGraphCreate(&graph, 0));
      const Owner<cudaGraph_t> owner(graph);
      add_loop(graph, stream, body, rounds);
      cudaGraphExec_t executable = nullptr;
      cuda_check(cudaGraphInstantiate(&executable, graph, 0));
      executable_.reset(executable);
    } catch (const DeviceError& error) {
      refusal_ = error.what();
      cudaGetLastError();
    }
  }

  /// look → while [ body → .. → body → look ]
  template <class Body>
  void add_loop(cudaGraph_t graph, cudaStream_t stream, const Body& body, int rounds) {
    cudaGraphConditionalHandle condition{};
    cuda_check(cudaGraphConditionalHandleCreate(&condition, graph));
    void* arguments[] = {&condition, &go_on_};
    cudaGraphNodeParams look{};
    look.type = cudaGraphNodeTypeKernel;
    look.kernel.func = reinterpret_cast<void*>(look_kernel);
    look.kernel.gridDim = look.kernel.blockDim = dim3(1);
    look.kernel.kernelParams = arguments;
    cudaGraphNode_t before = nullptr, loop = nullptr;
    cuda_check(cudaGraphAddNode(&before, graph, nullptr, nullptr, 0, &look));
    cudaGraphNodeParams repeated{};
    repeated.type = cudaGraphNodeTypeConditional;
    repeated.conditional.handle = condition;
    repeated.conditional.type = cudaGraphCondTypeWhile;
    repeated.conditional.size = 1;
    cuda_check(cudaGraphAddNode(&loop, graph, &before, nullptr, 1, &repeated));

    cudaGraph_t inside = repeated.conditional.phGraph_out[0];
    cuda_check(cudaStreamBeginCaptureToGraph(stream, inside, nullptr, nullptr, 0, cudaStreamCaptureModeThreadLocal));
    try {
      for (int round = 0; round < rounds; ++round) body();
      look_kernel<<<1, 1, 0, stream>>>(condition, go_on_);
      cuda_check(cudaGetLastError());
    } catch (...) {
      cudaStreamEndCapture(stream, nullptr);
      throw;
    }
    cuda_check(cudaStreamEndCapture(stream, nullptr));
  }
#else
  template <class Body>
  void make(cudaStream_t, const Body&, int) {
    refusal_ = "built with a CUDA before 13";
  }
#endif

  const int* go_on_ = nullptr;
  Owner<cudaGraphExec_t> executable_;
  std::string refusal_;
};

}  // namespace cardiowarp::cuda
