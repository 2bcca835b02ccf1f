#include "app/cells/steady_states.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <filesystem>
#include <system_error>
#include <utility>

#include "app/cells/sdirk2_cell.hpp"
#include "app/cells/small_models.hpp"
#include "app/checkpoint/state_archive.hpp"
#include "app/checkpoint/state_cache.hpp"
#include "app/config/config.hpp"
#include "app/process/build_info.hpp"
#include "app/process/log.hpp"
#include "fem/cells/run_time_model.hpp"
#include "fem/input_error.hpp"
#include "kernels/backend/thread_team.hpp"
#include "meshes/atomic_file.hpp"

namespace cardiowarp {
namespace {

/// What a stage gives at some potentials, which is other for other equations, in digits that tell all numbers apart.
std::string equations_in_numbers(const IonicCell& cell) {
  std::string text;
  std::vector<Real> states(cell.start().states.size());
  for (const Real potential_mv : {-87.3, -61.7, -40.3, -12.3, 13.9, 33.3}) {
    const IonicCurrent ionic = cell.model->stage(cell, potential_mv, cell.start().states.data(), 0.17, states.data());
    text += fmt::format("{:a} {:a} {:a}\n", ionic.current, ionic.slope, fmt::join(states, " "));
  }
  return text;
}

/// All that a steady state depends on.
std::string made_of(const IonicCell& cell, const SteadyConfig& steady, const std::string& commit) {
  const RunTimeModel* const made = run_time_model(*cell.model);
  return fmt::format(
      "version {} {}\ncheckpoints {}\n{} {} {}\nparameters {:a}\nstart {:a} {:a}\n{} beats {:a} {:a} {:a}\n{}",
      build_info().version, commit, checkpoint_version, cell.model->name(), cell.start().name,
      made ? made->origin().checksum : std::string(), fmt::join(cell.parameters, " "), cell.start().potential_mv,
      fmt::join(cell.start().states, " "), steady.beats, steady.period_ms, steady.amplitude_mv_per_ms,
      steady.duration_ms, equations_in_numbers(cell));
}

void exchange(SteadyState& state, StateArchive& archive) {
  archive.value("steady/potential_mv", state.start.potential_mv);
  archive.values("steady/states", state.start.states);
  archive.value("steady/change_mv", state.change_mv);
  archive.value("steady/change_states", state.change_states);
  archive.value("steady/rise_mv", state.rise_mv);
}

/// What the cache has. `unusable` is the reason where it has something that cannot be taken.
std::optional<SteadyState> kept(const CachedState& cached, const IonicCell& cell, std::string& unusable) {
  std::optional<CheckpointSections> sections = cached.read_state(unusable);
  if (!sections) return std::nullopt;
  try {
    SteadyState state;
    StateArchive archive(std::move(*sections), cached.state());
    exchange(state, archive);
    if (state.start.states.size() == cell.start().states.size()) return state;
    unusable = fmt::format("checkpoint '{}': it has {} states", cached.state().string(), state.start.states.size());
  } catch (const InputError& reason) {
    unusable = reason.what();
  }
  return std::nullopt;
}

void keep(const CachedState& cached, SteadyState state) {
  try {
    StateArchive archive;
    exchange(state, archive);
    std::error_code error;
    std::filesystem::create_directories(cached.folder(), error);
    if (error)
      throw InputError(fmt::format("cannot create folder '{}': {}", cached.folder().string(), error.message()));
    write_checkpoint_file(cached.state(), cached.as_state(archive.sections()));
  } catch (const InputError& reason) {
    log_warn("initial.steady: the state is not kept: {}", reason.what());
  }
}

/// Steady states of kinds of cells, from the cache or computed.
class SteadyKinds {
 public:
  SteadyKinds(const SteadyConfig& steady, const std::optional<SteadyCache>& cache, std::vector<IonicCell> kinds)
      : steady_(steady), cache_(cache), kinds_(std::move(kinds)), states_(kinds_.size()), is_kept_(kinds_.size()) {
    for (std::size_t k = 0; k < kinds_.size(); ++k) look_up(k);
    compute();
  }

  const std::vector<IonicCell>& kinds() const { return kinds_; }
  const SteadyState& state(std::size_t kind) const { return *states_[kind]; }
  std::size_t found() const { return static_cast<std::size_t>(std::ranges::count(is_kept_, 1)); }

 private:
  CachedState cached(std::size_t kind) const { return {steady_.cache, made_of(kinds_[kind], steady_, cache_->commit)}; }

  void look_up(std::size_t kind) {
    if (!cache_) return;
    std::string unusable;
    states_[kind] = kept(cached(kind), kinds_[kind], unusable);
    is_kept_[kind] = states_[kind].has_value();
    if (!unusable.empty()) log_warn("{}; it is made anew", unusable);
  }

  /// Those that are not kept, side by side, each by one thread.
  void compute() {
    std::vector<std::size_t> missing;
    for (std::size_t k = 0; k < kinds_.size(); ++k)
      if (!states_[k]) missing.push_back(k);
    std::vector<std::exception_ptr> failures(missing.size());
    SteadyProgress progress(missing.size(), steady_.beats);
    parallel_ranges(std::ssize(missing), 1, [&](std::int64_t begin, std::int64_t end) {
      for (auto k = static_cast<std::size_t>(begin); k < static_cast<std::size_t>(end); ++k) try {
          states_[missing[k]] = steady_state(kinds_[missing[k]], steady_, &progress);
        } catch (...) {  // nothing is thrown out of a loop
          failures[k] = std::current_exception();
        }
    });
    for (const std::exception_ptr& failure : failures)
      if (failure) std::rethrow_exception(failure);
    if (!cache_ || cache_->is_only_read) return;
    for (const std::size_t kind : missing) keep(cached(kind), *states_[kind]);
  }

  const SteadyConfig& steady_;
  const std::optional<SteadyCache>& cache_;
  std::vector<IonicCell> kinds_;
  std::vector<std::optional<SteadyState>> states_;
  std::vector<char> is_kept_;
};

void tell(const SteadyKinds& all, const SteadyConfig& steady) {
  double change_mv = 0, change_states = 0;
  for (std::size_t k = 0; k < all.kinds().size(); ++k) {
    change_mv = std::max(change_mv, all.state(k).change_mv);
    change_states = std::max(change_states, all.state(k).change_states);
  }
  log_info(
      "initial.steady: {} beats of {:.6g} ms of {} kind{} of cells{}; the last beat ends within {:.2g} mV and {:.2g} "
      "of "
      "each state of the one before",
      steady.beats, steady.period_ms, all.kinds().size(), all.kinds().size() == 1 ? "" : "s",
      all.found() == 0 ? "" : fmt::format(", {} of them found in '{}'", all.found(), steady.cache.string()), change_mv,
      change_states);
  constexpr double alike_mv = 1, alike_states = 0.02, least_rise_mv = 30;
  for (std::size_t k = 0; k < all.kinds().size(); ++k) {
    const std::string kind = fmt::format("{} ({})", all.kinds()[k].model->name(), all.kinds()[k].start().name);
    if (all.state(k).rise_mv < least_rise_mv)
      log_warn(
          "initial.steady: the last pulse starts no action potential in {}: the period is too short for it, or the "
          "pulse too weak",
          kind);
    else if (all.state(k).change_mv > alike_mv || all.state(k).change_states > alike_states)
      log_warn("initial.steady: {} is not steady yet, which more beats mend, or alternates, which a longer period does",
               kind);
  }
}

}  // namespace

void SteadyProgress::count_beat() {
  using Seconds = std::chrono::duration<double>;
  const std::lock_guard lock(mutex_);
  ++done_;
  const auto now = std::chrono::steady_clock::now();
  if (done_ == all_ || Seconds(now - told_).count() < 10) return;
  told_ = now;
  log_info("initial.steady: {} of {} beats, {:.0f} s left", done_, all_,
           Seconds(now - began_).count() * static_cast<double>(all_ - done_) / static_cast<double>(done_));
}

SteadyState steady_state(const IonicCell& cell, const SteadyConfig& steady, SteadyProgress* progress) {
  try {
    Sdirk2Cell single(cell);
    SingleCellState before;
    SteadyState result;
    for (int beat = 0; beat < steady.beats; ++beat) {
      before = single.state();
      result.rise_mv = single.beat(steady.period_ms, {steady.amplitude_mv_per_ms, steady.duration_ms}).rise_mv();
      if (progress) progress->count_beat();
    }
    const SingleCellState end = single.state();
    result.start = {end.potential_mv, end.states};
    result.change_mv = std::abs(end.potential_mv - before.potential_mv);
    for (std::size_t i = 0; i < end.states.size(); ++i)
      result.change_states = std::max(
          result.change_states, std::abs(end.states[i] - before.states[i]) / std::max(1e-3, std::abs(end.states[i])));
    return result;
  } catch (const NumericalFailure& failure) {
    throw InputError(
        fmt::format("{}: a single cell of {} cannot be paced: {}", steady.place, cell.model->name(), failure.what()));
  }
}

void begin_steady(const Config& config, const std::optional<SteadyCache>& cache, Problem& problem) {
  std::vector<IonicCell> kinds;
  for (std::size_t k = 0; k < problem.cell_models.size(); ++k) kinds.push_back(ionic_view(problem.cell_models[k]));
  const SteadyKinds all(*config.initial.steady, cache, std::move(kinds));
  tell(all, *config.initial.steady);
  std::vector<CellStart> starts;
  for (std::size_t k = 0; k < all.kinds().size(); ++k) starts.push_back(all.state(k).start);
  begin_with_starts(config.initial, std::move(starts), problem);
}

}  // namespace cardiowarp
