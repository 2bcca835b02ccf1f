#pragma once
#include <cstddef>
#include <memory>
#include <span>

#include "app/simulation/outbox.hpp"
#include "kernels/backend/cuda_backend.cuh"

namespace cardiowarp {

// Brings the numbers of a frame from a GPU to the host beside the computation: the copy has a stream of its own and
// goes to memory that is locked in its place (pinned), so that the call returns at once. An event says when they are
// there; the thread that writes the frame waits for it. The next loop that overwrites them on the GPU waits for the
// copy.

namespace cuda {

/// A CUDA event without a time. A thread that waits for it sleeps.
class Event {
 public:
  Event() { cuda_check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming | cudaEventBlockingSync)); }
  ~Event() { cudaEventDestroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void record(cudaStream_t stream) { cuda_check(cudaEventRecord(event_, stream)); }
  /// Work that is enqueued in `stream` from now on waits for it; not where it was never recorded.
  void hold(cudaStream_t stream) const { cuda_check(cudaStreamWaitEvent(stream, event_, 0)); }
  cudaError_t wait() const {
    const DeviceWait wait;
    return cudaEventSynchronize(event_);
  }

 private:
  cudaEvent_t event_ = nullptr;
};

/// Pinned memory on the host.
class PinnedSingles final : public SinglesUnderWay {
 public:
  explicit PinnedSingles(std::size_t size) : size_(size) {
    cuda_check(cudaMallocHost(&memory_, std::max<std::size_t>(1, size) * sizeof(float)));
  }
  ~PinnedSingles() override {
    arrived_.wait();
    cudaFreeHost(memory_);
  }

  void await() override { cuda_check(arrived_.wait()); }
  std::span<const float> values() const override { return {static_cast<const float*>(memory_), size_}; }

  std::size_t size() const { return size_; }
  /// Enqueues the copy from `device`.
  void fetch(const float* device, cudaStream_t stream) {
    const DeviceWait wait;
    cuda_check(cudaMemcpyAsync(memory_, device, size_ * sizeof(float), cudaMemcpyDeviceToHost, stream));
    arrived_.record(stream);
  }

 private:
  Event arrived_;
  std::size_t size_;
  void* memory_ = nullptr;
};

}  // namespace cuda

template <>
class Courier<CudaBackend> {
 public:
  Courier() { cuda_check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  ~Courier() {
    sent_.wait();
    cudaStreamDestroy(stream_);
  }
  Courier(const Courier&) = delete;
  Courier& operator=(const Courier&) = delete;

  void send(CudaBackend& backend, Index n, const RoundPotential& body, std::unique_ptr<SinglesUnderWay>& singles) {
    const auto size = static_cast<std::size_t>(n);
    auto* pinned = dynamic_cast<cuda::PinnedSingles*>(singles.get());
    if (pinned == nullptr || pinned->size() != size) {
      auto made = std::make_unique<cuda::PinnedSingles>(size);
      pinned = made.get();
      singles = std::move(made);
    }
    sent_.hold(backend.stream());
    backend.for_each(n, body);
    made_.record(backend.stream());
    made_.hold(stream_);
    pinned->fetch(body.single, stream_);
    sent_.record(stream_);
  }

 private:
  cuda::Event made_, sent_;  ///< the numbers on the GPU, and their copy
  cudaStream_t stream_ = nullptr;
};

}  // namespace cardiowarp
