#pragma once
#include <algorithm>
#include <cstddef>
#include <new>
#include <type_traits>
#include <vector>

namespace cardiowarp {

// The memory of a large array in host memory that the thread team (thread_team.hpp) fills. A std::vector fills its
// memory with zeros, by one thread, before anybody can write to it, and the system hands out memory a page of 4 KiB at
// a time, when it is first touched. For an array of some hundred megabytes either takes longer than all that sixteen
// threads then write. A TeamVector leaves out the zeros, so its pages belong to the threads that write first, and asks
// for pages of 2 MiB, where the system has them.

/// Aligned to 2 MiB and with large pages where there are at least so many bytes. Throws std::bad_alloc.
void* allocate_large(std::size_t bytes);
/// Frees what allocate_large() has returned for so many bytes.
void free_large(void* memory, std::size_t bytes) noexcept;

/// The allocator of TeamVector, for numbers.
template <class T>
struct UnfilledMemory {
  static_assert(std::is_trivially_copyable_v<T>);
  using value_type = T;  // NOLINT(readability-identifier-naming): as allocators have it

  UnfilledMemory() = default;
  template <class Other>
  UnfilledMemory(const UnfilledMemory<Other>& /*other*/) {}  // NOLINT(google-explicit-constructor): as allocators are

  T* allocate(std::size_t size) {
    if (size > static_cast<std::size_t>(-1) / sizeof(T)) throw std::bad_array_new_length();
    return static_cast<T*>(allocate_large(size * sizeof(T)));
  }
  void deallocate(T* memory, std::size_t size) noexcept { free_large(memory, size * sizeof(T)); }

  /// An element that is given no value gets none.
  template <class Element>
  void construct(Element* element) noexcept {
    ::new (static_cast<void*>(element)) Element;
  }
  template <class Element, class... Values>
  void construct(Element* element, const Values&... values) noexcept {
    ::new (static_cast<void*>(element)) Element(values...);
  }

  friend bool operator==(const UnfilledMemory& /*a*/, const UnfilledMemory& /*b*/) { return true; }
};

/// A vector of numbers that are unknown until they are written: TeamVector<T>(n), and resize(n) for those that are new.
template <class T>
using TeamVector = std::vector<T, UnfilledMemory<T>>;

/// Whether both have the same elements.
template <class T>
bool operator==(const TeamVector<T>& a, const std::vector<T>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

}  // namespace cardiowarp
