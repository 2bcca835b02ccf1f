#pragma once
#include <cstddef>

#include "kernels/backend/backend.hpp"

namespace cardiowarp {

/// A backend (backend.hpp) that counts the bytes which are allocated and does nothing else. A simulation that is built
/// on it tells how much memory the same simulation needs on a GPU, before one is touched: backend_bytes()
/// (app/simulation/simulation_plan.hpp). A buffer has one element of real memory, since some callers take the address
/// of a member of it.
class SizingBackend {
 public:
  template <class T>
  Buffer<T> allocate(std::size_t size) {
    constexpr std::size_t granularity = 512;  // of cudaMalloc
    bytes_ += (size * sizeof(T) + granularity - 1) / granularity * granularity;
    return Buffer<T>(new T{}, size, [](T* element) noexcept { delete element; });
  }
  template <class T>
  void upload(std::span<const T>, T*) {}
  template <class T>
  void download(const T*, std::span<T>) {}
  template <class Body>
  void for_each(Index, const Body&) {}
  template <int N, class Body, class Then = Nothing>
  void sum(Index, Real*, const Body&, const Then& = {}) {}
  template <class Body, class Then = Nothing>
  void maximum(Index, Real*, const Body&, const Then& = {}) {}
  struct Repetition {};
  template <class Body>
  void repeat_while(Repetition&, const int*, const Body&, int = 1) {}
  template <class T>
  T read(const T*) {
    return {};
  }
  void synchronize() {}
  void settle(Repetition&) {}
  struct [[maybe_unused]] Stopwatch {};
  Stopwatch stopwatch(double&) { return {}; }

  std::size_t bytes() const { return bytes_; }

 private:
  std::size_t bytes_ = 0;
};

static_assert(Backend<SizingBackend>);

}  // namespace cardiowarp
