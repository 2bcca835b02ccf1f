#include "app/process/memory_reserve.hpp"

#include <omp.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace cardiowarp {
namespace {

constexpr std::size_t reserve_bytes = std::size_t{4} << 20;

std::atomic<void*> reserve = nullptr;

/// GCC's OpenMP ends the program where it gets no memory for the settings of a thread, for which it asks when they are
/// first changed. Those of the main thread are there before main() begins.
[[maybe_unused]] const bool has_settings_of_openmp = [] {
  omp_set_num_threads(omp_get_max_threads());
  return true;
}();

/// What operator new calls before it tries again.
void give_up_reserve() {
  void* const memory = reserve.exchange(nullptr);
  if (memory == nullptr) throw std::bad_alloc();
  std::free(memory);
}

}  // namespace

void hold_memory_reserve() {
  renew_memory_reserve();
  std::set_new_handler(give_up_reserve);
}

void renew_memory_reserve() noexcept {
  if (reserve.load(std::memory_order_relaxed) != nullptr) return;
  void* const memory = std::malloc(reserve_bytes);
  void* none = nullptr;
  if (memory != nullptr && !reserve.compare_exchange_strong(none, memory)) std::free(memory);
}

}  // namespace cardiowarp
