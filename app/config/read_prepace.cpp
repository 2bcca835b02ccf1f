#include "app/config/read_prepace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "app/files/cache_folder.hpp"

namespace cardiowarp {
namespace {

constexpr int most_beats = 100'000;
constexpr Real most_steps = 1e9;  ///< as of `time`

const StimulusConfig& stimulus_named(const std::vector<StimulusConfig>& stimuli, const std::string& name) {
  return *std::find_if(stimuli.begin(), stimuli.end(), [&](const StimulusConfig& each) { return each.name == name; });
}

/// The names that are listed, else those of the stimuli with a period, else that of the first.
std::vector<std::string> read_names(const YamlReader& in, const std::vector<StimulusConfig>& stimuli) {
  std::vector<std::string> all, names;
  for (const StimulusConfig& stimulus : stimuli) all.push_back(stimulus.name);
  if (in.present()) {
    for (const YamlReader& entry : in.entries()) names.push_back(entry.name(all));
    if (names.empty()) in.fail("the name of a stimulus or more", "none");
    return names;
  }
  for (const StimulusConfig& stimulus : stimuli)
    if (stimulus.period_ms) names.push_back(stimulus.name);
  if (names.empty()) names.push_back(all.front());
  return names;
}

/// The period that is given, else the one that all these stimuli have.
Real read_period(const YamlReader& in, const std::vector<StimulusConfig>& stimuli,
                 const std::vector<std::string>& names) {
  if (const auto given = in.number_if_present(time_quantity, positive)) return *given;
  const StimulusConfig& first = stimulus_named(stimuli, names.front());
  if (!first.period_ms)
    in.fail(fmt::format("a time (ms, s, us), as stimulus '{}' has no period", first.name), "nothing");
  for (const std::string& name : names) {
    const StimulusConfig& other = stimulus_named(stimuli, name);
    if (other.period_ms != first.period_ms)
      in.fail(fmt::format("a time (ms, s, us), as stimuli '{}' and '{}' have not the same period", first.name, name),
              "nothing");
  }
  return *first.period_ms;
}

}  // namespace

std::optional<PrepaceConfig> read_prepace(const YamlReader& in, const std::vector<StimulusConfig>& stimuli,
                                          const TimeConfig& time) {
  if (!in.present()) return std::nullopt;
  in.expect_keys({"beats", "period", "stimuli", "cache"});
  if (stimuli.empty()) in.fail("stimuli, which pace the heart", "none");
  PrepaceConfig prepace;
  prepace.beats = in["beats"].whole_number(1, most_beats);
  prepace.stimuli = read_names(in["stimuli"], stimuli);
  prepace.period_ms = read_period(in["period"], stimuli, prepace.stimuli);
  for (const std::string& name : prepace.stimuli) {
    const StimulusConfig& stimulus = stimulus_named(stimuli, name);
    if (stimulus.start_ms + stimulus.duration_ms > prepace.period_ms)
      in["period"].fail(fmt::format("at least {:.6g} ms, start + duration of stimulus '{}'",
                                    stimulus.start_ms + stimulus.duration_ms, name),
                        fmt::format("{:.6g} ms", prepace.period_ms));
  }
  if (prepace.beats * prepace.period_ms / time.step_ms > most_steps)
    in["beats"].fail(fmt::format("at most {:.0g} steps of time.step in all beats", most_steps));
  const std::string usual = cache_folder("prepace");
  if (usual.empty() && !in["cache"].present())
    in["cache"].fail("the path of a directory, as neither $XDG_CACHE_HOME nor $HOME says where one is", "nothing");
  prepace.cache = in["cache"].path("the path of a directory", usual);
  return prepace;
}

}  // namespace cardiowarp
