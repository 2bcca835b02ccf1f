#include "app/study/study_runs.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <variant>

#include "app/checkpoint/checkpoint_folder.hpp"
#include "app/checkpoint/checksum.hpp"
#include "app/config/config.hpp"
#include "app/files/folder_lock.hpp"
#include "app/files/regular_file.hpp"
#include "app/process/child_process.hpp"
#include "app/process/exit_code.hpp"
#include "app/process/interrupt.hpp"
#include "app/process/threads.hpp"
#include "app/start/backend.hpp"
#include "fem/input_error.hpp"
#include "meshes/atomic_file.hpp"

namespace cardiowarp {
namespace {

/// The first line that tells an error, else nothing.
std::string error_in(const std::string& log) {
  constexpr std::string_view mark = "error: ";
  const std::size_t begin = log.find(mark);
  if (begin == std::string::npos) return "";
  return log.substr(begin + mark.size(), log.find('\n', begin) - begin - mark.size());
}

/// The files, beside the YAML file, that a run reads and that the text of its configuration has no checksum of.
std::vector<std::filesystem::path> inputs_of(const Config& config) {
  std::vector<std::filesystem::path> files{config.mesh.file};
  for (const char* suffix : {".elem", ".lon"})
    files.push_back(std::filesystem::path(config.mesh.file).replace_extension(suffix));
  const auto add = [&](const Where& where) {
    if (const auto* nodes = std::get_if<NodeFile>(&where.region)) files.push_back(nodes->file);
  };
  for (const StimulusConfig& stimulus : config.stimuli) {
    add(stimulus.where);
    if (stimulus.network && !stimulus.network->file.empty()) files.push_back(stimulus.network->file);
  }
  for (const BoundaryConfig& prescribed : config.boundary) add(prescribed.where);
  for (const InitialRegionConfig& region : config.initial.regions) add(region.where);
  const auto add_surfaces = [&](const std::optional<OfSurface<SurfaceNames>>& surfaces) {
    if (!surfaces) return;
    for (const HeartSurface surface : heart_surfaces)
      for (const std::string& name : (*surfaces)[surface].names) files.emplace_back(name);
  };
  add_surfaces(config.fibers.rule.surfaces);
  if (config.coordinates) add_surfaces(config.coordinates->surfaces);
  return files;
}

/// Checksums of files, each of which is read once.
class FileChecksums {
 public:
  /// 0 for what is no file.
  std::uint64_t of(const std::filesystem::path& file) {
    const std::scoped_lock lock(mutex_);
    const auto [known, is_new] = known_.try_emplace(file, 0);
    std::error_code ignored;
    if (!is_new || !std::filesystem::is_regular_file(file, ignored)) return known->second;
    Checksum sum;
    const RegularFile content(file);
    content.read(content.bytes(), [&](std::string_view piece) { sum.add(piece); });
    return known->second = sum.value();
  }

 private:
  std::mutex mutex_;
  std::map<std::filesystem::path, std::uint64_t> known_;
};

/// Whether the files are there that a run leaves.
bool has_results(const std::filesystem::path& folder) {
  for (const char* file : {"summary.json", "resolved.yaml", "maps.vtu"})
    if (std::error_code ignored; !std::filesystem::is_regular_file(folder / file, ignored)) return false;
  return true;
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
        while (run > 0 && configurations_[run].prepace && !first_has_ended_ && !stops())
          std::this_thread::sleep_for(std::chrono::milliseconds(10));
        if (stops()) break;
        put({run, result_of(run), nullptr});
        if (run == 0) first_has_ended_ = true;
      }
      put({});
    } catch (...) {
      put({no_run, std::nullopt, std::current_exception()});
      is_stopped_ = true;
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
    const std::filesystem::path inputs = study_.folder / (run.name + ".inputs");
    const std::string now = inputs_in_words(config);
    const bool is_the_same = study_.resume && content_or_nothing(inputs) == now;
    if (is_the_same && has_results(folder))
      if (auto outcome = read_outcome(folder); outcome && outcome->completed())
        return StudyResult{.was_kept = true, .outcome = std::move(outcome)};
    std::error_code ignored;
    if (!is_the_same) {
      std::filesystem::remove(inputs, ignored);
      std::filesystem::remove(folder / "summary.json", ignored);  // of a run that was another one
    }
    write_file_atomically(inputs, now);
    close(create_file(log));
    const int threads = std::max(1, threads_in_use().number / jobs_);
    const auto words = words_of(study_, run, threads, is_the_same && !checkpoints_in(folder).empty());
    const std::optional<int> exit_code = run_child(words, environment(), log, [this] { return stops(); });
    if (!exit_code) return std::nullopt;
    StudyResult result{.exit_code = *exit_code, .outcome = {}};
    const std::string said = content_or_nothing(log);
    if (*exit_code == static_cast<int>(ExitCode::done) || *exit_code == static_cast<int>(ExitCode::not_converged))
      result.outcome = read_outcome(folder);
    if (*exit_code != 0) result.reason = error_in(said);
    if (*exit_code != 0 && result.reason.empty()) result.reason = fmt::format("exit code {}", *exit_code);
    if (said.empty()) std::filesystem::remove(log, ignored);
    return result;
  }

  /// What decides about the results of a run: the resolved configuration and the checksums of the files that it names.
  std::string inputs_in_words(const Config& config) {
    std::string words = resolved_yaml(config);
    for (const std::filesystem::path& file : inputs_of(config))
      words += fmt::format("# {:016x} {}\n", checksums_.of(file), file.string());
    return words;
  }

  const Study& study_;
  const std::vector<StudyRun>& runs_;
  const std::vector<Config> configurations_;
  const int jobs_;
  const FolderLock lock_{study_.folder};
  const InterruptGuard guard_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> is_stopped_{false};
  std::atomic<bool> first_has_ended_{false};
  FileChecksums checksums_;
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
  const int jobs =
      std::min(study.jobs ? *study.jobs : usual_jobs(configurations.front()), static_cast<int>(runs.size()));
  return Runner(study, runs, std::move(configurations), jobs).tell(ended);
}

}  // namespace cardiowarp
