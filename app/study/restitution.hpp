#pragma once
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/config/config.hpp"
#include "app/config/stimulus_keys.hpp"
#include "app/study/study_runs.hpp"

namespace cardiowarp {

// Restitution of tissue: how the wave of one stimulus depends on the time since the wave before it. Each interval is a
// run of the same YAML file with another start of the stimulus (S1–S2), or another period of it (dynamic pacing).

/// The key that the runs of a restitution vary, and the stimulus that they look at.
enum class PacedBy { interval, period };

/// The wave of a pulse, as far as it came.
struct WaveAfterPulse {
  Real interval_ms = 0;                    ///< to the pulse from the one before it
  std::optional<bool> captured = {};       ///< nothing where it cannot be judged
  std::string not_judged = {};             ///< why
  std::optional<Real> diastolic_ms = {};   ///< at the last probe, from the repolarization of its beat before
  std::optional<Real> apd90_ms = {};       ///< at the last probe
  std::optional<Real> speed_m_per_s = {};  ///< from the first probe to the last, on the straight line
};

/// The runs of a protocol, each made once.
class RestitutionProtocol {
 public:
  /// `stimulus` is the name of the one that is varied, also an extra pulse of `intervals` (stimulus_keys.hpp); empty:
  /// the last one of the file. Throws InputError where the file has no such protocol: an S2 without a pulse before it,
  /// a dynamic stimulus without a period.
  RestitutionProtocol(Study study, PacedBy paced_by, const std::string& stimulus);

  /// Interval or period in the file itself, ms.
  Real given_ms() const { return given_ms_; }
  const std::string& stimulus() const { return stimulus_; }
  const Study& study() const { return study_; }

  /// Makes the runs of these intervals or periods that have not been made; `told` gets each wave when it is known.
  /// False where a signal or a run that failed (failure()) ended it. Throws InputError for times that no file could
  /// have.
  bool measure(const std::vector<Real>& times_ms, const std::function<void(const WaveAfterPulse&)>& told);

  /// The run that failed, with its reason.
  const std::optional<StudyResult>& failure() const { return failure_; }

  /// Whether a signal has ended measure() early.
  bool is_stopped() const { return is_stopped_; }

  /// The waves that are known, by interval or period, ms.
  const std::map<Real, WaveAfterPulse>& waves() const { return waves_; }

  /// The run of an interval or period, with what it sets.
  StudyRun run_of(Real time_ms) const;

 private:
  WaveAfterPulse wave_of(Real time_ms, const RunOutcome& outcome) const;

  Study study_;
  PacedBy paced_by_;
  std::size_t number_ = 0;  ///< of the stimulus in the configuration
  StimulusEntry entry_;     ///< of it
  std::string stimulus_;
  Config config_;
  Real given_ms_ = 0;
  Real origin_ms_ = 0;  ///< the last pulse before the stimulus, or its own first one
  std::map<Real, WaveAfterPulse> waves_;
  std::optional<StudyResult> failure_;
  bool is_stopped_ = false;
};

/// Two neighbors among intervals: the pulse captured at this one and at all longer ones, and did not at the next
/// shorter one, or could not be judged there. Nothing where no interval of the kind is known.
struct RefractoryPeriod {
  std::optional<Real> missed_ms, captured_ms;
};
RefractoryPeriod bracket_of(const std::map<Real, WaveAfterPulse>& waves);

/// The effective refractory period of the tissue, the longest interval in whole ms at which the pulse does not capture:
/// parts the span between the neighbors of bracket_of(), or the one below all intervals that captured, by `at_a_time`
/// runs at once, until the neighbors are 1 ms apart. It ends earlier where RestitutionProtocol::measure() does.
RefractoryPeriod find_refractory_period(RestitutionProtocol& protocol, int at_a_time,
                                        const std::function<void(const WaveAfterPulse&)>& told);

/// The next intervals, whole ms strictly between the two, evenly spread, at most `most` of them.
std::vector<Real> inside(Real missed_ms, Real captured_ms, int most);

}  // namespace cardiowarp
