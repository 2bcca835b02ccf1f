#include "app/process/threads.hpp"

#include <fmt/format.h>
#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <string_view>

#include "app/process/log.hpp"
#include "fem/input_error.hpp"

namespace cardiowarp {
namespace {

namespace fs = std::filesystem;

ThreadChoice chosen{0, ""};

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\n");
  return first == text.npos ? "" : text.substr(first, text.find_last_not_of(" \t\n") - first + 1);
}

/// The valid number nearest to what `text` begins with; empty where it begins with none.
std::string nearest(const std::string& text) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (end == text.c_str() || std::isnan(number)) return "";
  return fmt::format("; the nearest is {}", std::lround(std::clamp(number, 1.0, double{most_threads})));
}

int parse_threads(const std::string& where, const std::string& text) {
  const std::string_view digits = trimmed(text);
  int threads = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), threads);
  if (error != std::errc() || end != digits.data() + digits.size() || threads < 1 || threads > most_threads)
    throw InputError(fmt::format("{}: expected a whole number of threads from 1 to {}, got '{}'{}", where, most_threads,
                                 text, nearest(text)));
  return threads;
}

/// Version 2: two numbers in a file, or `max` for the first; none where the file is not there or limits nothing.
std::optional<double> quota_of(const std::string& folder) {
  std::ifstream stream(folder + "/cpu.max");
  double quota = 0, period = 0;
  if (!(stream >> quota >> period) || quota <= 0 || period <= 0) return {};
  return quota / period;
}

/// Version 1: microseconds in two files, −1 where nothing is limited.
std::optional<double> old_quota_of(const std::string& folder) {
  std::ifstream quota_file(folder + "/cpu.cfs_quota_us"), period_file(folder + "/cpu.cfs_period_us");
  double quota = 0, period = 0;
  if (!(quota_file >> quota) || !(period_file >> period) || quota <= 0 || period <= 0) return {};
  return quota / period;
}

bool has_word(std::string_view list, std::string_view word) {
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    if (list.substr(begin, end - begin) == word) return true;
    begin = end + 1;
  }
  return false;
}

/// The processors that this process may use, and why not all.
ThreadChoice usable_processors() {
  ThreadChoice usable{std::max(1, omp_get_num_procs()), "all processors"};
  const long online = sysconf(_SC_NPROCESSORS_ONLN);
  if (usable.number < online)
    usable.from = fmt::format("CPU affinity of {} processor{}", usable.number, usable.number == 1 ? "" : "s");
  const std::optional<double> quota = cpu_quota("/proc/self/cgroup", "/sys/fs/cgroup");
  if (quota && std::ceil(*quota) < usable.number)
    usable = {static_cast<int>(std::ceil(*quota)), fmt::format("CPU quota of {:.3g} processors", *quota)};
  return usable;
}

}  // namespace

void choose_threads(const std::optional<std::string>& option) {
  const ThreadChoice usable = usable_processors();
  const char* const variable = std::getenv("OMP_NUM_THREADS");
  // A list has a number for each level of nesting.
  const std::string of_variable(
      variable ? trimmed(std::string_view(variable).substr(0, std::string_view(variable).find(','))) : "");
  chosen = usable;
  if (option)
    chosen = {parse_threads("--threads", *option), "--threads"};
  else if (!of_variable.empty())
    chosen = {parse_threads("OMP_NUM_THREADS", of_variable), "OMP_NUM_THREADS"};
  if (chosen.number > usable.number)
    log_warn("{}: {} threads share {} processor{} ({})", chosen.from, chosen.number, usable.number,
             usable.number == 1 ? "" : "s", usable.from);
  if (omp_get_thread_limit() < chosen.number) chosen = {omp_get_thread_limit(), "OMP_THREAD_LIMIT"};
  omp_set_num_threads(chosen.number);
}

ThreadChoice threads_in_use() {
  const int number = omp_get_max_threads();
  return number == chosen.number ? chosen : ThreadChoice{number, "OpenMP"};
}

std::string in_words(const ThreadChoice& choice) {
  std::string words = fmt::format("{} CPU thread{}", choice.number, choice.number == 1 ? "" : "s");
  if (choice.from != "all processors") words += fmt::format(" ({})", choice.from);
  return words;
}

std::optional<double> cpu_quota(const fs::path& groups, const fs::path& mounted) {
  std::optional<double> least;
  std::ifstream lines(groups);
  for (std::string line; std::getline(lines, line);) {  // number:controllers:/path, no controllers in version 2
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == line.npos || second == line.npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool is_new = controllers.empty();
    if (!is_new && !has_word(controllers, "cpu")) continue;
    const std::string top = is_new ? mounted.native() : mounted.native() + '/' + controllers;
    // Inside a container the path may be that of the host, of which only the end, or nothing, is mounted. Folders are
    // strings here, as putting paths together ends the process with GCC 12 where it gets no memory.
    for (std::string folder = top + '/' + line.substr(second + 1);; folder.resize(folder.rfind('/'))) {
      const std::optional<double> quota = is_new ? quota_of(folder) : old_quota_of(folder);
      if (quota) least = std::min(least.value_or(*quota), *quota);
      if (folder.size() == top.size()) break;
    }
  }
  return least;
}

}  // namespace cardiowarp
