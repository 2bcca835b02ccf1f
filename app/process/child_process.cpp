#include "app/process/child_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <omp.h>
#include <sched.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <thread>

#include "fem/input_error.hpp"
#include "kernels/backend/device_error.hpp"

namespace cardiowarp {
namespace {

/// While this lives, this thread, and a process that it starts, may use the processors of all OpenMP threads: where
/// OpenMP binds its threads (OMP_PROC_BIND) this one has a single place.
class ProcessorsOfAllThreads {
 public:
  ProcessorsOfAllThreads() {
    const int places = omp_get_num_places();  // 0: not bound
    if (places == 0 || sched_getaffinity(0, sizeof before_, &before_) != 0) return;
    cpu_set_t all = before_;
    for (int place = 0; place < places; ++place) {
      std::vector<int> processors(omp_get_place_num_procs(place));
      omp_get_place_proc_ids(place, processors.data());
      for (const int processor : processors) CPU_SET(processor, &all);
    }
    changed_ = sched_setaffinity(0, sizeof all, &all) == 0;
  }
  ProcessorsOfAllThreads(const ProcessorsOfAllThreads&) = delete;
  ProcessorsOfAllThreads& operator=(const ProcessorsOfAllThreads&) = delete;
  ~ProcessorsOfAllThreads() {
    if (changed_) sched_setaffinity(0, sizeof before_, &before_);
  }

 private:
  cpu_set_t before_{};
  bool changed_ = false;
};

std::vector<char*> null_terminated(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));  // POSIX only reads them
  pointers.push_back(nullptr);
  return pointers;
}

pid_t spawn(const std::vector<std::string>& words, const std::vector<std::string>& environment,
            const std::filesystem::path& errors) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  // A group of its own: an interrupt at the terminal reaches it once, from here.
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setpgroup(&attributes, 0);
  // What this program ignores for itself (SIGPIPE, SIGXFSZ), and what ends the child where a stop is requested.
  sigset_t usual;
  sigemptyset(&usual);
  for (const int signal : {SIGPIPE, SIGXFSZ, SIGTERM}) sigaddset(&usual, signal);
  posix_spawnattr_setsigdefault(&attributes, &usual);

  pid_t child = 0;
  const ProcessorsOfAllThreads processors;
  const int failed = posix_spawn(&child, words[0].c_str(), &actions, &attributes, null_terminated(words).data(),
                                 null_terminated(environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (failed) throw InputError(fmt::format("cannot start '{}': {}", words[0], std::strerror(failed)));
  return child;
}

}  // namespace

std::optional<int> run_child(const std::vector<std::string>& words, const std::vector<std::string>& environment,
                             const std::filesystem::path& errors, const std::function<bool()>& stop_requested,
                             std::chrono::milliseconds grace) {
  omp_pause_resource(omp_pause_soft, omp_get_initial_device());  // threads that a library left idle may spin
  const pid_t child = spawn(words, environment, errors);
  using Clock = std::chrono::steady_clock;
  std::optional<Clock::time_point> stopped;
  int status = 0;
  pid_t ended = 0;
  while ((ended = waitpid(child, &status, WNOHANG)) == 0) {
    if (stopped) {
      if (Clock::now() > *stopped + grace) kill(-child, SIGKILL);
    } else if (stop_requested()) {
      stopped = Clock::now();
      kill(-child, SIGTERM);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  if (stopped) return std::nullopt;
  if (ended < 0) throw DeviceError(fmt::format("'{}' ended unseen: {}", words[0], std::strerror(errno)));
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::filesystem::path program_in_path(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::filesystem::path program = std::filesystem::path(folder) / name;
    std::error_code ignored;
    if (std::filesystem::is_regular_file(program, ignored) && access(program.c_str(), X_OK) == 0) return program;
  }
  return {};
}

}  // namespace cardiowarp
