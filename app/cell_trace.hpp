#pragma once
#include <span>
#include <string>
#include <vector>

#include "app/measure/table.hpp"
#include "fem/cells/beats/restitution.hpp"
#include "fem/cells/beats/single_cell.hpp"

namespace cardiowarp {

// The output of `cardiowarp cell`: the course of a single cell as CSV and as a picture, and a line for each beat.

/// The potential and the states of a cell over time, one point a step.
class CellTrace {
 public:
  /// `states` are their names.
  explicit CellTrace(std::vector<std::string> states) : states_(std::move(states)) {}

  void add(double time_ms, double potential_mv, std::span<const double> states);
  void clear();

  /// `time_ms,potential_mV,NAME..`, a line a point.
  std::string csv() const;
  /// The potential over time as SVG.
  std::string figure(const std::string& title) const;

 private:
  std::vector<std::string> states_;
  std::vector<double> time_ms_, potential_mv_;
  std::vector<double> values_;  ///< [points][states]
};

/// One line a beat: rest, peak, largest dV/dt, APD50 and APD90; empty where the potential does not come back in time.
Table beat_table(const std::vector<BeatReport>& beats);

/// One line a point of s1s2; empty where there is none of a number.
Table restitution_table(const std::vector<RestitutionPoint>& points);
/// Two lines a period of the dynamic protocol, its last beats, with the rhythm of the period in words.
Table dynamic_table(const std::vector<DynamicPeriod>& periods);

/// Down to which interval S2 captures.
std::string in_words(const std::vector<RestitutionPoint>& points);
/// At which periods beats alternate or pulses are blocked; a line for each of these.
std::string in_words(const std::vector<DynamicPeriod>& periods);

/// APD90 over the diastolic interval as SVG; empty where no point has both.
std::string restitution_figure(const std::string& title, const std::vector<RestitutionPoint>& points);
/// APD90 of the last two beats over the period as SVG; empty where no beat has one.
std::string dynamic_figure(const std::string& title, const std::vector<DynamicPeriod>& periods);

}  // namespace cardiowarp
