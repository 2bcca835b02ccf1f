// The calls of the CUDA runtime that the program makes, let fail on purpose. The program `cardiowarp_failing_gpu` is
// cardiowarp with these functions between it and the runtime (-Wl,--wrap, CMakeLists.txt). By environment variables:
//   CARDIOWARP_GPU_FAULT=NAME:NUMBER:WHAT  call NUMBER (from 1) of NAME, or of all functions where NAME is `any`; WHAT
//   is
//                                          an error's number: that call fails, once; with `!` after it, all later calls
//                                          of any function fail, too, as after the loss of a device; with `*`, all
//                                          later calls of NAME, as of a device that nobody may use; or `hang`: that
//                                          call does not return; or, of cudaStreamSynchronize, `spin`: a kernel does
//                                          not end for a minute, for which the call waits
//   CARDIOWARP_GPU_CALLS=FILE              writes how often each function was called, at the end of the program
//   CARDIOWARP_GPU_FREE_BYTES=N            is what cudaMemGetInfo() says is free
//   CARDIOWARP_GPU_GRAPHS=refused          no graph is made: the host repeats what a GPU would repeat by itself
//   CARDIOWARP_GPU=none                    there is no GPU behind it: memory is that of the host, kernels do nothing,
//   and
//                                          all goes well. Steps converge then at once, to what was there before.

#include <cuda_runtime_api.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>

#include "tests/faults/gpu/spin.hpp"

namespace {

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

class Faults {
 public:
  Faults() {
    const std::string fault = variable("CARDIOWARP_GPU_FAULT");
    const std::size_t first = fault.find(':'), second = fault.find(':', first + 1);
    if (first == fault.npos || second == fault.npos) return;
    name_ = fault.substr(0, first);
    number_ = std::atol(fault.c_str() + first + 1);
    hangs_ = fault.substr(second + 1) == "hang";
    spins_ = fault.substr(second + 1) == "spin";
    error_ = static_cast<cudaError_t>(std::atoi(fault.c_str() + second + 1));
    stays_ = fault.back() == '!';
    repeats_ = fault.back() == '*';
  }
  ~Faults() {
    if (calls_file_.empty()) return;
    std::FILE* const file = std::fopen(calls_file_.c_str(), "w");
    for (const auto& [name, number] : calls_) std::fprintf(file, "%s %ld\n", name.c_str(), number);
    std::fclose(file);
  }

  /// What call() says, or the error of a fault.
  template <class Call>
  cudaError_t call(const char* name, const Call& call) {
    const cudaError_t error = error_of(name);
    return error != cudaSuccess ? error : call();
  }

  /// Which cudaGetLastError() returns and forgets.
  cudaError_t take_last() {
    const std::lock_guard lock(mutex_);
    const cudaError_t last = last_;
    if (!is_lost_) last_ = cudaSuccess;
    return last;
  }

  /// Whether a kernel is to spin in the call `number` of cudaStreamSynchronize, the last.
  bool spins() {
    const std::lock_guard lock(mutex_);
    return spins_ && calls_["cudaStreamSynchronize"] == number_;
  }

  bool has_gpu() const { return has_gpu_; }
  std::size_t free_bytes(std::size_t else_bytes) const {
    return free_bytes_.empty() ? else_bytes : std::strtoull(free_bytes_.c_str(), nullptr, 10);
  }

 private:
  cudaError_t error_of(const char* name) {
    std::unique_lock lock(mutex_);
    const long of_name = ++calls_[name], of_any = ++calls_["any"];
    if (is_lost_) return last_;
    if (refuses_graphs_ && std::strcmp(name, "cudaGraphCreate") == 0) return last_ = cudaErrorNotSupported;
    const long called = name_ == "any" ? of_any : of_name;
    if (name_.empty() || (name_ != "any" && name_ != name) || called < number_ || (called > number_ && !repeats_))
      return cudaSuccess;
    if (spins_) return cudaSuccess;
    lock.unlock();
    while (hangs_) pause();
    lock.lock();
    is_lost_ = stays_;
    return last_ = error_;
  }

  std::mutex mutex_;
  std::map<std::string, long> calls_;
  std::string name_, calls_file_ = variable("CARDIOWARP_GPU_CALLS"),
                     free_bytes_ = variable("CARDIOWARP_GPU_FREE_BYTES");
  bool has_gpu_ = variable("CARDIOWARP_GPU") != "none",
       refuses_graphs_ = variable("CARDIOWARP_GPU_GRAPHS") == "refused", hangs_ = false, spins_ = false, stays_ = false,
       repeats_ = false, is_lost_ = false;
  long number_ = 0;
  cudaError_t error_ = cudaSuccess, last_ = cudaSuccess;
};

Faults& faults() {
  static Faults all;
  return all;
}

/// What a handle points to that nobody looks into.
template <class Handle>
void point_somewhere(Handle* handle) {
  static long somewhere = 0;
  *handle = reinterpret_cast<Handle>(&somewhere);
}

cudaGraph_t* inner_graph() {
  static cudaGraph_t graph = nullptr;
  return &graph;
}

void fill(cudaDeviceProp& device) {
  device = {};
  std::strcpy(device.name, "no GPU");
  device.major = 9;
  device.multiProcessorCount = 132;
  device.maxThreadsPerMultiProcessor = 2048;
  device.warpSize = 32;
  device.sharedMemPerBlockOptin = 227 << 10;
  device.l2CacheSize = 60 << 20;
  device.totalGlobalMem = std::size_t{8} << 30;
  device.cooperativeLaunch = 1;
}

int attribute_value(cudaDeviceAttr attribute) {
  return attribute == cudaDevAttrMultiProcessorCount            ? 132
         : attribute == cudaDevAttrMaxSharedMemoryPerBlockOptin ? 227 << 10
                                                                : 1;
}

}  // namespace

// WRAP(NAME, (parameters), (arguments), what is done where there is no GPU). CMakeLists.txt reads the names from here.
#define WRAP(name, parameters, arguments, ...)                \
  extern "C" cudaError_t __real_##name parameters;            \
  extern "C" cudaError_t __wrap_##name parameters {           \
    return faults().call(#name, [&]() -> cudaError_t {        \
      if (faults().has_gpu()) return __real_##name arguments; \
      __VA_ARGS__;                                            \
      return cudaSuccess;                                     \
    });                                                       \
  }

WRAP(cudaDriverGetVersion, (int* version), (version), *version = CUDART_VERSION)
WRAP(cudaGetDeviceCount, (int* count), (count), *count = 1)
WRAP(cudaGetDevice, (int* device), (device), *device = 0)
WRAP(cudaGetDeviceProperties, (cudaDeviceProp * device, int id), (device, id), fill(*device))
WRAP(cudaDeviceGetAttribute, (int* value, cudaDeviceAttr attribute, int id), (value, attribute, id),
     *value = attribute_value(attribute))
WRAP(cudaSetDevice, (int id), (id))
WRAP(cudaDeviceSynchronize, (), ())
WRAP(cudaMalloc, (void** memory, size_t bytes), (memory, bytes), *memory = std::calloc(bytes, 1))
WRAP(cudaFree, (void* memory), (memory), std::free(memory))
WRAP(cudaMallocHost, (void** memory, size_t bytes), (memory, bytes), *memory = std::calloc(bytes, 1))
WRAP(cudaFreeHost, (void* memory), (memory), std::free(memory))
WRAP(cudaHostRegister, (void* memory, size_t bytes, unsigned flags), (memory, bytes, flags))
WRAP(cudaHostUnregister, (void* memory), (memory))
WRAP(cudaMemsetAsync, (void* memory, int value, size_t bytes, cudaStream_t stream), (memory, value, bytes, stream),
     std::memset(memory, value, bytes))
WRAP(cudaMemcpyAsync, (void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream),
     (to, from, bytes, kind, stream), std::memcpy(to, from, bytes))
WRAP(cudaFuncGetAttributes, (cudaFuncAttributes * attributes, const void* function), (attributes, function),
     *attributes = {})
WRAP(cudaFuncSetAttribute, (const void* function, cudaFuncAttribute attribute, int value), (function, attribute, value))
WRAP(cudaOccupancyMaxActiveBlocksPerMultiprocessor, (int* blocks, const void* function, int threads, size_t shared),
     (blocks, function, threads, shared), *blocks = 1)
WRAP(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
     (int* blocks, const void* function, int threads, size_t shared, unsigned flags),
     (blocks, function, threads, shared, flags), *blocks = 1)
WRAP(cudaLaunchKernel,
     (const void* function, dim3 blocks, dim3 threads, void** arguments, size_t shared, cudaStream_t stream),
     (function, blocks, threads, arguments, shared, stream))
WRAP(cudaLaunchCooperativeKernel,
     (const void* function, dim3 blocks, dim3 threads, void** arguments, size_t shared, cudaStream_t stream),
     (function, blocks, threads, arguments, shared, stream))
WRAP(cudaStreamCreateWithFlags, (cudaStream_t * stream, unsigned flags), (stream, flags), point_somewhere(stream))
WRAP(cudaStreamDestroy, (cudaStream_t stream), (stream))
WRAP(cudaEventCreate, (cudaEvent_t * event), (event), point_somewhere(event))
WRAP(cudaEventCreateWithFlags, (cudaEvent_t * event, unsigned flags), (event, flags), point_somewhere(event))
WRAP(cudaEventSynchronize, (cudaEvent_t event), (event))
WRAP(cudaStreamWaitEvent, (cudaStream_t stream, cudaEvent_t event, unsigned flags), (stream, event, flags))
WRAP(cudaEventRecord, (cudaEvent_t event, cudaStream_t stream), (event, stream))
WRAP(cudaEventDestroy, (cudaEvent_t event), (event))
WRAP(cudaEventElapsedTime, (float* milliseconds, cudaEvent_t begin, cudaEvent_t end), (milliseconds, begin, end),
     *milliseconds = 1)
WRAP(cudaGraphCreate, (cudaGraph_t * graph, unsigned flags), (graph, flags), point_somewhere(graph))
WRAP(cudaGraphDestroy, (cudaGraph_t graph), (graph))
WRAP(cudaGraphInstantiate, (cudaGraphExec_t * executable, cudaGraph_t graph, unsigned long long flags),
     (executable, graph, flags), point_somewhere(executable))
WRAP(cudaGraphExecDestroy, (cudaGraphExec_t executable), (executable))
WRAP(cudaGraphLaunch, (cudaGraphExec_t executable, cudaStream_t stream), (executable, stream))
#if CUDART_VERSION >= 13000
WRAP(__cudaGetKernel, (cudaKernel_t * kernel, const void* function), (kernel, function), point_somewhere(kernel))
WRAP(__cudaLaunchKernel,
     (cudaKernel_t function, dim3 blocks, dim3 threads, void** arguments, size_t shared, cudaStream_t stream),
     (function, blocks, threads, arguments, shared, stream))
WRAP(cudaStreamBeginCaptureToGraph,
     (cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t* nodes, const cudaGraphEdgeData* edges,
      size_t number, cudaStreamCaptureMode mode),
     (stream, graph, nodes, edges, number, mode))
WRAP(cudaStreamGetCaptureInfo,
     (cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id, cudaGraph_t* graph,
      const cudaGraphNode_t** nodes, const cudaGraphEdgeData** edges, size_t* number),
     (stream, status, id, graph, nodes, edges, number), *status = cudaStreamCaptureStatusActive, point_somewhere(graph),
     *nodes = nullptr, *number = 0)
WRAP(cudaStreamUpdateCaptureDependencies,
     (cudaStream_t stream, cudaGraphNode_t* nodes, const cudaGraphEdgeData* edges, size_t number, unsigned flags),
     (stream, nodes, edges, number, flags))
WRAP(cudaGraphConditionalHandleCreate,
     (cudaGraphConditionalHandle * handle, cudaGraph_t graph, unsigned value, unsigned flags),
     (handle, graph, value, flags), *handle = 1)
WRAP(cudaGraphAddNode,
     (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t* nodes, const cudaGraphEdgeData* edges,
      size_t number, cudaGraphNodeParams* given),
     (node, graph, nodes, edges, number, given), point_somewhere(node), point_somewhere(inner_graph()),
     given->conditional.phGraph_out = inner_graph())
#endif

extern "C" cudaError_t __real_cudaStreamSynchronize(cudaStream_t stream);
extern "C" cudaError_t __wrap_cudaStreamSynchronize(cudaStream_t stream) {
  return faults().call("cudaStreamSynchronize", [&] {
    if (!faults().has_gpu()) return cudaSuccess;
    if (faults().spins()) cardiowarp::test::spin_a_minute(stream);
    return __real_cudaStreamSynchronize(stream);
  });
}

// A capture that fails is ended, too.
extern "C" cudaError_t __real_cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph);
extern "C" cudaError_t __wrap_cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  point_somewhere(graph);
  const cudaError_t status = faults().has_gpu() ? __real_cudaStreamEndCapture(stream, graph) : cudaSuccess;
  return faults().call("cudaStreamEndCapture", [&] { return status; });
}

extern "C" cudaError_t __real_cudaMemGetInfo(size_t* free, size_t* total);
extern "C" cudaError_t __wrap_cudaMemGetInfo(size_t* free, size_t* total) {
  return faults().call("cudaMemGetInfo", [&]() -> cudaError_t {
    *free = *total = std::size_t{8} << 30;
    const cudaError_t status = faults().has_gpu() ? __real_cudaMemGetInfo(free, total) : cudaSuccess;
    *free = faults().free_bytes(*free);
    return status;
  });
}

extern "C" cudaError_t __real_cudaGetLastError();
extern "C" cudaError_t __wrap_cudaGetLastError() {
  const cudaError_t of_fault = faults().take_last();
  if (of_fault != cudaSuccess || !faults().has_gpu()) return of_fault;
  return __real_cudaGetLastError();
}
