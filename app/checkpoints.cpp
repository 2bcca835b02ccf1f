#include "app/checkpoints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <limits>
#include <new>
#include <string>
#include <utility>

#include "app/checkpoint/checkpoint_folder.hpp"
#include "app/config/config.hpp"
#include "app/march.hpp"
#include "app/output/recorder.hpp"
#include "app/process/log.hpp"
#include "app/simulation/simulation.hpp"
#include "fem/input_error.hpp"

namespace cardiowarp {

namespace {

/// What of a checkpoint decides whether a run can go on from it, without the state, which may have gigabytes.
CheckpointSections small_sections(const CheckpointSections& all) {
  CheckpointSections small;
  std::ranges::copy_if(all, std::inserter(small, small.end()), [](const auto& section) {
    const std::string& name = section.first;
    return name.starts_with("output/") || name == "identity/configuration" || name == "simulation/time_ms";
  });
  return small;
}

/// Why a run of `config` cannot go on from a checkpoint, but from one before it. Throws InputError where it cannot from
/// any.
std::string why_unusable(const FoundCheckpoint& found, const Config& config, ResultCheck& results) {
  StateArchive archive(small_sections(found.sections), found.file);
  RunIdentity before;
  Real time_ms = 0;
  WrittenResults written;
  try {
    archive.text("identity/configuration", before.configuration);
    archive.value("simulation/time_ms", time_ms);
    written.exchange(archive);
  } catch (const InputError& reason) {
    return reason.what();
  }
  require_same_configuration(before, config, time_ms);
  return results.first_changed(written);
}

}  // namespace

SavedRun::SavedRun(const Config& config) {
  ResultCheck results(config);
  FoundCheckpoint found =
      newest_checkpoint(config.output.directory, "--resume",
                        [&](const FoundCheckpoint& checkpoint) { return why_unusable(checkpoint, config, results); });
  file_ = std::move(found.file);
  begins_anew_ = !found.unusable.empty();
  archive_ = StateArchive(std::move(found.sections), file_);
  try {
    identity_.exchange(archive_);
    archive_.value("simulation/time_ms", time_ms_);
  } catch (const InputError& reason) {
    throw InputError(fmt::format("--resume: {}", reason.what()));
  }
  if (!begins_anew_) return;
  archive_ = {};
  log_warn(
      "{}; no checkpoint in '{}' is older than that: the run begins anew at t = 0 instead of going on at {:.6g} ms",
      found.unusable, file_.parent_path().string(), time_ms_);
}

Checkpoints::Checkpoints(const Config& config, const RunIdentity& identity, Simulation& simulation, March& march,
                         Recorder& recorder)
    : config_(config),
      identity_(identity),
      simulation_(simulation),
      march_(march),
      recorder_(recorder),
      clock_(config.checkpoint ? config.checkpoint->interval_ms : std::numeric_limits<Real>::infinity()) {
  clock_.due(0);
}

void Checkpoints::load(SavedRun& saved) {
  saved_ms_ = saved.time_ms();
  recorder_.go_on(saved.archive());
  exchange(saved.archive());
  clock_.due(simulation_.time_ms());
  saved_steps_ = march_.steps().accepted;
  saved.archive() = {};
}

void Checkpoints::after_step() {
  if (config_.checkpoint && clock_.due(simulation_.time_ms())) save();
}

bool Checkpoints::save() {
  const std::int64_t steps = march_.steps().accepted;
  if (saved_steps_ == steps) return true;
  recorder_.complete();
  const auto warn = [&](const char* reason) {
    log_warn("no checkpoint at t = {:.6g} ms: {}; older ones stay", simulation_.time_ms(), reason);
    return false;
  };
  try {
    StateArchive archive;
    RunIdentity identity = identity_;
    identity.exchange(archive);
    recorder_.save(archive);
    exchange(archive);
    const int keep = config_.checkpoint.value_or(CheckpointConfig{}).keep;
    write_checkpoint(config_.output.directory, steps, keep, archive.sections());
  } catch (const InputError& reason) {
    return warn(reason.what());
  } catch (const std::bad_alloc&) {
    return warn("out of memory");
  }
  saved_steps_ = steps;
  saved_ms_ = simulation_.time_ms();
  return true;
}

void Checkpoints::exchange(StateArchive& archive) {
  simulation_.exchange(archive);
  march_.exchange(archive);
}

}  // namespace cardiowarp
