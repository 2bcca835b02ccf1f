#include "app/output/probe_beats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>

#include "app/config/map_kind.hpp"
#include "app/output/beat_tables.hpp"
#include "fem/beat_log.hpp"

namespace cardiowarp {
namespace {

/// dφ/dt at a row, per ms: of the parabola through it and its neighbors, or of the line to the only one.
Real slope_at(const std::vector<Real>& time_ms, const std::vector<Real>& phi, std::size_t row) {
  const auto rise = [&](std::size_t from) { return (phi[from + 1] - phi[from]) / (time_ms[from + 1] - time_ms[from]); };
  if (row == 0) return rise(0);
  if (row + 1 == phi.size()) return rise(row - 1);
  const Real before = time_ms[row] - time_ms[row - 1], after = time_ms[row + 1] - time_ms[row];
  return (before * rise(row) + after * rise(row - 1)) / (before + after);
}

/// An upper limit for the number of beats: those that rise through `level_mv` from row to row.
int most_beats(const SeriesTable& potential_mv, Real level_mv) {
  std::ptrdiff_t most = 1;
  for (const std::vector<Real>& column : potential_mv.columns) {
    std::ptrdiff_t rising = 1;
    for (std::size_t row = 1; row < column.size(); ++row)
      rising += column[row - 1] < level_mv && column[row] >= level_mv;
    most = std::max(most, rising);
  }
  return static_cast<int>(most);
}

void follow(const BeatLog& log, Index point, const std::vector<Real>& time_ms, const std::vector<Real>& phi) {
  if (phi.empty()) return;
  log.start(point, phi.front());
  for (std::size_t row = 1; row < phi.size(); ++row) {
    const Real step = time_ms[row] - time_ms[row - 1];
    if (step <= 0) continue;
    log.record(point, CubicPath{time_ms[row - 1], time_ms[row], phi[row - 1], phi[row],
                                step * slope_at(time_ms, phi, row - 1), step * slope_at(time_ms, phi, row)});
  }
}

}  // namespace

BeatRecords beats_of_series(const SeriesTable& potential_mv, const Scaling& scaling, Real activation_mv) {
  const std::size_t points = potential_mv.columns.size();
  const int most = most_beats(potential_mv, activation_mv);
  const std::size_t kept = points * static_cast<std::size_t>(most);
  BeatRecords records{.points = points, .kept = most};
  std::vector<Real> beats(points), is_armed(points), steepest(points);
  records.activation_ms.resize(kept);
  records.peak_mv.resize(kept);
  records.upstroke_mv_per_ms.resize(kept);
  for (std::vector<Real>& level : records.repolarized_ms) level.resize(kept);
  const BeatLog log{static_cast<Index>(points),
                    most,
                    false,
                    scaling.phi_from_mv(activation_mv),
                    beats.data(),
                    is_armed.data(),
                    steepest.data(),
                    records.activation_ms.data(),
                    records.peak_mv.data(),
                    {records.repolarized_ms[0].data(), records.repolarized_ms[1].data(),
                     records.repolarized_ms[2].data(), records.repolarized_ms[3].data()},
                    records.upstroke_mv_per_ms.data()};
  std::vector<Real> phi;
  for (std::size_t point = 0; point < points; ++point) {
    phi.clear();
    for (const Real value : potential_mv.columns[point]) phi.push_back(scaling.phi_from_mv(value));
    follow(log, static_cast<Index>(point), potential_mv.time_ms, phi);
  }
  for (const Real number : beats) records.beats.push_back(static_cast<int>(number));
  for (std::size_t i = 0; i < kept; ++i) {
    if (records.activation_ms[i] < 0) continue;
    records.peak_mv[i] = scaling.mv_from_phi(records.peak_mv[i]);
    records.upstroke_mv_per_ms[i] *= scaling.mv_per_phi;
  }
  return records;
}

std::string probe_table(const std::vector<std::string>& names, const BeatRecords& records) {
  std::string table = "probe,beat";
  const auto is_of_point = [](const MapTraits& map) { return map.kind != MapKind::conduction_velocity; };
  for (const MapTraits& map : map_traits)
    if (is_of_point(map)) table += fmt::format(",{}", map.name);
  table += "\n";
  for (std::size_t point = 0; point < names.size(); ++point)
    for (int beat = 0; beat < records.beats[point]; ++beat) {
      table += fmt::format("{},{}", names[point], beat + 1);
      for (const MapTraits& map : map_traits) {
        if (!is_of_point(map)) continue;
        const Real value = value_of(map.kind, records, point, beat);
        table += value < 0 ? "," : fmt::format(",{}", value);
      }
      table += "\n";
    }
  return table;
}

}  // namespace cardiowarp
