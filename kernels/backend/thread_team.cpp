#include "kernels/backend/thread_team.hpp"

#include <linux/futex.h>
#include <omp.h>
#include <sched.h>
#include <strings.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace cardiowarp {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

/// Longer than the work of one thread between two loops of a step; what a thread costs others when it waits in vain.
constexpr microseconds longest_look{100};

/// A thread that computes without others beside it is switched involuntarily a few times a second; one that shares its
/// processor each time its slice is over, after 3 to 6 ms.
constexpr milliseconds between_judgments{20};
constexpr double switches_a_second_when_busy = 50;  // a thread

/// To wake a thread takes as long as a small chunk, so that chunks are larger where threads sleep at once.
constexpr std::int64_t times_least_when_busy = 8;

void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// A chunk of the present loop: `offered` by the caller, then `taken` by its thread and `idle` when that is done, or
/// taken back by the caller.
enum State : std::uint32_t { idle, offered, taken };

/// A number that is waited for.
class Signal {
 public:
  std::uint32_t value() const { return value_.load(std::memory_order_acquire); }

  /// False, and nothing changed, where the number is not `from`. Wakes nobody.
  bool exchange(std::uint32_t from, std::uint32_t to) {
    return value_.compare_exchange_strong(from, to, std::memory_order_acq_rel);
  }

  /// Sets the number and wakes who sleeps. Either this sees the sleeper or the sleeper sees the number (both are
  /// sequentially consistent).
  void set(std::uint32_t value) {
    value_.store(value);
    if (sleepers_.load() > 0) futex(FUTEX_WAKE_PRIVATE, 2, nullptr);  // the thread and the caller
  }

  /// Returns once the number is not `value`, or after `limit`; looks for up to `look`, then sleeps.
  void wait_while(std::uint32_t value, nanoseconds look, std::optional<nanoseconds> limit = {}) {
    if (look > nanoseconds{0}) {
      const Clock::time_point end = Clock::now() + (limit ? std::min(look, *limit) : look);
      do {
        for (int k = 0; k < 16; ++k) {
          if (this->value() != value) return;
          relax();
        }
      } while (Clock::now() < end);
      if (limit && *limit <= look) return;
    }
    sleepers_.fetch_add(1);
    if (limit) {
      const timespec time{0, std::min<nanoseconds>(*limit, milliseconds{999}).count()};
      futex(FUTEX_WAIT_PRIVATE, value, &time);
    } else {
      while (value_.load() == value) futex(FUTEX_WAIT_PRIVATE, value, nullptr);
    }
    sleepers_.fetch_sub(1);
  }

 private:
  void futex(int operation, std::uint32_t value, const timespec* time) {
    static_assert(sizeof value_ == sizeof(std::uint32_t));
    syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&value_), operation, value, time, nullptr, 0);
  }

  std::atomic<std::uint32_t> value_{idle};
  std::atomic<int> sleepers_{0};
};

/// One thread of the team but the caller, in cache lines of its own.
struct alignas(128) Worker {
  Signal state;
  RunChunk run_chunk = nullptr;  ///< this and what follows belongs to the caller while idle, to the thread while taken
  const void* loop = nullptr;
  int index = 0;
  std::exception_ptr error;  ///< what the chunk has thrown
};

/// Runs a chunk; what it throws, or null.
std::exception_ptr error_of(RunChunk run_chunk, const void* loop, int chunk) noexcept {
  try {
    run_chunk(loop, chunk);
    return nullptr;
  } catch (...) {
    return std::current_exception();
  }
}

/// Whether others want this process's processors, judged by how often it lost one.
class Busyness {
 public:
  /// `threads` are to compute now.
  bool judge(Clock::time_point now, int threads) {
    most_threads_ = std::max(most_threads_, threads);
    if (now < next_) return busy_;
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const double seconds = std::chrono::duration<double>(now - last_).count();
    busy_ = static_cast<double>(usage.ru_nivcsw - switches_) > switches_a_second_when_busy * most_threads_ * seconds;
    most_threads_ = 1;
    switches_ = usage.ru_nivcsw;
    last_ = now;
    next_ = now + between_judgments;
    return busy_;
  }

 private:
  Clock::time_point last_{}, next_{};
  long switches_ = 0;
  int most_threads_ = 1;  ///< since the last judgment
  bool busy_ = false;
};

/// The processors that OpenMP binds its thread `index` to, where the user binds them: the calling thread, from which
/// others inherit, is bound to those of the first. The caller asks for its threads: LLVM's OpenMP enters a thread that
/// asks for anything in its books, and aborts a program that ends meanwhile.
std::optional<cpu_set_t> processors_of_openmp(int index) {
  const int places = omp_get_num_places();
  if (places == 0) return std::nullopt;
  const int place = index % places;
  std::vector<int> processors(omp_get_place_num_procs(place));
  omp_get_place_proc_ids(place, processors.data());
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int processor : processors) CPU_SET(processor, &set);
  return set;
}

class Team {
 public:
  int chunks(std::int64_t n, std::int64_t least) {
    const int threads = omp_get_max_threads();
    const auto most = [&](std::int64_t a_chunk) {
      return static_cast<int>(std::clamp<std::int64_t>(n / a_chunk + (n % a_chunk != 0), 1, threads));
    };
    const int chunks = most(least);
    if (chunks == 1 || policy_ != Policy::automatic || look_.load(std::memory_order_relaxed) > nanoseconds{0})
      return chunks;
    const int few = most(least * times_least_when_busy);
    if (few == 1 && !running_.test_and_set(std::memory_order_acquire)) {  // run() will not see whether it still is busy
      look_.store(look(Clock::now(), 1), std::memory_order_relaxed);
      running_.clear(std::memory_order_release);
    }
    return few;
  }

  /// What a chunk throws is thrown once all have ended: until then they work with what is on the caller's stack.
  void run(int chunks, RunChunk run_chunk, const void* loop) {
    const bool alone = !running_.test_and_set(std::memory_order_acquire);
    const int helped = alone ? start_workers(chunks - 1) : 0;
    const Clock::time_point begin = Clock::now();
    if (helped > 0) look_.store(look(begin, chunks), std::memory_order_relaxed);
    for (int k = 1; k <= helped; ++k) {
      Worker& worker = *workers_[k - 1];
      worker.run_chunk = run_chunk;
      worker.loop = loop;
      worker.index = k;
      worker.state.set(offered);
    }
    std::exception_ptr error = error_of(run_chunk, loop, 0);
    for (int k = helped + 1; k < chunks && !error; ++k) error = error_of(run_chunk, loop, k);
    if (helped > 0) finish(helped, run_chunk, loop, Clock::now() - begin, error);
    if (alone) running_.clear(std::memory_order_release);
    if (error) std::rethrow_exception(std::move(error));
  }

 private:
  /// `error` gets what a thread has thrown where it is null.
  void finish(int helped, RunChunk run_chunk, const void* loop, nanoseconds own, std::exception_ptr& error) noexcept {
    const auto keep = [&](std::exception_ptr thrown) {
      if (thrown && !error) error = std::move(thrown);
    };
    const nanoseconds look = look_.load(std::memory_order_relaxed);
    const Clock::time_point end = Clock::now() + own;
    for (int k = 1; k <= helped; ++k) {
      Signal& state = workers_[k - 1]->state;
      if (state.value() != offered) continue;
      const nanoseconds left = end - Clock::now();
      if (left > nanoseconds{0}) state.wait_while(offered, look, left);
      if (state.exchange(offered, idle)) keep(error_of(run_chunk, loop, k));
    }
    for (int k = 1; k <= helped; ++k) {
      workers_[k - 1]->state.wait_while(taken, look);
      keep(std::exchange(workers_[k - 1]->error, nullptr));
    }
  }

  nanoseconds look(Clock::time_point now, int threads) {
    if (policy_ == Policy::passive) return nanoseconds{0};
    return policy_ == Policy::automatic && busyness_.judge(now, threads) ? nanoseconds{0} : longest_look;
  }

  /// How many there are, at most `wanted`.
  int start_workers(int wanted) noexcept {
    while (static_cast<int>(workers_.size()) < wanted && !no_more_) {
      // A sleep is for as long as a chunk of a loop takes, not for 50 µs more.
      if (workers_.empty()) prctl(PR_SET_TIMERSLACK, 1000UL, 0UL, 0UL, 0UL);
      try {
        auto worker = std::make_unique<Worker>();
        const std::size_t index = workers_.size() + 1;
        workers_.reserve(index);  // a thread that has begun keeps its worker
        const std::optional<cpu_set_t> processors = processors_of_openmp(static_cast<int>(index));
        std::thread(&Team::work, this, std::ref(*worker), processors).detach();
        workers_.push_back(std::move(worker));
      } catch (const std::exception&) {  // of the system or for want of memory
        no_more_ = true;
      }
    }
    return std::min(wanted, static_cast<int>(workers_.size()));
  }

  void work(Worker& worker, const std::optional<cpu_set_t>& processors) noexcept {
    if (processors) sched_setaffinity(0, sizeof *processors, &*processors);
    for (;;) {
      worker.state.wait_while(idle, look_.load(std::memory_order_relaxed));
      if (!worker.state.exchange(offered, taken)) continue;
      worker.error = error_of(worker.run_chunk, worker.loop, worker.index);
      worker.state.set(idle);
    }
  }

  enum class Policy { automatic, active, passive };
  static Policy policy_of_user() {
    const char* const policy = std::getenv("OMP_WAIT_POLICY");
    if (policy != nullptr && strcasecmp(policy, "passive") == 0) return Policy::passive;
    if (policy != nullptr && strcasecmp(policy, "active") == 0) return Policy::active;
    return Policy::automatic;
  }

  const Policy policy_ = policy_of_user();
  Busyness busyness_;
  std::atomic<nanoseconds> look_{longest_look};
  std::atomic_flag running_;
  std::vector<std::unique_ptr<Worker>> workers_;
  bool no_more_ = false;
};

/// Never destroyed: its threads are still there when the program ends.
Team& team() {
  static Team* const all = new Team;
  return *all;
}

}  // namespace

int chunks_of_loop(std::int64_t n, std::int64_t least) { return team().chunks(n, least); }

void run_chunks(int chunks, RunChunk run_chunk, const void* loop) { team().run(chunks, run_chunk, loop); }

}  // namespace cardiowarp
