#pragma once
#include <filesystem>
#include <optional>
#include <string>

namespace cardiowarp {

// How many threads the program computes with. main() calls choose_threads() once, before any command begins, and
// OpenMP's loops use that number from then on. In a container it heeds the quota of processor time, since more threads
// than that allows would wait for each other. The number and the reason for it are printed by `info` and `check`, and
// kept in `summary.json`.

constexpr int most_threads = 1024;

/// How many threads compute on the CPU, or write frames beside a GPU, and what decided it: `--threads`,
/// `OMP_NUM_THREADS`, `all processors`, or the limit that leaves fewer, such as `CPU quota of 1.5 processors`.
struct ThreadChoice {
  int number = 1;
  std::string from;
};

/// Sets the number of OpenMP's threads: `option` (--threads), else OMP_NUM_THREADS, else the processors that this
/// process may use: those of its affinity mask, no more than the quota of its control group rounded up. Warns where it
/// is asked for more than these. Throws InputError where the one that counts is no whole number from 1 to most_threads.
void choose_threads(const std::optional<std::string>& option);

/// The choice of choose_threads(); `OpenMP` where something else has set the number since, or nobody asked.
ThreadChoice threads_in_use();

/// `2 CPU threads`, with the reason in brackets where it is not all processors.
std::string in_words(const ThreadChoice& choice);

/// Processors whose time the control group of a process and those above it may use, the least of them; none where there
/// is no limit. `groups` is /proc/self/cgroup, `mounted` /sys/fs/cgroup: version 2, or version 1 with the controller
/// `cpu` in a folder of its own.
std::optional<double> cpu_quota(const std::filesystem::path& groups, const std::filesystem::path& mounted);

}  // namespace cardiowarp
