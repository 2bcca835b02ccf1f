#pragma once
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <new>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernels/backend/backend.hpp"
#include "kernels/backend/cuda_check.hpp"
#include "kernels/backend/cuda_device.hpp"
#include "kernels/backend/cuda_reduction.cuh"
#include "kernels/backend/device.hpp"
#include "kernels/backend/device_wait.hpp"
#include "kernels/backend/while_graph.cuh"

namespace cardiowarp {

// The backend of one GPU (kernels/backend/backend.hpp): device memory and one stream. for_each, sum and maximum are one
// launch each, in which the loop body is the kernel; a repetition is one launch of a graph (while_graph.cuh). Sums are
// added in an order that depends on n alone: the same bits in every run and on every device.

namespace cuda {

/// Threads in a block of for_each: the body's threads_that_share, where it has them, else `threads`.
template <class Body>
constexpr int loop_threads() {
  if constexpr (requires { Body::threads_that_share; })
    return Body::threads_that_share;
  else
    return threads;
}

template <class Body>
__global__ void __launch_bounds__(loop_threads<Body>()) for_each_kernel(Index n, const Body body) {
  const Index i = static_cast<Index>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) ready(body)(i);
}

/// As for_each_kernel, for a body whose registers are kept so few that its `blocks_at_once` fit on a multiprocessor.
template <class Body>
__global__ void __launch_bounds__(loop_threads<Body>(), Body::blocks_at_once)
    for_each_in_few_registers(Index n, const Body body) {
  const Index i = static_cast<Index>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) ready(body)(i);
}

}  // namespace cuda

/// Device memory of the current CUDA device, one stream. In a step only `read` waits for it.
class CudaBackend {
 public:
  struct OwnKernels;

  /// Throws DeviceError where there is no device, or none this build has code for.
  CudaBackend() {
    require_cuda_device();
    make_cuda_context();
    cudaFuncAttributes attributes;
    const cudaError_t code = cudaFuncGetAttributes(&attributes, cuda::for_each_kernel<AnyBody<void>>);
    device_ = cuda_device(0);
    if (code != cudaErrorNoKernelImageForDevice && code != cudaErrorUnsupportedPtxVersion) {
      cuda_check(code);
    } else {
      cudaGetLastError();
      throw DeviceError("this build has no code for " + device_.name + " (compute capability " +
                        std::to_string(device_.compute_capability / 10) + "." +
                        std::to_string(device_.compute_capability % 10) + ")");
    }
    cuda_check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    cuda_check(cudaMallocHost(&host_, largest_read));
    partials_ = allocate<Real>(max_terms * cuda::max_reduction_blocks);
    arrived_ = allocate<unsigned>(1);
  }
  CudaBackend(const CudaBackend&) = delete;
  CudaBackend& operator=(const CudaBackend&) = delete;
  ~CudaBackend() {
    wait_for_stream();
    for (const Interval& interval : pending_) destroy(interval);
    for (const Interval& interval : spare_) destroy(interval);
    cudaFreeHost(host_);
    cudaStreamDestroy(stream_);
  }

  template <class T>
  Buffer<T> allocate(std::size_t size) {
    const std::size_t bytes = std::max<std::size_t>(1, size) * sizeof(T);
    void* memory = nullptr;
    const cudaError_t status = cudaMalloc(&memory, bytes);
    if (status != cudaErrorMemoryAllocation) {
      cuda_check(status);
    } else {
      cudaGetLastError();
      std::size_t free = 0, total = 0;
      cuda_check(cudaMemGetInfo(&free, &total));
      throw DeviceError("out of device memory: asked for " + std::to_string(bytes) + " bytes, " + std::to_string(free) +
                        " of " + std::to_string(total) + " are free");
    }
    Buffer<T> buffer(static_cast<T*>(memory), size, [](T* pointer) noexcept {
      const DeviceWait wait;
      cudaFree(pointer);
    });
    cuda_check(cudaMemsetAsync(memory, 0, bytes, stream_));
    return buffer;
  }

  template <class T>
  void upload(std::span<const T> host, T* memory) {
    copy(memory, host.data(), host.size_bytes(), cudaMemcpyHostToDevice);
    synchronize();
  }

  template <class T>
  void download(const T* memory, std::span<T> host) {
    copy(host.data(), memory, host.size_bytes(), cudaMemcpyDeviceToHost);
    synchronize();
  }

  /// From here on for_each() has blocks of at most so many threads, a multiple of 32; 0: of as many as its bodies ask
  /// for. `bench assembly` looks for better sizes by it. More than a body asks for cannot be had: its kernel is
  /// compiled for no more.
  void limit_loop_threads(unsigned threads) { most_loop_threads_ = threads; }
  /// The threads of a block that asks for so many.
  unsigned limited_threads(unsigned asked_for) const {
    return most_loop_threads_ > 0 ? std::min(asked_for, most_loop_threads_) : asked_for;
  }

  template <class Body>
  void for_each(Index n, const Body& body) {
    if (n == 0) return;
    const unsigned block = limited_threads(cuda::loop_threads<Body>());
    const unsigned blocks = (static_cast<unsigned>(n) + block - 1) / block;
    if constexpr (requires { Body::blocks_at_once; })
      cuda::for_each_in_few_registers<<<blocks, block, 0, stream_>>>(n, body);
    else
      cuda::for_each_kernel<<<blocks, block, 0, stream_>>>(n, body);
    cuda_check(cudaGetLastError());
  }

  template <int N, class Body, class Then = Nothing>
  void sum(Index n, Real* result, const Body& body, const Then& then = {}) {
    reduce<cuda::Add, N>(n, result, body, then);
  }

  template <class Body, class Then = Nothing>
  void maximum(Index n, Real* result, const Body& body, const Then& then = {}) {
    reduce<cuda::Larger, 1>(n, result, cuda::OneTerm<Body>{body}, then);
  }

  using Repetition = cuda::WhileGraph;

  /// Repeats in one launch of a CUDA graph, where this build and the device can; else the host repeats.
  template <class Body>
  void repeat_while(Repetition& repetition, const int* go_on, const Body& body, int calls = 1) {
    if (recorded_ != nullptr) {
      record(go_on, body, calls);
      return;
    }
    const auto put_repetition = [&] {
      const Recording recording(*this, repetition);
      record(go_on, body, calls);
    };
    if (repetition.prepare(stream_, go_on, put_repetition)) {
      const DeviceWait wait;
      repetition.launch(stream_);
    } else {
      while (read(go_on)) body();
    }
  }

  void settle(Repetition& repetition) {
    synchronize();
    const DeviceWait wait;
    repetition.settle(stream_);
  }

  template <class T>
  T read(const T* memory) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= largest_read);
    copy(host_, memory, sizeof(T), cudaMemcpyDeviceToHost);
    synchronize();
    T value;
    std::memcpy(&value, host_, sizeof(T));
    return value;
  }

  void synchronize() {
    cuda_check(wait_for_stream());
    settle_intervals();
  }

  /// Where everything here is enqueued, in order; kernels that are launched beside the vocabulary go there, too.
  cudaStream_t stream() const { return stream_; }
  const Device& device() const { return device_; }

  /// Two events in the stream, whose distance is added when the stream has been waited for; in a repetition that is
  /// being recorded, a lap of the repetition's own clock.
  class Stopwatch {
   public:
    Stopwatch(CudaBackend& backend, double& seconds) : backend_(backend), interval_(backend.begin(seconds)) {}
    ~Stopwatch() { backend_.end(interval_); }
    Stopwatch(const Stopwatch&) = delete;
    Stopwatch& operator=(const Stopwatch&) = delete;

   private:
    friend class CudaBackend;
    CudaBackend& backend_;
    struct Interval {
      cudaEvent_t begin, end;
      double* seconds;
      int lap;  // of the recorded repetition
    } interval_;
  };

  Stopwatch stopwatch(double& seconds) { return Stopwatch(*this, seconds); }

 private:
  using Interval = Stopwatch::Interval;
  static constexpr int max_terms = 2;

  cudaError_t wait_for_stream() {
    const DeviceWait wait;
    return cudaStreamSynchronize(stream_);
  }

  /// The call may wait for all that was enqueued, as it does where host memory is not pinned.
  void copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
    const DeviceWait wait;
    cuda_check(cudaMemcpyAsync(to, from, bytes, kind, stream_));
  }

  template <class Operation, int N, class Body, class Then>
  void reduce(Index n, Real* result, const Body& body, const Then& then) {
    static_assert(N <= max_terms);
    const Index blocks = std::clamp<Index>(n / cuda::threads, 1, cuda::max_reduction_blocks);
    cuda::reduce_kernel<Operation, N><<<static_cast<unsigned>(blocks), cuda::threads, 0, stream_>>>(
        n, body, then, partials_.data(), arrived_.data(), result);
    cuda_check(cudaGetLastError());
  }

  /// Lives while a repetition is being recorded for a graph.
  class Recording {
   public:
    Recording(CudaBackend& backend, Repetition& repetition) : backend_(backend) { backend_.recorded_ = &repetition; }
    ~Recording() { backend_.recorded_ = nullptr; }
    Recording(const Recording&) = delete;
    Recording& operator=(const Recording&) = delete;

   private:
    CudaBackend& backend_;
  };

  /// What is repeated has a stream of its own, which stands for stream_ as long as body() is being recorded.
  class Inside {
   public:
    explicit Inside(CudaBackend& backend) : backend_(backend), outside_(backend.stream_) {
      cudaStream_t stream = nullptr;
      cuda_check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
      backend_.stream_ = stream;
    }
    ~Inside() {
      cudaStreamDestroy(backend_.stream_);
      backend_.stream_ = outside_;
    }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
    cudaStream_t outside() const { return outside_; }

   private:
    CudaBackend& backend_;
    cudaStream_t outside_;
  };

  template <class Body>
  void record(const int* go_on, const Body& body, int calls) {
    recorded_->end_laps(stream_);
    const Inside inside(*this);
    cuda::capture_repetition(inside.outside(), stream_, go_on, calls, [&] {
      body();
      recorded_->end_laps(stream_);
    });
  }

  Interval begin(double& seconds) {
    if (recorded_ != nullptr) {
      return {nullptr, nullptr, &seconds, recorded_->begin_lap(stream_, seconds)};
    }
    Interval interval{};
    if (spare_.empty()) {
      cuda_check(cudaEventCreate(&interval.begin));
      cuda_check(cudaEventCreate(&interval.end));
    } else {
      interval = spare_.back();
      spare_.pop_back();
    }
    interval.seconds = &seconds;
    cuda_check(cudaEventRecord(interval.begin, stream_));
    return interval;
  }

  void end(const Interval& interval) {
    if (recorded_ != nullptr) {
      recorded_->end_lap(interval.lap);
      return;
    }
    cudaEventRecord(interval.end, stream_);
    try {
      pending_.push_back(interval);
    } catch (const std::bad_alloc&) {  // its time is not counted
      destroy(interval);
    }
  }

  void settle_intervals() {
    for (const Interval& interval : pending_) {
      float milliseconds = 0;
      if (cudaEventElapsedTime(&milliseconds, interval.begin, interval.end) == cudaSuccess)
        *interval.seconds += 1e-3 * milliseconds;
      spare_.push_back(interval);
    }
    pending_.clear();
  }

  static void destroy(const Interval& interval) {
    cudaEventDestroy(interval.begin);
    cudaEventDestroy(interval.end);
  }

  Device device_;
  unsigned most_loop_threads_ = 0;  ///< 0: as the bodies ask for
  cudaStream_t stream_ = nullptr;
  void* host_ = nullptr;  // pinned, [largest_read] bytes
  Buffer<Real> partials_;
  Buffer<unsigned> arrived_;
  std::vector<Interval> pending_, spare_;
  Repetition* recorded_ = nullptr;  // the outermost
};

static_assert(Backend<CudaBackend>);

}  // namespace cardiowarp
