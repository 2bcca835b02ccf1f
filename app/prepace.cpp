#include "app/prepace.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "app/checkpoint/state_cache.hpp"
#include "app/config/config.hpp"
#include "app/config/time_grid.hpp"
#include "app/march.hpp"
#include "app/measure/stopwatch.hpp"
#include "app/process/interrupt.hpp"
#include "app/process/log.hpp"
#include "app/simulation/problem.hpp"
#include "app/simulation/time_stepper.hpp"
#include "app/start/backend.hpp"
#include "fem/input_error.hpp"
#include "fem/mesh.hpp"
#include "meshes/atomic_file.hpp"

namespace cardiowarp {
namespace {

bool paces(const PrepaceConfig& prepace, const StimulusConfig& stimulus) {
  return std::find(prepace.stimuli.begin(), prepace.stimuli.end(), stimulus.name) != prepace.stimuli.end();
}

/// Says of a file of the cache, where there is a reason, why it is not taken.
void tell_unusable(const std::string& reason) {
  if (!reason.empty()) log_warn("{}; it is made anew", reason);
}

/// What is computed, as a configuration and on the mesh.
struct Pacing {
  Config config;
  Problem problem;
  RunIdentity identity;
  CachedState cached;
};

/// The configuration of the pacing, with one value for what has no influence on it.
Config paced(Config config, BackendChoice backend) {
  const PrepaceConfig prepace = *std::exchange(config.prepace, {});
  std::erase_if(config.stimuli, [&](const StimulusConfig& stimulus) { return !paces(prepace, stimulus); });
  for (StimulusConfig& stimulus : config.stimuli) {
    stimulus.period_ms = prepace.period_ms;
    stimulus.count = prepace.beats;
  }
  config.time.end_ms = prepace.beats * prepace.period_ms;
  config.backend = backend;
  config.mesh.file = "/";  // the mesh itself has a checksum
  if (config.initial.steady) config.initial.steady->cache = "/";
  config.output = {.directory = "/", .interval_ms = prepace.period_ms};
  config.probes.clear();
  config.checkpoint.reset();
  return config;
}

/// The problem of the pacing; its stimuli are those of `given` in their order.
Problem paced(const Config& given, Problem problem) {
  const PrepaceConfig& prepace = *given.prepace;
  std::vector<Stimulus> stimuli;
  for (std::size_t k = 0; k < given.stimuli.size(); ++k) {
    if (!paces(prepace, given.stimuli[k])) continue;
    Stimulus& stimulus = stimuli.emplace_back(std::move(problem.stimuli[k]));
    stimulus.pulses.period_ms = prepace.period_ms;
    stimulus.pulses.count = prepace.beats;
  }
  problem.stimuli = std::move(stimuli);
  problem.probes.clear();
  problem.ecg = {};
  problem.beats = {};
  return problem;
}

/// All that the state depends on.
std::string made_of(const RunIdentity& identity, const std::string& commit) {
  return fmt::format("version {} {}\ncheckpoints {}\nmesh {:016x}\ntissue {:016x}\n{}", identity.version, commit,
                     checkpoint_version, identity.mesh, identity.tissue, identity.configuration);
}

/// Where the heart would be paced: what `auto` comes to.
BackendChoice expected_backend(const Config& given) {
  return planned_device(possible_backend(given)).is_gpu ? BackendChoice::gpu : BackendChoice::cpu;
}

Pacing pacing_of(const Config& given, const Problem& problem, const std::string& commit, BackendChoice backend) {
  Config config = paced(given, backend);
  Problem of_pacing = paced(given, problem);
  RunIdentity identity = identity_of(config, of_pacing);
  CachedState cached(given.prepace->cache, made_of(identity, commit));
  return {std::move(config), std::move(of_pacing), std::move(identity), std::move(cached)};
}

std::string in_words(const PrepaceConfig& prepace) {
  return fmt::format("{} beat{} of {:.6g} ms by {}", prepace.beats, prepace.beats == 1 ? "" : "s", prepace.period_ms,
                     fmt::join(prepace.stimuli, ", "));
}

/// The state at the end of the last beat and of the one before, and how far they are from each other: whether the heart
/// has come to a limit cycle.
class LastBeat {
 public:
  LastBeat(const Pacing& pacing, const PrepaceConfig& prepace)
      : begin_ms_((prepace.beats - 1) * prepace.period_ms),
        nodes_(pacing.problem.mesh->nodes.size()),
        elements_(pacing.problem.mesh->tetrahedra.size()),
        number_(state_count(pacing.problem.cell_models)) {}

  /// After each step, and before the first.
  void look(Simulation& simulation) {
    if (!before_.empty() || simulation.time_ms() < begin_ms_) return;
    simulation.look_at(begin_ms_);
    before_ = values(simulation);
    simulation.look_at(simulation.time_ms());
  }

  /// No step that ends before is looked at.
  Real next_look_ms() const { return before_.empty() ? begin_ms_ : std::numeric_limits<Real>::infinity(); }

  void exchange(StateArchive& archive) { archive.values("prepace/before", before_); }

  /// Largest changes from one beat to the next: of the potential in mV, of the states of the cells.
  std::pair<Real, Real> change(Simulation& simulation) const {
    const std::vector<Real> now = values(simulation);
    Real potential = 0, states = 0;
    for (std::size_t i = 0; i < now.size(); ++i) {
      Real& largest = i < nodes_ ? potential : states;
      largest = std::max(largest, std::fabs(now[i] - before_[i]));
    }
    return {potential, states};
  }

 private:
  /// [nodes + states × elements]
  std::vector<Real> values(Simulation& simulation) const {
    std::vector<Real> values(nodes_ + number_ * elements_);
    const std::span<Real> all(values);
    simulation.potential_mv(all.first(nodes_));
    for (std::size_t k = 0; k < number_; ++k) simulation.state(k, all.subspan(nodes_ + k * elements_, elements_));
    return values;
  }

  Real begin_ms_;
  std::size_t nodes_, elements_, number_;
  std::vector<Real> before_;
};

/// What has been paced so far, in the cache.
class Progress {
 public:
  Progress(const CachedState& cached, Simulation& simulation, March& march, LastBeat& last_beat)
      : cached_(cached), simulation_(simulation), march_(march), last_beat_(last_beat) {}

  /// Goes on where an earlier pacing was ended.
  void load() {
    std::string unusable;
    std::optional<CheckpointSections> sections = cached_.read_progress(unusable);
    tell_unusable(unusable);
    if (sections) {
      StateArchive archive(std::move(*sections), cached_.progress());
      exchange(archive);
      log_info("the pacing goes on from t = {:.6g} ms", simulation_.time_ms());
    }
  }

  /// True where it was written; else a warning says why not.
  bool save() {
    try {
      StateArchive archive;
      exchange(archive);
      write_checkpoint_file(cached_.progress(), cached_.as_progress(archive.sections()));
      return true;
    } catch (const InputError& reason) {
      log_warn("the progress of the pacing is not kept: {}", reason.what());
      return false;
    }
  }

  void remove() {
    try {
      remove_file(cached_.progress());
    } catch (const InputError&) {  // it costs no more than its room
    }
  }

 private:
  void exchange(StateArchive& archive) {
    simulation_.exchange(archive);
    march_.exchange(archive);
    last_beat_.exchange(archive);
  }

  const CachedState& cached_;
  Simulation& simulation_;
  March& march_;
  LastBeat& last_beat_;
};

std::string change_in_words(StateArchive archive) {
  Real potential_mv = 0, states = 0;
  archive.value("prepace/potential_change_mv", potential_mv);
  archive.value("prepace/state_change", states);
  return fmt::format("the last beat ends within {:.2g} mV and, in the states of the cells, {:.2g} of the one before",
                     potential_mv, states);
}

/// `5 of 10 pulses of left`: the stimuli half or more of whose pulses started no wave, and how many did not.
std::string missed_pulses(const Config& paced, StateArchive archive) {
  std::vector<std::string> words;
  for (std::size_t k = 0; k < paced.stimuli.size(); ++k) {
    const std::string name = fmt::format("prepace/{}", k);
    int pulses = 0, missed = 0;
    archive.value(name + "/pulses", pulses);
    archive.value(name + "/missed", missed);
    if (missed > 0 && 2 * missed >= pulses)
      words.push_back(fmt::format("{} of {} pulses of {}", missed, pulses, paced.stimuli[k].name));
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

/// A warning where the heart has not come to beats that are all alike; else empty.
std::string unlike_beats(const Config& paced, const PrepaceConfig& prepace, StateArchive archive) {
  constexpr Real alike_mv = 1, alike_states = 0.02;
  Real potential_mv = 0, states = 0;
  archive.value("prepace/potential_change_mv", potential_mv);
  archive.value("prepace/state_change", states);
  const std::string missed = missed_pulses(paced, archive);
  if (missed.empty() && potential_mv <= alike_mv && states <= alike_states) return {};
  const std::string why =
      missed.empty() ? "it is not steady yet, which more prepace.beats mend, or alternates, which a longer "
                       "prepace.period does"
                     : missed +
                           " started no wave, as tissue that has not recovered does not answer (2:1 block where "
                           "it is every other pulse); a longer prepace.period lets it";
  return fmt::format("the last two of {} beats of {:.6g} ms differ by up to {:.2g} mV and {:.2g} in the states: {}",
                     prepace.beats, prepace.period_ms, potential_mv, states, why);
}

/// What a run that begins with the state needs of the simulation, and how steady it is.
CheckpointSections state_to_keep(Pacing& pacing, const std::string& backend, Simulation& simulation,
                                 const LastBeat& last_beat) {
  StateArchive archive;
  auto [potential_mv, states] = last_beat.change(simulation);
  simulation.exchange(archive);
  CheckpointSections sections = archive.sections();
  std::erase_if(sections, [](const auto& section) {
    return section.first != "simulation/time_ms" && section.first != "integrator/phi" &&
           section.first != "integrator/states";
  });
  StateArchive rest;
  pacing.identity.backend = backend;
  pacing.identity.exchange(rest);
  rest.value("prepace/potential_change_mv", potential_mv);
  rest.value("prepace/state_change", states);
  const std::vector<PulseCaptures> captures = simulation.captures();
  for (std::size_t k = 0; k < captures.size(); ++k) {
    auto [pulses, captured, missed, cramped, met] = captures[k];
    rest.value(fmt::format("prepace/{}/pulses", k), pulses);
    rest.value(fmt::format("prepace/{}/missed", k), missed);
  }
  sections.insert(rest.sections().begin(), rest.sections().end());
  return pacing.cached.as_state(std::move(sections));
}

/// The sections of the state after the last beat.
struct PacedState {
  std::optional<CheckpointSections> sections;
  ExitCode exit_code = ExitCode::done;
};

/// Computes the beats, from where an earlier pacing was ended. `is_kept`: the cache can be written to.
PacedState pace(Pacing& pacing, const Config& given, const PrepaceRun& run, bool is_kept,
                const StartedSimulation& started) {
  const InterruptGuard interrupts;  // not before: a signal ends the set-up of the simulation at once
  Simulation& simulation = *started.simulation;
  March march(TimeStepper(pacing.config.time, pacing.config.output.interval_ms, pacing.problem.stimuli));
  LastBeat last_beat(pacing, *given.prepace);
  Progress progress(pacing.cached, simulation, march, last_beat);
  if (is_kept) progress.load();
  last_beat.look(simulation);
  const bool has_checkpoints = is_kept && given.checkpoint;
  FrameClock clock(has_checkpoints ? given.checkpoint->interval_ms : std::numeric_limits<Real>::infinity());
  clock.due(simulation.time_ms());
  bool has_step = false, by_budget = false;
  march_in_time(march, pacing.config.time.end_ms, simulation,
                {[&] {
                   return Outlook{0, std::min(last_beat.next_look_ms(), clock.not_before_ms())};
                 },
                 [&] {
                   has_step = true;
                   last_beat.look(simulation);
                   if (has_checkpoints && clock.due(simulation.time_ms())) progress.save();
                 },
                 [&] {
                   if (interrupts.stop_requested()) return true;
                   by_budget = has_step && run.stop_after_seconds && run.watch.seconds() >= *run.stop_after_seconds;
                   return by_budget;
                 }});
  if (march.failure) {
    log_error("prepace: step {} (t = {:.6g} ms): {}; worst at node {} with {:.6g} mV", march.steps().accepted + 1,
              march.last_attempt_ms(), march.failure->reason, march.failure->node, march.failure->potential_mv);
    return {{}, ExitCode::not_converged};
  }
  if (!march.finished()) {
    const bool is_saved = is_kept && progress.save();
    log_warn("the pacing was stopped at t = {:.6g} of {:.6g} ms{}; no results are written", simulation.time_ms(),
             pacing.config.time.end_ms, is_saved ? ", from where the next run goes on with it" : "");
    if (!by_budget) return {{}, ExitCode::interrupted};
    return {{}, is_saved ? ExitCode::stopped : ExitCode::bad_input};
  }
  PacedState result{state_to_keep(pacing, started.backend, simulation, last_beat)};
  if (!is_kept) return result;
  try {
    write_checkpoint_file(pacing.cached.state(), *result.sections);
    progress.remove();
  } catch (const InputError& reason) {
    log_warn("prepace: the state is not kept: {}", reason.what());
  }
  return result;
}

/// The state after the last beat, and how steady the heart has become.
struct PacedHeart {
  SourceState source;
  std::string change, warning;
};

PacedHeart heart_of(const Pacing& pacing, const PrepaceConfig& prepace, CheckpointSections sections) {
  const std::filesystem::path file = pacing.cached.state();
  CheckpointSections of_pacing;  // and not the state, which may have gigabytes
  for (const auto& [name, content] : sections)
    if (name.starts_with("prepace/")) of_pacing.emplace(name, content);
  std::string change = change_in_words(StateArchive(of_pacing, file));
  std::string warning = unlike_beats(pacing.config, prepace, StateArchive(of_pacing, file));
  return {source_state(file, std::move(sections)), std::move(change), std::move(warning)};
}

/// What the cache has. `unusable` is the reason where it has something that cannot be taken, and else empty.
std::optional<PacedHeart> kept_heart(const Pacing& pacing, const PrepaceConfig& prepace, std::string& unusable) {
  std::optional<CheckpointSections> sections = pacing.cached.read_state(unusable);
  if (!sections) return std::nullopt;
  try {
    return heart_of(pacing, prepace, std::move(*sections));
  } catch (const InputError& reason) {
    unusable = reason.what();
    return std::nullopt;
  }
}

/// Locks the cache of the pacing, and waits for that. `lock` stays empty where the state cannot be kept, which a
/// warning says. Returns the exit code where `is_spent` or a signal has ended the waiting.
std::optional<ExitCode> take_lock(std::optional<CacheLock>& lock, const Pacing& pacing,
                                  const std::function<bool()>& is_spent) {
  const InterruptGuard interrupts;
  try {
    lock.emplace(pacing.cached, [&] { return interrupts.stop_requested() || is_spent(); });
    if (!lock->is_held() || interrupts.stop_requested())
      return interrupts.stop_requested() ? ExitCode::interrupted : ExitCode::stopped;
  } catch (const InputError& reason) {
    log_warn("prepace: the state will not be kept: {}", reason.what());
  }
  return std::nullopt;
}

/// The simulation that paces; nothing where it would be on a GPU that cannot be used and may be replaced, as it is
/// said.
std::optional<StartedSimulation> start_pacing(const Config& given, const Pacing& pacing) {
  if (pacing.config.backend == BackendChoice::cpu) return start_simulation(BackendChoice::cpu, pacing.problem);
  return start_on_gpu(given.backend, pacing.problem);
}

/// The state of a pacing on `backend`; nothing where that is a GPU that `auto` replaces by the CPU.
std::optional<Prepaced> prepaced_on(BackendChoice backend, const Config& config, const Problem& problem,
                                    const PrepaceRun& run) {
  Pacing pacing = pacing_of(config, problem, run.commit, backend);
  const auto is_spent = [&] { return run.stop_after_seconds && run.watch.seconds() >= *run.stop_after_seconds; };
  std::optional<CacheLock> lock;
  std::string unusable;
  std::optional<PacedHeart> heart = kept_heart(pacing, *config.prepace, unusable);
  if (!heart) {
    const std::optional<ExitCode> stopped = take_lock(lock, pacing, is_spent);
    heart = kept_heart(pacing, *config.prepace, unusable);  // another run may have made it meanwhile
    tell_unusable(unusable);
    if (!heart && stopped) {
      log_warn("the run was stopped while another one paced its heart; no results are written");
      return Prepaced{{}, *stopped};
    }
  }
  if (heart) {
    log_info("prepace: {} found in '{}' (remove that folder to pace anew)", in_words(*config.prepace),
             pacing.cached.folder().string());
  } else {
    const std::optional<StartedSimulation> started = start_pacing(config, pacing);
    if (!started) return std::nullopt;
    log_info("prepace: pacing the heart with {}", in_words(*config.prepace));
    PacedState paced = pace(pacing, config, run, lock.has_value(), *started);
    if (!paced.sections) return Prepaced{{}, paced.exit_code};
    heart = heart_of(pacing, *config.prepace, std::move(*paced.sections));
  }
  log_info("prepace: {}", heart->change);
  if (!heart->warning.empty()) log_warn("prepace: {}", heart->warning);
  return Prepaced{std::move(heart->source)};
}

}  // namespace

Prepaced prepaced_state(const Config& config, const Problem& problem, const PrepaceRun& run) {
  if (std::optional<Prepaced> prepaced = prepaced_on(expected_backend(config), config, problem, run))
    return std::move(*prepaced);
  return *prepaced_on(BackendChoice::cpu, config, problem, run);
}

std::string describe_prepace(const Config& config, const Problem& problem, const std::string& commit) {
  const Pacing pacing = pacing_of(config, problem, commit, expected_backend(config));
  std::string unusable;
  const bool is_kept = kept_heart(pacing, *config.prepace, unusable).has_value();
  tell_unusable(unusable);
  return fmt::format("{}, {}: '{}'", in_words(*config.prepace), is_kept ? "in the cache" : "not yet in the cache",
                     pacing.cached.state().string());
}

}  // namespace cardiowarp
