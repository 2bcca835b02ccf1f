#include "app/config/stimulus_keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <set>
#include <string>
#include <utility>

#include "app/config/conductivity_keys.hpp"
#include "app/config/network_keys.hpp"
#include "app/config/sections.hpp"
#include "app/config/value_meanings.hpp"
#include "app/config/yaml_text.hpp"
#include "app/config/yaml_tree.hpp"
#include "fem/range.hpp"

namespace cardiowarp {
namespace {

constexpr int most_trains = 1000;  ///< of an entry

/// A period without a count repeats the stimulus until the end.
int beats_until(Real end_ms, Real start_ms, Real period_ms) {
  const Real beats = std::ceil((end_ms - start_ms) / period_ms);
  return static_cast<int>(std::clamp<Real>(beats, 1, std::numeric_limits<int>::max()));
}

Real last_pulse_ms(const StimulusConfig& stimulus) {
  return stimulus.start_ms + (stimulus.count - 1) * stimulus.period_ms.value_or(0);
}

/// `name`, with a number behind it where `taken` has it.
std::string untaken(const std::string& name, std::set<std::string>& taken) {
  std::string unique = name;
  for (int number = 2; !taken.insert(unique).second; ++number) unique = fmt::format("{}_{}", name, number);
  return unique;
}

/// A time from one pulse to the next, at least the duration.
Real read_time(const YamlReader& in, Real duration_ms) {
  const Real time_ms = in.number(time_quantity, positive);
  if (time_ms < duration_ms) in.fail(fmt::format("at least the duration, {} ms", duration_ms));
  return time_ms;
}

std::vector<Real> read_list(const YamlReader& in, Real duration_ms) {
  std::vector<Real> times_ms;
  for (const YamlReader& entry : in.entries()) times_ms.push_back(read_time(entry, duration_ms));
  if (in.present() && times_ms.empty()) in.fail("one time (ms, s, us) or more", "none");
  return times_ms;
}

/// A list, or `{from: 400 ms, to: 200 ms, step: 10 ms}`.
std::vector<Real> read_periods(const YamlReader& in, Real duration_ms) {
  if (!in.is_map()) return read_list(in, duration_ms);
  in.expect_keys({"from", "to", "step"});
  const Real from_ms = read_time(in["from"], duration_ms), to_ms = read_time(in["to"], duration_ms);
  const Real step_ms = in["step"].number(time_quantity, positive);
  const Real steps = std::floor(std::fabs(to_ms - from_ms) / step_ms + 1e-9);
  if (steps >= most_trains) in["step"].fail(fmt::format("at most {} periods", most_trains));
  std::vector<Real> times_ms;
  for (int k = 0; k <= static_cast<int>(steps); ++k)
    times_ms.push_back(from_ms + k * (to_ms < from_ms ? -step_ms : step_ms));
  return times_ms;
}

KeyDescription described_time(const char* name, const char* meaning) {
  return {.name = name,
          .meaning = meaning,
          .default_value = required,
          .is_required = true,
          .shape = {.kind = KeyKind::number, .quantity = time_quantity, .range = positive}};
}

void visit_periods(KeyVisitor& keys, const StimulusConfig& train, PulseProtocol& protocol) {
  keys.special(
      {"periods", "In place of `period`, one after another: after the first pulse, `count` at each.", "none"},
      {.kind = KeyKind::numbers,
       .quantity = time_quantity,
       .range = positive,
       .keys = {described_time("from", "The first of equal steps, in place of a list."),
                described_time("to", "The last one."), described_time("step", "From one to the next.")}},
      [&](const YamlReader& in) {
        protocol.periods_ms = read_periods(in, train.duration_ms);
        if (in.present() && train.period_ms) in.fail("none beside period", "some");
      },
      [] { return ""; });
}

/// What comes after the train.
void visit_further_pulses(KeyVisitor& keys, const StimulusConfig& train, PulseProtocol& protocol) {
  std::optional<Real> pause_ms;
  keys.special(
      {"intervals", "Extra pulses after the last one, S2, S3, …, each so long after the one before it.", "none"},
      {.kind = KeyKind::numbers, .quantity = time_quantity, .range = positive},
      [&](const YamlReader& in) { protocol.intervals_ms = read_list(in, train.duration_ms); }, [] { return ""; });
  keys.special(
      {"repeats", "How often all these pulses come, as in bursts.", "1"},
      {.kind = KeyKind::whole_number, .range = {1, most_trains}},
      [&](const YamlReader& in) { protocol.repeats = in.whole_number(1, most_trains, 1); }, [] { return ""; });
  keys.special(
      {"pause", "With `repeats`: from the last of them to the first of the next time.", "none"},
      {.kind = KeyKind::number, .quantity = time_quantity, .range = positive},
      [&](const YamlReader& in) {
        if (in.present()) pause_ms = read_time(in, train.duration_ms);
      },
      [] { return ""; });
  const YamlReader* const in = keys.reading();
  if (!in) return;
  if (protocol.repeats > 1 && !pause_ms) (*in)["pause"].fail("a positive time (ms, s, us) to go with repeats");
  if (protocol.repeats == 1 && pause_ms) (*in)["repeats"].fail("2 or more to go with pause");
  protocol.pause_ms = pause_ms.value_or(0);
}

/// The keys of a train against each other and against what follows it.
void check_pulses(const YamlReader& in, const StimulusConfig& train, const PulseProtocol& protocol) {
  if (train.period_ms && *train.period_ms < train.duration_ms)
    in["period"].fail(fmt::format("at least the duration, {} ms", train.duration_ms));
  if (!train.period_ms && protocol.periods_ms.empty() && train.count > 1)
    in["period"].fail("a positive time (ms, s, us) to go with count");
  if (protocol.is_empty()) return;
  if (train.period_ms && !in["count"].present())
    in["count"].fail("the number of pulses after which those of intervals or repeats come");
  const std::size_t trains = std::max<std::size_t>(protocol.periods_ms.size(), 1) + protocol.intervals_ms.size();
  if (trains * static_cast<std::size_t>(protocol.repeats) > most_trains)
    in.fail(fmt::format("at most {} periods and intervals in all repeats", most_trains),
            fmt::format("{} in each of {}", trains, protocol.repeats));
}

/// The place or the network, one of which is given.
void visit_place(KeyVisitor& keys, StimulusConfig& stimulus) {
  const YamlReader* const in = keys.reading();
  const bool has_network = in ? (*in)["network"].present() : stimulus.network && !keys.describes();
  if (has_network && in && (*in)["where"].present()) in->fail("one of the keys where and network", "both");
  if (!has_network)
    visit_where(keys, stimulus.where, {"box", "sphere", "tag", "surface", "nodes"}, "The nodes that are stimulated.",
                "required, or `network`");
  keys.optional_section<NetworkConfig>({"network", "A Purkinje network that stimulates them."}, stimulus.network,
                                       visit_network, KeyVisitor::Style::flow);
  if (in && stimulus.network) stimulus.where = {Everywhere{}, stimulus.network->place};
}

void visit_stimulus(KeyVisitor& keys, StimulusConfig& stimulus, PulseProtocol& protocol, std::set<std::string>& names,
                    Real end_ms, const std::optional<Membrane>& membrane) {
  const YamlReader* const in = keys.reading();
  keys.special(
      {"name", "What messages and `prepace` call it; no two are alike.", "`stimulus_1`, `stimulus_2`, …"},
      {.kind = KeyKind::text, .in_words = "no `,` `;` quotes"},
      [&](const YamlReader& name) {
        stimulus.name = read_unique_name(name, names, fmt::format("stimulus_{}", names.size() + 1));
      },
      [&] { return yaml_quoted(stimulus.name); });
  visit_place(keys, stimulus);
  keys.number({"start", "When the first beat begins."}, stimulus.start_ms, time_quantity, non_negative);
  keys.number({"duration", "How long a beat lasts.", required}, stimulus.duration_ms, time_quantity, positive);
  keys.special(
      {"amplitude",
       "The rate at which the potential is driven; a positive one depolarizes. With `conductivity` also a current, as "
       "`35 uA/cm^2` or per volume.",
       required},
      {.kind = KeyKind::number, .quantity = potential_rate_quantity},
      [&](const YamlReader& amplitude) { stimulus.amplitude_mv_per_ms = read_amplitude(amplitude, membrane); },
      [&] { return yaml_number(stimulus.amplitude_mv_per_ms); });
  keys.number({"period", "The time from beat to beat.", "one beat", "at least `duration`"}, stimulus.period_ms,
              time_quantity, positive);
  visit_periods(keys, stimulus, protocol);
  if (in) stimulus.count = stimulus.period_ms ? beats_until(end_ms, stimulus.start_ms, *stimulus.period_ms) : 1;
  keys.whole_number({"count", "The number of beats; more than one need a `period`.",
                     "with a `period` all that start before `time.end`, else 1", "at least 1"},
                    stimulus.count, 1, std::numeric_limits<int>::max());
  visit_further_pulses(keys, stimulus, protocol);
  if (in) check_pulses(*in, stimulus, protocol);
  if (in && stimulus.network && (*in)["edge"].present())
    (*in)["edge"].fail("none beside network, whose nodes have all of the stimulus", "one");
  if (in || keys.describes() || !stimulus.network)
    keys.choice({"edge", "Which share of the stimulus a node at the edge of `where` has."}, stimulus.edge,
                stimulus_edge_names, stimulus_edge_meanings);
}

/// The entries of the list; `take` gets each that is read, with its number.
void visit_entries(KeyVisitor& keys, const std::vector<StimulusConfig>& written, Real end_ms,
                   const std::function<void(std::size_t entry, std::vector<StimulusTrain> trains)>& take) {
  std::set<std::string> names;
  const std::optional<Membrane> membrane = keys.reading() ? read_membrane(*keys.reading()) : std::nullopt;
  keys.entries({"stimuli", "What drives the potential."}, written.size(), [&](KeyVisitor& inside, std::size_t number) {
    StimulusConfig stimulus = number < written.size() ? written[number] : StimulusConfig();
    PulseProtocol protocol;
    visit_stimulus(inside, stimulus, protocol, names, end_ms, membrane);
    if (!inside.reading()) return;
    std::vector<StimulusTrain> trains = trains_of(stimulus, protocol);
    for (StimulusTrain& train : trains)
      if (&train != &trains.front()) train.stimulus.name = untaken(train.stimulus.name, names);
    take(number, std::move(trains));
  });
}

}  // namespace

std::vector<StimulusTrain> trains_of(const StimulusConfig& train, const PulseProtocol& protocol) {
  std::vector<StimulusTrain> trains;
  const auto add = [&](const std::string& name, Real start_ms, std::optional<Real> period_ms, int count) {
    StimulusConfig stimulus = train;
    stimulus.name = name;
    stimulus.start_ms = start_ms;
    stimulus.period_ms = period_ms;
    stimulus.count = count;
    trains.push_back({stimulus});
    return last_pulse_ms(stimulus);
  };
  Real last_ms = train.start_ms - protocol.pause_ms;
  for (int time = 1; time <= protocol.repeats; ++time) {
    const std::string name = time == 1 ? train.name : fmt::format("{}_{}", train.name, time);
    const Real start_ms = last_ms + protocol.pause_ms;
    const std::vector<Real>& periods = protocol.periods_ms;
    const int with_first = train.count < std::numeric_limits<int>::max() ? train.count + 1 : train.count;
    last_ms = periods.empty() ? add(name, start_ms, train.period_ms, train.count)
                              : add(name, start_ms, periods.front(), with_first);
    for (std::size_t k = 1; k < periods.size(); ++k)
      last_ms = add(fmt::format("{}_{}ms", name, periods[k]), last_ms + periods[k],
                    train.count > 1 ? std::optional(periods[k]) : std::nullopt, train.count);
    for (std::size_t k = 0; k < protocol.intervals_ms.size(); ++k) {
      const std::string extra = fmt::format("{}S{}", name == "S1" ? "" : name + "_", k + 2);
      last_ms = add(extra, last_ms + protocol.intervals_ms[k], std::nullopt, 1);
      if (protocol.repeats == 1) trains.back().interval = k;
    }
  }
  return trains;
}

void visit_stimuli(KeyVisitor& keys, std::vector<StimulusConfig>& stimuli, Real end_ms) {
  const std::vector<StimulusConfig> written = stimuli;
  visit_entries(keys, written, end_ms, [&](std::size_t, std::vector<StimulusTrain> trains) {
    for (StimulusTrain& train : trains) stimuli.push_back(std::move(train.stimulus));
  });
}

std::vector<StimulusEntry> entries_of_stimuli(const std::filesystem::path& file, const std::vector<Override>& overrides,
                                              Real end_ms) {
  YamlNode root = read_yaml(file);
  for (const auto& [key_path, value, given] : overrides) set_value(root, key_path, value, given);
  const YamlReader in(root, file.parent_path());
  std::vector<StimulusEntry> entries;
  std::set<std::string> names;
  std::size_t number = 0;
  const std::optional<Membrane> membrane = read_membrane(in);
  for (const YamlReader& entry : in["stimuli"].entries()) {
    StimulusConfig stimulus;
    PulseProtocol protocol;
    read_section(entry, [&](KeyVisitor& keys) { visit_stimulus(keys, stimulus, protocol, names, end_ms, membrane); });
    const std::vector<StimulusTrain> trains = trains_of(stimulus, protocol);
    for (const StimulusTrain& train : trains) entries.push_back({number, trains.size() == 1, train.interval});
    ++number;
  }
  return entries;
}

}  // namespace cardiowarp
