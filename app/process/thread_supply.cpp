#include "app/process/thread_supply.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cstdlib>
#include <latch>
#include <new>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "fem/input_error.hpp"

namespace cardiowarp {
namespace {

/// How many threads, this one with them, can be there at the same time, up to `wanted`, and why no more.
struct Supply {
  int threads = 1;
  std::string reason;
};

Supply threads_at_once(int wanted) {
  Supply supply;
  std::latch all_started(1);
  std::vector<std::thread> started;
  started.reserve(static_cast<std::size_t>(std::max(wanted, 0)));
  try {
    for (; supply.threads < wanted; ++supply.threads) started.emplace_back([&] { all_started.wait(); });
  } catch (const std::system_error& error) {
    supply.reason = error.code().message();
  } catch (const std::bad_alloc&) {
    supply.reason = "out of memory";
  }
  all_started.count_down();
  for (std::thread& thread : started) thread.join();
  return supply;
}

}  // namespace

void keep_vtk_to_one_thread() { setenv("VTK_SMP_MAX_THREADS", "1", 0); }

void require_threads() {
  const int wanted = std::min(omp_get_max_threads(), omp_get_thread_limit());
  const Supply supply = threads_at_once(wanted);
  if (supply.threads < wanted)
    throw InputError(
        fmt::format("threads: expected at most {}, as no more can be started ({}), got {}; --threads sets "
                    "their number",
                    supply.threads, supply.reason, wanted));
}

}  // namespace cardiowarp
