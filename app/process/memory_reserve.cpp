#include "app/process/memory_reserve.hpp"

#include <dlfcn.h>
#include <omp.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CARDIOWARP_OWN_MALLOC
#endif

namespace cardiowarp {
namespace {

/// GCC's OpenMP ends the program where it gets no memory for the settings of a thread, for which it asks when they are
/// first changed. Those of the main thread are there before main() begins.
[[maybe_unused]] const bool has_settings_of_openmp = [] {
  omp_set_num_threads(omp_get_max_threads());
  return true;
}();

#ifdef CARDIOWARP_OWN_MALLOC

constexpr std::size_t reserve_bytes = std::size_t{4} << 20;

constinit std::atomic<void*> reserve = nullptr;

/// A function of the C library, or of a library that is loaded before it, by the name that one here hides. Found when
/// it is first called, which is before main() and before static objects are made.
template <class Function>
class Hidden {
 public:
  explicit constexpr Hidden(const char* name) : name_(name) {}

  template <class... Arguments>
  auto operator()(Arguments... arguments) {
    Function* function = found_.load(std::memory_order_relaxed);
    if (function == nullptr) {
      function = reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name_));
      found_.store(function, std::memory_order_relaxed);
    }
    return function(arguments...);
  }

 private:
  const char* name_;
  std::atomic<Function*> found_ = nullptr;
};

constinit Hidden<void*(std::size_t)> hidden_malloc("malloc");
constinit Hidden<void*(std::size_t, std::size_t)> hidden_calloc("calloc");
constinit Hidden<void*(void*, std::size_t)> hidden_realloc("realloc");
constinit Hidden<void*(std::size_t, std::size_t)> hidden_aligned_alloc("aligned_alloc");
constinit Hidden<int(void**, std::size_t, std::size_t)> hidden_posix_memalign("posix_memalign");

/// Whether there was a reserve.
bool give_up_reserve() {
  void* const memory = reserve.exchange(nullptr);
  std::free(memory);
  return memory != nullptr;
}

/// The memory that `allocate` gets, with the help of the reserve where it gets none.
template <class Allocate>
void* with_reserve(const Allocate& allocate) {
  void* const memory = allocate();
  return memory == nullptr && give_up_reserve() ? allocate() : memory;
}

#endif

}  // namespace

void hold_memory_reserve() noexcept {
#ifdef CARDIOWARP_OWN_MALLOC
  if (reserve.load(std::memory_order_relaxed) != nullptr) return;
  void* const memory = hidden_malloc(reserve_bytes);
  void* none = nullptr;
  if (memory != nullptr && !reserve.compare_exchange_strong(none, memory)) std::free(memory);
#endif
}

}  // namespace cardiowarp

#ifdef CARDIOWARP_OWN_MALLOC

extern "C" {

void* malloc(std::size_t bytes) noexcept {
  return cardiowarp::with_reserve([=] { return cardiowarp::hidden_malloc(bytes); });
}

void* calloc(std::size_t count, std::size_t bytes) noexcept {
  return cardiowarp::with_reserve([=] { return cardiowarp::hidden_calloc(count, bytes); });
}

void* realloc(void* memory, std::size_t bytes) noexcept {
  if (bytes == 0) return cardiowarp::hidden_realloc(memory, bytes);  // which frees, and returns nothing
  return cardiowarp::with_reserve([=] { return cardiowarp::hidden_realloc(memory, bytes); });
}

void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
  return cardiowarp::with_reserve([=] { return cardiowarp::hidden_aligned_alloc(alignment, bytes); });
}

int posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) noexcept {
  const int error = cardiowarp::hidden_posix_memalign(memory, alignment, bytes);
  return error == ENOMEM && cardiowarp::give_up_reserve() ? cardiowarp::hidden_posix_memalign(memory, alignment, bytes)
                                                          : error;
}

}  // extern "C"

#endif
