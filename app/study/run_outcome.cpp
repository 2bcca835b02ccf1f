#include "app/study/run_outcome.hpp"

#include <fstream>
#include <nlohmann/json.hpp>

namespace cardiowarp {
namespace {

using Json = nlohmann::json;

std::optional<double> number_in(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

PacedOutcome stimulus_of(const Json& json) {
  PacedOutcome stimulus{.name = json.at("name"),
                        .captured = {},
                        .not_judged = json.value("not_judged", ""),
                        .pulses = json.at("pulses"),
                        .captured_pulses = json.at("captured_pulses")};
  if (json.at("captured").is_boolean()) stimulus.captured = json.at("captured").get<bool>();
  return stimulus;
}

ProbeOutcome probe_of(const Json& json) {
  const Json& beats = json.at("beats");
  ProbeOutcome probe{.name = json.at("name"), .beats = static_cast<int>(beats.size())};
  if (beats.empty()) return probe;
  probe.activation_ms = number_in(beats.back(), "activation_time");
  probe.apd90_ms = number_in(beats.back(), "apd90");
  return probe;
}

RunOutcome outcome_in(const Json& json) {
  const Json& activation = json.at("activation");
  RunOutcome outcome{.status = json.at("status"),
                     .reason = json.value("reason", ""),
                     .nodes = activation.at("nodes"),
                     .activated = activation.at("activated"),
                     .first_ms = number_in(activation, "first_ms"),
                     .last_ms = number_in(activation, "last_ms"),
                     .seconds = json.at("seconds").at("total")};
  for (const Json& stimulus : json.at("stimuli")) outcome.stimuli.push_back(stimulus_of(stimulus));
  for (const Json& map : json.at("maps")) outcome.maps.push_back({map.at("name"), number_in(map, "median")});
  for (const Json& probe : json.at("probes")) outcome.probes.push_back(probe_of(probe));
  return outcome;
}

}  // namespace

std::optional<RunOutcome> read_outcome(const std::filesystem::path& folder) {
  std::ifstream file(folder / "summary.json");
  if (!file) return std::nullopt;
  try {
    return outcome_in(Json::parse(file));
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

}  // namespace cardiowarp
