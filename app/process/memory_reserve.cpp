#include "app/process/memory_reserve.hpp"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace cardiowarp {
namespace {

constexpr std::size_t reserve_bytes = std::size_t{4} << 20;

std::atomic<void*> reserve = nullptr;

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
