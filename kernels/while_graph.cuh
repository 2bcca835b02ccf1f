#pragma once
#include <cuda_runtime.h>

#include "kernels/cuda_check.hpp"

namespace cardiowarp::cuda {

#if CUDART_VERSION >= 13000
/// Lets the loop go on, or not.
static __global__ void look_kernel(cudaGraphConditionalHandle condition, const int* go_on) {
  cudaGraphSetConditional(condition, *go_on != 0);
}
#endif

/// What a body puts into a stream, kept as the inside of a loop that the device repeats by itself: a conditional node
/// of a graph. Between two rounds a kernel of one thread looks at the number in device memory that decides.
class WhileGraph {
 public:
  WhileGraph() = default;
  WhileGraph(const WhileGraph&) = delete;
  WhileGraph& operator=(const WhileGraph&) = delete;
  ~WhileGraph() {
    if (executable_) cudaGraphExecDestroy(executable_);
  }

  /// At the first call body() puts its work into the graph. False where there is none, because the program was built
  /// with a CUDA before 13, or the driver or what the body does refuses: the host is then to repeat body().
  template <class Body>
  bool prepare(cudaStream_t stream, const int* go_on, const Body& body) {
    if (!tried_) {
      tried_ = true;
#if CUDART_VERSION >= 13000
      cudaGraph_t graph = nullptr;
      cuda_check(cudaGraphCreate(&graph, 0));
      try {
        add_loop(graph, stream, go_on, body);
        cuda_check(cudaGraphInstantiate(&executable_, graph, 0));
      } catch (const DeviceError&) {
        executable_ = nullptr;
      }
      cudaGraphDestroy(graph);
      cudaGetLastError();
#endif
    }
    return executable_ != nullptr;
  }

  void launch(cudaStream_t stream) const { cuda_check(cudaGraphLaunch(executable_, stream)); }

 private:
#if CUDART_VERSION >= 13000
  /// look → while [ body → look ]
  template <class Body>
  static void add_loop(cudaGraph_t graph, cudaStream_t stream, const int* go_on, const Body& body) {
    cudaGraphConditionalHandle condition{};
    cuda_check(cudaGraphConditionalHandleCreate(&condition, graph));
    void* arguments[] = {&condition, &go_on};
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
      body();
      look_kernel<<<1, 1, 0, stream>>>(condition, go_on);
      cuda_check(cudaGetLastError());
    } catch (...) {
      cudaStreamEndCapture(stream, nullptr);
      throw;
    }
    cuda_check(cudaStreamEndCapture(stream, nullptr));
  }
#endif

  cudaGraphExec_t executable_ = nullptr;
  bool tried_ = false;
};

}  // namespace cardiowarp::cuda
