#include "app/process/memory_reserve.hpp"

#include <cxxabi.h>
#include <dlfcn.h>
#include <omp.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <typeinfo>

#include "app/process/exit_code.hpp"
#include "app/process/standard_streams.hpp"
#include "kernels/backend/sanitizers.hpp"

namespace cardiowarp {
namespace {

/// GCC's OpenMP ends the program where it gets no memory for the settings of a thread, for which it asks when they are
/// first changed. Those of the main thread are there before main() begins.
[[maybe_unused]] const bool has_settings_of_openmp = [] {
  omp_set_num_threads(omp_get_max_threads());
  return true;
}();

std::terminate_handler usual_end = nullptr;

/// Also what OpenCASCADE throws, which is no std::bad_alloc, where it gets no memory while Gmsh is loaded.
bool tells_of_memory(const std::type_info& type) {
  return type == typeid(std::bad_alloc) || std::strcmp(type.name(), "20Standard_OutOfMemory") == 0;
}

[[noreturn]] void end_process() {
  const std::type_info* const type = abi::__cxa_current_exception_type();
  if (type != nullptr && tells_of_memory(*type)) {
    write_message("error: out of memory\n");
    std::_Exit(static_cast<int>(ExitCode::device_failure));
  }
  usual_end();
  std::abort();
}

#ifndef CARDIOWARP_MALLOC_OF_SANITIZER

static_assert(__GLIBC_PREREQ(2, 34), "dlsym() of older C libraries allocates, and would be called by itself");

constexpr std::size_t reserve_bytes = std::size_t{4} << 20;

constinit std::atomic<void*> reserve = nullptr;

/// A function of the C library, or of a library that is loaded before it, by the name that one here hides. Found when
/// it is first called, for which no memory is needed.
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

void give_up_reserve() { std::free(reserve.exchange(nullptr)); }

/// The memory that `allocate` gets, with the help of the reserve where it gets none. It is asked again also where the
/// reserve is gone: another thread may have given it up at the same moment.
template <class Allocate>
void* with_reserve(const Allocate& allocate) {
  if (void* const memory = allocate()) return memory;
  give_up_reserve();
  return allocate();
}

#endif

}  // namespace

void hold_memory_reserve() noexcept {
#ifndef CARDIOWARP_MALLOC_OF_SANITIZER
  if (reserve.load(std::memory_order_relaxed) != nullptr) return;
  void* const memory = hidden_malloc(reserve_bytes);
  void* none = nullptr;
  if (memory != nullptr && !reserve.compare_exchange_strong(none, memory)) std::free(memory);
#endif
}

void end_in_words_where_memory_runs_out() noexcept {
  const std::terminate_handler before = std::set_terminate(&end_process);
  if (before != &end_process) usual_end = before;
}

}  // namespace cardiowarp

#ifndef CARDIOWARP_MALLOC_OF_SANITIZER

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
  if (error != ENOMEM) return error;
  cardiowarp::give_up_reserve();
  return cardiowarp::hidden_posix_memalign(memory, alignment, bytes);
}

}  // extern "C"

#endif
