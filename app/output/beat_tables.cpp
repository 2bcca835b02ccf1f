#include "app/output/beat_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/config/output_config.hpp"
#include "fem/mesh.hpp"
#include "fem/tetrahedron.hpp"
#include "kernels/backend/thread_team.hpp"

namespace cardiowarp {
namespace {

constexpr Real missing = -1;

/// Whether a map is one of all nodes' records, and not made of another map.
bool is_of_points(MapKind kind) { return kind != MapKind::conduction_velocity; }

std::vector<Real> values_of(MapKind kind, const BeatRecords& records, int beat) {
  std::vector<Real> values(records.points);
  parallel_for(values.size(), [&](std::size_t point) {
    values[point] = value_of(kind, records, point, beat == BeatMap::last_beat ? records.beats[point] - 1 : beat);
  });
  return values;
}

std::string name_of(const MapTraits& map, int beat) {
  if (beat == 0) return std::string(map.name);
  return beat == BeatMap::last_beat ? fmt::format("{}_last", map.name) : fmt::format("{}_{}", map.name, beat + 1);
}

/// A map of the first beats, whose times are known without records.
std::vector<Real> first_values(MapKind kind, const BeatTimes& first, const BeatRecords& records) {
  if (kind == MapKind::activation_time) return first.activation_ms;
  if (kind == MapKind::apd90) return first.apd90_ms;
  return values_of(kind, records, 0);
}

/// The beats of which there are maps.
std::vector<int> beats_of(const OutputConfig& config, const BeatRecords& records) {
  std::vector<int> beats{0};
  if (config.beats == BeatChoice::last) beats.push_back(BeatMap::last_beat);
  if (config.beats == BeatChoice::all)
    for (int beat = 1; beat < records.kept; ++beat) beats.push_back(beat);
  return beats;
}

/// Of the first beats only times and velocities are known where the last ones are kept, and never an interval.
bool is_known(MapKind kind, int beat, const OutputConfig& config) {
  if (beat == 0 && (kind == MapKind::cycle_length || kind == MapKind::diastolic_interval)) return false;
  const bool has_first = config.beats != BeatChoice::last;
  return beat != 0 || has_first || kind == MapKind::activation_time || kind == MapKind::apd90 ||
         kind == MapKind::conduction_velocity;
}

}  // namespace

Real value_of(MapKind kind, const BeatRecords& records, std::size_t point, int beat) {
  const auto of = [&](const std::vector<Real>& values, int number) {
    const int kept_as = records.kept_as(point, number);
    return kept_as < 0 || values.empty() ? missing : values[static_cast<std::size_t>(kept_as) * records.points + point];
  };
  const auto between = [](Real begin, Real end) { return begin < 0 || end < 0 ? missing : end - begin; };
  const std::array<std::vector<Real>, BeatLog::levels>& repolarized = records.repolarized_ms;
  const Real activation = of(records.activation_ms, beat);
  switch (kind) {
    case MapKind::activation_time:
      return activation;
    case MapKind::apd30:
      return between(activation, of(repolarized[0], beat));
    case MapKind::apd50:
      return between(activation, of(repolarized[1], beat));
    case MapKind::apd80:
      return between(activation, of(repolarized[2], beat));
    case MapKind::apd90:
      return between(activation, of(repolarized[3], beat));
    case MapKind::repolarization_time:
      return of(repolarized[3], beat);
    case MapKind::peak:
      return of(records.peak_mv, beat);
    case MapKind::upstroke_velocity:
      return of(records.upstroke_mv_per_ms, beat);
    case MapKind::cycle_length:
      return between(of(records.activation_ms, beat - 1), activation);
    case MapKind::diastolic_interval:
      return between(of(repolarized[3], beat - 1), activation);
    case MapKind::conduction_velocity:
      break;
  }
  return missing;
}

std::vector<BeatMap> maps_of_beats(const OutputConfig& config, const Mesh& mesh, const BeatTimes& first,
                                   const BeatRecords& records) {
  std::vector<BeatMap> maps;
  for (const int beat : beats_of(config, records))
    for (const MapTraits& map : map_traits) {
      if (!config.has(map.kind) || !is_known(map.kind, beat, config)) continue;
      const auto values = [&](MapKind kind) {
        return beat == 0 ? first_values(kind, first, records) : values_of(kind, records, beat);
      };
      maps.push_back(
          {name_of(map, beat), map.kind, beat,
           is_of_points(map.kind) ? values(map.kind) : conduction_velocity(mesh, values(MapKind::activation_time))});
    }
  return maps;
}

std::vector<Real> conduction_velocity(const Mesh& mesh, const std::vector<Real>& activation_ms) {
  constexpr Real least_gradient = 1e-3;  // ms/mm
  std::vector<Real> velocity(3 * mesh.tetrahedra.size(), 0);
  parallel_for(mesh.tetrahedra.size(), [&](std::size_t element) {
    const Tetrahedron& corners = mesh.tetrahedra[element];
    const TetrahedronGeometry geometry = tetrahedron_geometry(mesh.nodes, corners);
    Vector3 gradient;
    for (int i = 0; i < 4; ++i) {
      if (activation_ms[corners[i]] < 0) return;
      gradient = gradient + activation_ms[corners[i]] * geometry.gradient[i];
    }
    if (!(norm(gradient) >= least_gradient)) return;
    const Vector3 v = (1 / dot(gradient, gradient)) * gradient;
    velocity[3 * element] = v.x;
    velocity[3 * element + 1] = v.y;
    velocity[3 * element + 2] = v.z;
  });
  return velocity;
}

MapSummary summary_of(const BeatMap& map) {
  MapSummary summary{map.name, map.kind, map.beat};
  const bool is_vector = !is_of_points(map.kind);
  const std::size_t number = is_vector ? map.values.size() / 3 : map.values.size();
  std::vector<Real> known;
  for (std::size_t k = 0; k < number; ++k) {
    const Real value =
        is_vector ? norm({map.values[3 * k], map.values[3 * k + 1], map.values[3 * k + 2]}) : map.values[k];
    if (is_vector ? value > 0 : value >= 0) known.push_back(value);
  }
  summary.known = known.size();
  summary.missing = number - known.size();
  if (known.empty()) return summary;
  const auto middle = known.begin() + static_cast<std::ptrdiff_t>((known.size() - 1) / 2);
  std::nth_element(known.begin(), middle, known.end());
  summary.median = *middle;
  summary.minimum = *std::min_element(known.begin(), known.end());
  summary.maximum = *std::max_element(known.begin(), known.end());
  return summary;
}

std::string in_words(const MapSummary& summary) {
  if (summary.known == 0) return fmt::format("{} missing everywhere", summary.name);
  const std::string of_missing = summary.missing == 0 ? "" : fmt::format(", missing at {}", summary.missing);
  return fmt::format("{} {:.4g} to {:.4g} {}, median {:.4g}{}", summary.name, summary.minimum, summary.maximum,
                     traits_of(summary.kind).unit, summary.median, of_missing);
}

std::string unfinished_warning(const BeatRecords& records, Real simulated_ms) {
  std::size_t known = 0, missing_at = 0;
  Real longest_ms = 0, last_ms = 0;
  for (std::size_t point = 0; point < records.beats.size(); ++point) {
    const int beat = records.beats[point] - 1;
    const Real begin_ms = value_of(MapKind::activation_time, records, point, beat);
    if (begin_ms < 0) continue;
    const Real apd90_ms = value_of(MapKind::apd90, records, point, beat);
    ++(apd90_ms >= 0 ? known : missing_at);
    if (apd90_ms >= 0)
      longest_ms = std::max(longest_ms, apd90_ms);
    else
      last_ms = std::max(last_ms, begin_ms);
  }
  if (known == 0 || missing_at == 0) return "";
  const Real about_ms = 10 * std::ceil((last_ms + longest_ms) / 10);
  const std::string remedy = about_ms > simulated_ms
                                 ? fmt::format("a time.end of about {:.6g} ms would let them end", about_ms)
                                 : "that is later than the other nodes would let expect";
  return fmt::format("the last beats of {} of {} activated nodes had not repolarized by {:.6g} ms: {}", missing_at,
                     known + missing_at, simulated_ms, remedy);
}

std::string too_many_warning(const BeatRecords& records) {
  if (records.last) return "";
  const auto nodes = std::ranges::count_if(records.beats, [&](int beats) { return beats > records.kept; });
  return nodes == 0 || records.kept < 2 ? ""
                                        : fmt::format("{} nodes had more than {} beats: maps have the first {}", nodes,
                                                      records.kept, records.kept);
}

std::string table_of(const std::vector<MapSummary>& summaries) {
  std::string table = "beat,map,unit,known,missing,minimum,median,maximum\n";
  for (const MapSummary& map : summaries) {
    const std::string beat = map.beat == BeatMap::last_beat ? "last" : std::to_string(map.beat + 1);
    const std::string numbers = map.known == 0 ? ",," : fmt::format("{},{},{}", map.minimum, map.median, map.maximum);
    table += fmt::format("{},{},{},{},{},{}\n", beat, traits_of(map.kind).name, traits_of(map.kind).unit, map.known,
                         map.missing, numbers);
  }
  return table;
}

}  // namespace cardiowarp
