#include "app/study/restitution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/config/config.hpp"
#include "app/output/probe_beats.hpp"
#include "app/output/series_table.hpp"
#include "fem/beat_log.hpp"
#include "fem/input_error.hpp"
#include "fem/nearest_name.hpp"
#include "fem/scaling.hpp"

namespace cardiowarp {
namespace {

/// Waves in tissue that has not recovered may stay below 0 mV; captures are judged by this potential, too.
constexpr Real active_mv = -50;

Real last_pulse_ms(const StimulusConfig& stimulus) {
  return stimulus.start_ms + (stimulus.count - 1) * stimulus.period_ms.value_or(0);
}

std::string in_ms(Real time_ms) { return fmt::format("{} ms", time_ms); }

std::size_t number_of(const Config& config, const std::string& name) {
  if (config.stimuli.empty()) throw InputError(fmt::format("{}: expected stimuli, got none", config.file.string()));
  if (name.empty()) return config.stimuli.size() - 1;
  std::vector<std::string> names;
  for (const StimulusConfig& stimulus : config.stimuli) {
    if (stimulus.name == name) return names.size();
    names.push_back(stimulus.name);
  }
  throw InputError(
      fmt::format("--stimulus: expected the name of a stimulus, got '{}'{}", name, suggestion(name, names)));
}

/// The last pulse of all other stimuli, which S2 follows.
Real pulse_before(const Config& config, std::size_t number) {
  Real last_ms = -INFINITY;
  for (std::size_t other = 0; other < config.stimuli.size(); ++other)
    if (other != number) last_ms = std::max(last_ms, last_pulse_ms(config.stimuli[other]));
  const StimulusConfig& stimulus = config.stimuli[number];
  if (config.stimuli.size() == 1)
    throw InputError(fmt::format("--stimulus {}: expected another stimulus before it, got none", stimulus.name));
  if (!(last_ms < stimulus.start_ms) || stimulus.count != 1)
    throw InputError(
        fmt::format("--stimulus {}: expected one pulse that begins after those of the other stimuli, got {} from {:g} "
                    "ms on after one at {:g} ms (a `count` ends S1)",
                    stimulus.name, stimulus.count == 1 ? "one" : "several", stimulus.start_ms, last_ms));
  return last_ms;
}

/// Where the stimulus stands in the file. One that it shares an entry with has to be of `intervals`, and before it.
StimulusEntry entry_of(const Study& study, const Config& config, std::size_t number, PacedBy paced_by) {
  const StimulusEntry entry = entries_of_stimuli(study.file, study.settings, config.time.end_ms).at(number);
  const std::string& name = config.stimuli[number].name;
  if (paced_by == PacedBy::period && !entry.is_alone)
    throw InputError(
        fmt::format("--stimulus {}: expected one with a period and without periods, intervals or repeats, "
                    "got one of stimuli[{}], which has some",
                    name, entry.number));
  if (paced_by == PacedBy::interval && !entry.is_alone && !entry.interval)
    throw InputError(
        fmt::format("--stimulus {}: expected a stimulus of one pulse, or an extra pulse of intervals without repeats, "
                    "got another one of stimuli[{}]",
                    name, entry.number));
  return entry;
}

/// The beats of a probe, of which the wave's is the last.
struct BeatsAtProbe {
  std::optional<Real> activation_ms = {}, apd90_ms = {}, diastolic_ms = {};
};

BeatsAtProbe beats_at(const SeriesTable& table, std::size_t probe, Real pulse_ms) {
  const SeriesTable alone{{table.names[probe]}, table.time_ms, {table.columns[probe]}};
  if (alone.time_ms.empty()) return {};
  // The probe's lowest potential is its rest, from which its beats are measured.
  const Scaling scaling{std::ranges::min(alone.columns[0]), 100, 1};
  const BeatRecords records = beats_of_series(alone, scaling, active_mv);
  const auto last = static_cast<std::size_t>(std::max(records.beats[0] - 1, 0));
  const std::vector<Real>& repolarized_ms = records.repolarized_ms[BeatLog::last_level];
  if (records.beats[0] == 0 || records.activation_ms[last] < pulse_ms) return {};
  BeatsAtProbe beats{.activation_ms = records.activation_ms[last]};
  if (repolarized_ms[last] >= 0) beats.apd90_ms = repolarized_ms[last] - records.activation_ms[last];
  if (last > 0 && repolarized_ms[last - 1] >= 0)
    beats.diastolic_ms = records.activation_ms[last] - repolarized_ms[last - 1];
  return beats;
}

}  // namespace

RestitutionProtocol::RestitutionProtocol(Study study, PacedBy paced_by, const std::string& stimulus)
    : study_(std::move(study)), paced_by_(paced_by), config_(load_config(study_.file, study_.settings)) {
  number_ = number_of(config_, stimulus);
  const StimulusConfig& paced = config_.stimuli[number_];
  stimulus_ = paced.name;
  entry_ = entry_of(study_, config_, number_, paced_by_);
  if (paced_by_ == PacedBy::interval) {
    origin_ms_ = pulse_before(config_, number_);
    given_ms_ = paced.start_ms - origin_ms_;
  } else {
    if (!paced.period_ms)
      throw InputError(fmt::format("--stimulus {}: expected one with a period, got one without", paced.name));
    if (paced.count == 1 && !config_.prepace)
      throw InputError(fmt::format("--stimulus {}: expected several pulses (count), or prepace, got one", paced.name));
    if (config_.time.end_ms <= last_pulse_ms(paced))
      throw InputError(fmt::format("time.end: expected a time after the last pulse of {}, at {:g} ms, got {:g} ms",
                                   paced.name, last_pulse_ms(paced), config_.time.end_ms));
    origin_ms_ = paced.start_ms;
    given_ms_ = *paced.period_ms;
  }
  // The results are probes and summaries: two frames are enough.
  study_.settings.push_back({"output.interval", in_ms(std::max(config_.output.interval_ms, config_.time.end_ms))});
}

StudyRun RestitutionProtocol::run_of(Real time_ms) const {
  const std::string key = fmt::format("stimuli.{}.", entry_.number);
  const StimulusConfig& paced = config_.stimuli[number_];
  StudyRun run{fmt::format("{}_{}ms", paced_by_ == PacedBy::interval ? "interval" : "period", time_ms), {}};
  const Real pulses_before = paced_by_ == PacedBy::interval ? 1 : paced.count - 1;
  // As much time is left after the last pulse as in the file.
  const Real end_ms = config_.time.end_ms + pulses_before * (time_ms - given_ms_);
  if (paced_by_ == PacedBy::interval && entry_.interval) {
    run.settings.push_back({fmt::format("{}intervals.{}", key, *entry_.interval), in_ms(time_ms)});
  } else if (paced_by_ == PacedBy::interval) {
    run.settings.push_back({key + "start", in_ms(origin_ms_ + time_ms)});
  } else {
    run.settings.push_back({key + "period", in_ms(time_ms)});
    run.settings.push_back({key + "count", fmt::format("{}", paced.count)});
    if (config_.prepace) run.settings.push_back({"prepace.period", in_ms(time_ms)});
  }
  run.settings.push_back({"time.end", in_ms(end_ms)});
  return run;
}

WaveAfterPulse RestitutionProtocol::wave_of(Real time_ms, const RunOutcome& outcome) const {
  WaveAfterPulse wave{.interval_ms = time_ms};
  const PacedOutcome& stimulus = outcome.stimuli.at(number_);
  wave.captured = stimulus.captured;
  wave.not_judged = stimulus.not_judged;
  if (config_.probes.empty() || !wave.captured.value_or(false)) return wave;  // what comes by may be an earlier wave
  const Real pulse_ms =
      origin_ms_ + (paced_by_ == PacedBy::interval ? 1 : config_.stimuli[number_].count - 1) * time_ms;
  const SeriesTable table = series_table(text_of_series(study_.folder / run_of(time_ms).name / "probes.csv"));
  const BeatsAtProbe first = beats_at(table, 0, pulse_ms), last = beats_at(table, table.names.size() - 1, pulse_ms);
  wave.apd90_ms = last.apd90_ms;
  wave.diastolic_ms = last.diastolic_ms;
  if (first.activation_ms && last.activation_ms && *first.activation_ms != *last.activation_ms)
    wave.speed_m_per_s = norm(config_.probes.back().point - config_.probes.front().point) /
                         std::fabs(*last.activation_ms - *first.activation_ms);
  return wave;
}

bool RestitutionProtocol::measure(const std::vector<Real>& times_ms,
                                  const std::function<void(const WaveAfterPulse&)>& told) {
  std::vector<Real> left;
  std::vector<StudyRun> runs;
  for (const Real time_ms : times_ms) {
    if (waves_.contains(time_ms) || std::ranges::find(left, time_ms) != left.end()) continue;
    left.push_back(time_ms);
    runs.push_back(run_of(time_ms));
  }
  const bool is_whole = make_runs(study_, runs, [&](std::size_t run, const StudyResult& result) {
    if (result.exit_code != 0 || !result.outcome) {
      failure_ = result;
      failure_->reason = fmt::format("{}: {}", runs[run].name, result.reason);
      return;
    }
    told(waves_[left[run]] = wave_of(left[run], *result.outcome));
  });
  is_stopped_ = !is_whole;
  return is_whole && !failure_;
}

RefractoryPeriod bracket_of(const std::map<Real, WaveAfterPulse>& waves) {
  RefractoryPeriod bracket;
  for (auto wave = waves.rbegin(); wave != waves.rend(); ++wave) {
    if (!wave->second.captured.value_or(false)) {
      bracket.missed_ms = wave->first;
      break;
    }
    bracket.captured_ms = wave->first;
  }
  return bracket;
}

std::vector<Real> inside(Real missed_ms, Real captured_ms, int most) {
  const Real least = std::floor(missed_ms) + 1, largest = std::ceil(captured_ms) - 1;
  const auto whole = static_cast<int>(std::max(largest - least + 1, Real(0)));
  const int number = std::min(most, whole);
  std::vector<Real> times_ms;
  for (int k = 1; k <= number; ++k)
    times_ms.push_back(least + std::floor(static_cast<Real>(k * (whole + 1)) / (number + 1)) - 1);
  return times_ms;
}

RefractoryPeriod find_refractory_period(RestitutionProtocol& protocol, int at_a_time,
                                        const std::function<void(const WaveAfterPulse&)>& told) {
  for (;;) {
    const RefractoryPeriod bracket = bracket_of(protocol.waves());
    if (!bracket.captured_ms) return bracket;
    const std::vector<Real> next = inside(bracket.missed_ms.value_or(0), *bracket.captured_ms, at_a_time);
    if (next.empty() || !protocol.measure(next, told)) return bracket;
  }
}

}  // namespace cardiowarp
