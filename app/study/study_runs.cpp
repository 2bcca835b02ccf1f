#include "app/study/study_runs.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <fstream>
#include <iterator>
#include <latch>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "app/checkpoint/checkpoint_folder.hpp"
#include "app/checkpoint/configuration_difference.hpp"
#include "app/process/child_process.hpp"
#include "app/process/exit_code.hpp"
#include "app/process/interrupt.hpp"
#include "app/process/threads.hpp"
#include "app/start/backend.hpp"
#include "fem/input_error.hpp"
#include "meshes/atomic_file.hpp"

namespace cardiowarp {
namespace {

std::string content_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// The first line that tells an error, else nothing.
std::string error_in(const std::string& log) {
  constexpr std::string_view mark = "error: ";
  const std::size_t begin = log.find(mark);
  if (begin == std::string::npos) return "";
  return log.substr(begin + mark.size(), log.find('\n', begin) - begin - mark.size());
}

/// Whether the folder has results of this configuration, complete or not.
bool has_results_of(const Config& config, const std::filesystem::path& folder) {
  const std::string before = content_of(folder / "resolved.yaml");
  return !before.empty() && differences_of_results(before, resolved_yaml(config)).empty();
}

/// Whether the run has come to its end, and after the last change of its mesh.
bool is_complete(const std::optional<RunOutcome>& outcome, const Config& config, const std::filesystem::path& folder) {
  std::error_code error;
  return outcome && outcome->completed() &&
         std::filesystem::last_write_time(config.mesh.file, error) <
             std::filesystem::last_write_time(folder / "summary.json", error);
}

std::vector<std::string> environment() {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable; ++variable)
    if (const std::string text = *variable; !text.starts_with("OMP_PROC_BIND=")) variables.push_back(text);
  variables.push_back("OMP_PROC_BIND=false");  // it would put all runs on the first processor
  return variables;
}

std::vector<std::string> words_of(const Study& study, const StudyRun& run, int threads, bool goes_on) {
  std::vector<std::string> words{"/proc/self/exe", "run", study.file};
  words[0] = std::filesystem::read_symlink(words[0]);
  for (const auto* settings : {&study.settings, &run.settings})
    for (const Override& setting : *settings)
      words.insert(words.end(), {"--set", setting.key_path + "=" + setting.value});
  words.insert(words.end(), {"--output", study.folder / run.name, "--quiet", "--threads", std::to_string(threads)});
  if (goes_on) words.emplace_back("--resume");
  return words;
}

/// The runs that are going on, and those that have ended and not been told yet.
class Runner {
 public:
  Runner(const Study& study, const std::vector<StudyRun>& runs, std::vector<Config> configurations, int jobs)
      : study_(study), runs_(runs), configurations_(std::move(configurations)), jobs_(jobs) {}

  bool tell(const std::function<void(std::size_t, const StudyResult&)>& ended) {
    std::vector<std::jthread> workers;
    for (int k = 0; k < jobs_; ++k) workers.emplace_back([this] { work(); });
    for (int working = jobs_; working > 0;) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return !ended_.empty(); });
      auto [run, result, error] = std::move(ended_.front());
      ended_.pop_front();
      lock.unlock();
      if (error) failure_ = error, is_stopped_ = true;
      if (run == no_run)
        --working;
      else if (result)
        ended(run, *result);
    }
    workers.clear();
    if (failure_) std::rethrow_exception(failure_);
    return !is_stopped_ && !guard_.stop_requested();
  }

 private:
  static constexpr std::size_t no_run = static_cast<std::size_t>(-1);
  struct Ended {
    std::size_t run = no_run;
    std::optional<StudyResult> result;
    std::exception_ptr error;
  };

  bool stops() const { return is_stopped_ || guard_.stop_requested(); }

  void work() {
    try {
      for (std::size_t run = next_++; run < runs_.size(); run = next_++) {
        // The first run alone paces the heart, whose state the others then find in the cache.
        if (run > 0 && configurations_[run].prepace) first_ended_.wait();
        if (stops()) break;
        put({run, result_of(run), nullptr});
        if (run == 0) first_ended_.count_down();
      }
      put({});
    } catch (...) {
      put({no_run, std::nullopt, std::current_exception()});
      is_stopped_ = true;
      if (!first_ended_.try_wait()) first_ended_.count_down();
    }
  }

  void put(Ended ended) {
    const std::scoped_lock lock(mutex_);
    ended_.push_back(std::move(ended));
    changed_.notify_one();
  }

  /// Nothing where the run was stopped.
  std::optional<StudyResult> result_of(std::size_t number) {
    const StudyRun& run = runs_[number];
    const Config& config = configurations_[number];
    const std::filesystem::path folder = study_.folder / run.name, log = study_.folder / (run.name + ".log");
    const bool goes_on = study_.resume && has_results_of(config, folder);
    if (goes_on)
      if (auto outcome = read_outcome(folder); is_complete(outcome, config, folder))
        return StudyResult{.was_kept = true, .outcome = std::move(outcome)};
    const int threads = std::max(1, threads_in_use().number / jobs_);
    const auto words = words_of(study_, run, threads, goes_on && !checkpoints_in(folder).empty());
    const std::optional<int> exit_code = run_child(words, environment(), log, [this] { return stops(); });
    if (!exit_code) return std::nullopt;
    StudyResult result{.exit_code = *exit_code, .outcome = {}};
    const std::string said = content_of(log);
    if (*exit_code == static_cast<int>(ExitCode::done) || *exit_code == static_cast<int>(ExitCode::not_converged))
      result.outcome = read_outcome(folder);
    if (*exit_code != 0) result.reason = error_in(said);
    if (*exit_code != 0 && result.reason.empty()) result.reason = fmt::format("exit code {}", *exit_code);
    std::error_code ignored;
    if (said.empty()) std::filesystem::remove(log, ignored);
    return result;
  }

  const Study& study_;
  const std::vector<StudyRun>& runs_;
  const std::vector<Config> configurations_;
  const int jobs_;
  const InterruptGuard guard_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> is_stopped_{false};
  std::latch first_ended_{1};
  std::exception_ptr failure_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Ended> ended_;
};

}  // namespace

Config configuration_of(const Study& study, const StudyRun& run) {
  std::vector<Override> settings = study.settings;
  settings.insert(settings.end(), run.settings.begin(), run.settings.end());
  Config config = load_config(study.file, settings);
  config.output.directory = study.folder / run.name;
  return config;
}

int usual_jobs(const Config& config) {
  const BackendChoice backend = possible_backend(config);
  return backend == BackendChoice::cpu || !planned_device(backend).is_gpu ? threads_in_use().number : 1;
}

bool make_runs(const Study& study, const std::vector<StudyRun>& runs,
               const std::function<void(std::size_t, const StudyResult&)>& ended) {
  if (runs.empty()) return true;
  std::vector<Config> configurations;
  for (const StudyRun& run : runs) configurations.push_back(configuration_of(study, run));
  std::error_code error;
  std::filesystem::create_directories(study.folder, error);
  if (error) throw_cannot_write(study.folder, error.value());
  const int jobs =
      std::min(study.jobs ? *study.jobs : usual_jobs(configurations.front()), static_cast<int>(runs.size()));
  return Runner(study, runs, std::move(configurations), jobs).tell(ended);
}

}  // namespace cardiowarp
