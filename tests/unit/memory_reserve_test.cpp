#include "app/process/memory_reserve.hpp"

#include <gtest/gtest.h>
#include <omp.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <new>
#include <stdexcept>
#include <vector>

#include "kernels/backend/sanitizers.hpp"

/// The name of what OpenCASCADE throws.
struct Standard_OutOfMemory {};

namespace cardiowarp {
namespace {

constexpr std::size_t three_megabytes = std::size_t{3} << 20;

class MemoryReserve : public testing::Test {
 protected:
  void SetUp() override {
#ifdef CARDIOWARP_MALLOC_OF_SANITIZER
    GTEST_SKIP() << "the sanitizer has a malloc of its own";
#endif
  }
};

/// Lets the process have one and a half megabytes of addresses more than it has, which is less than is asked for.
void have_little_more_memory() {
  std::FILE* const file = std::fopen("/proc/self/statm", "r");
  unsigned long pages = 0;
  if (file == nullptr || std::fscanf(file, "%lu", &pages) != 1) _exit(99);
  std::fclose(file);
  const rlim_t bytes = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + (3 << 19);
  const rlimit limit{bytes, RLIM_INFINITY};
  if (setrlimit(RLIMIT_AS, &limit) != 0) _exit(98);
}

/// Ends with code 0 where three megabytes can be had once from the reserve, and once more when it is renewed.
template <class Allocate>
[[noreturn]] void take_reserve(const Allocate& allocate) {
  for (const int round : {0, 1}) {
    hold_memory_reserve();
    have_little_more_memory();
    hold_memory_reserve();              // without effect
    void* volatile first = allocate();  // volatile: a compiler may take for granted what an allocation gives
    void* volatile second = allocate();
    if (first == nullptr) _exit(1 + 2 * round);
    if (second != nullptr) _exit(2 + 2 * round);
    const rlimit none{RLIM_INFINITY, RLIM_INFINITY};
    setrlimit(RLIMIT_AS, &none);
  }
  _exit(0);
}

TEST_F(MemoryReserve, IsGivenToTheFirstAllocationThatFailsAndCanBeRenewed) {
  EXPECT_EXIT(take_reserve([] { return std::malloc(three_megabytes); }), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(take_reserve([] { return std::calloc(3, three_megabytes / 3); }), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(take_reserve([] { return std::realloc(nullptr, three_megabytes); }), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(take_reserve([] { return std::aligned_alloc(64, three_megabytes); }), testing::ExitedWithCode(0), "");
  const auto by_posix = [] {
    void* memory = nullptr;
    return posix_memalign(&memory, 128, three_megabytes) == 0 ? memory : nullptr;
  };
  EXPECT_EXIT(take_reserve(by_posix), testing::ExitedWithCode(0), "");
}

/// Ends with code 0 where the reserve is still there after realloc() has freed what it was given.
[[noreturn]] void free_by_realloc(std::size_t (*no_bytes)()) {
  hold_memory_reserve();
  have_little_more_memory();
  if (std::realloc(std::malloc(17), no_bytes()) != nullptr) _exit(1);
  void* volatile first = std::malloc(three_megabytes);
  void* volatile second = std::malloc(three_megabytes);
  _exit(first != nullptr && second == nullptr ? 0 : 2);
}

TEST_F(MemoryReserve, IsNotAskedWhereReallocFrees) {
  EXPECT_EXIT(free_by_realloc([] { return std::size_t{0}; }), testing::ExitedWithCode(0), "");
}

/// Takes every piece of memory that malloc can give, so that the next call of it gets none, and changes OpenMP's number
/// of threads.
[[noreturn]] void set_threads_without_memory() {
  const rlimit none{0, 0};
  setrlimit(RLIMIT_AS, &none);
  for (std::size_t bytes = std::size_t{1} << 20; bytes >= 8; bytes = bytes > 1024 ? bytes / 2 : bytes - 8)
    for (void* volatile memory = std::malloc(bytes); memory != nullptr;) memory = std::malloc(bytes);
  omp_set_num_threads(2);
  _exit(omp_get_max_threads() == 2 ? 0 : 9);
}

TEST_F(MemoryReserve, IsNotAskedByTheSettingsOfOpenmp) {
  hold_memory_reserve();
  EXPECT_EXIT(set_threads_without_memory(), testing::ExitedWithCode(0), "");
}

TEST_F(MemoryReserve, EndsAnAllocationThatIsTooLargeWithAnException) {
  hold_memory_reserve();
  std::vector<char> memory;
  EXPECT_THROW(memory.resize(std::numeric_limits<std::ptrdiff_t>::max() - 1000), std::bad_alloc);
  EXPECT_NO_THROW(memory.resize(1000));
}

/// What is destroyed may not throw: an exception ends the process.
struct CallsWhenDestroyed {
  void (*throws)();
  ~CallsWhenDestroyed() { throws(); }
};

void destroy_what_throws(void (*throws)()) {
  end_in_words_where_memory_runs_out();
  end_in_words_where_memory_runs_out();  // once more without effect
  const CallsWhenDestroyed destroyed{throws};
}

TEST(MemoryThatRunsOut, EndsInWordsAlsoWhereNothingIsCaught) {
  EXPECT_EXIT(destroy_what_throws([] { throw std::bad_alloc(); }), testing::ExitedWithCode(4),
              "^error: out of memory\n$");
  EXPECT_EXIT(destroy_what_throws([] { throw Standard_OutOfMemory(); }), testing::ExitedWithCode(4),
              "^error: out of memory\n$");
  EXPECT_EXIT(destroy_what_throws([] { throw std::runtime_error("not of memory"); }), testing::KilledBySignal(SIGABRT),
              "not of memory");
}

}  // namespace
}  // namespace cardiowarp
