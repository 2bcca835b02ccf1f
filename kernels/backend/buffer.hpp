#pragma once
#include <cstddef>
#include <utility>

namespace cardiowarp {

/// Owns `size` values of T in the memory of the backend whose allocate() has made it (backend.hpp), and frees them at
/// its end. It is moved, not copied; views (`...View`) hold its pointer and must not outlive it.
template <class T>
class Buffer {
 public:
  using Release = void (*)(T*) noexcept;

  Buffer() = default;
  Buffer(T* data, std::size_t size, Release release) : data_(data), size_(size), release_(release) {}
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    Buffer(std::move(other)).swap(*this);
    return *this;
  }
  ~Buffer() {
    if (data_) release_(data_);
  }

  T* data() const { return data_; }
  std::size_t size() const { return size_; }

  void swap(Buffer& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(release_, other.release_);
  }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
  Release release_ = nullptr;
};

}  // namespace cardiowarp
