#include "app/output/summary.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "fem/mesh.hpp"

namespace cardiowarp {
namespace {

const char* name(RunStatus status) {
  switch (status) {
    case RunStatus::completed:
      return "completed";
    case RunStatus::interrupted:
      return "interrupted";
    case RunStatus::failed:
      return "failed";
  }
  return "";
}

using Json = nlohmann::ordered_json;

template <class T>
Json value_or_null(bool known, T value) {
  return known ? Json(value) : Json();
}

Json json_of(const Activation& activation) {
  const bool any = activation.activated > 0;
  return {{"nodes", activation.nodes},
          {"activated", activation.activated},
          {"first_ms", value_or_null(any, activation.first_ms)},
          {"last_ms", value_or_null(any, activation.last_ms)}};
}

Json json_of(const ErrorSummary& errors) {
  const auto largest = [](const std::optional<Real>& error) {
    return value_or_null(error.has_value(), error.value_or(0));
  };
  return {{"activation_percent", largest(errors.activation_percent)},
          {"activation_ms", largest(errors.activation_ms)},
          {"apd90_ms", largest(errors.apd90_ms)},
          {"steps", errors.steps},
          {"seconds", errors.seconds}};
}

Json json_of(const StimulusOutcome& stimulus) {
  const std::optional<bool> captured = stimulus.captured();
  Json json{{"name", stimulus.name},
            {"nodes", stimulus.nodes},
            {"captured", value_or_null(captured.has_value(), captured.value_or(false))},
            {"pulses", stimulus.pulses.pulses},
            {"captured_pulses", stimulus.pulses.captured},
            {"missed_pulses", stimulus.pulses.missed}};
  if (!captured) json["not_judged"] = stimulus.why_not_judged();
  return json;
}

Json json_of(const MapSummary& map) {
  const bool any = map.known > 0;
  return {{"name", map.name},
          {"unit", traits_of(map.kind).unit},
          {"known", map.known},
          {"missing", map.missing},
          {"minimum", value_or_null(any, map.minimum)},
          {"median", value_or_null(any, map.median)},
          {"maximum", value_or_null(any, map.maximum)}};
}

/// The beats of a probe; what is not known of one is left out.
Json json_of(const std::string& name, const BeatRecords& records, std::size_t probe) {
  Json beats = Json::array();
  for (int beat = 0; beat < records.beats[probe]; ++beat) {
    Json values = Json::object();
    for (const MapTraits& map : map_traits)
      if (const Real value = value_of(map.kind, records, probe, beat); value >= 0)
        values[std::string(map.name)] = value;
    beats.push_back(std::move(values));
  }
  return {{"name", name}, {"beats", std::move(beats)}};
}

void add_beats(const BeatResults& beats, Json& json) {
  json["maps"] = Json::array();
  for (const MapSummary& map : beats.maps) json["maps"].push_back(json_of(map));
  json["probes"] = Json::array();
  for (std::size_t probe = 0; probe < beats.probes.size(); ++probe)
    json["probes"].push_back(json_of(beats.probes[probe], beats.of_probes, probe));
}

void add_program(const RunSummary& summary, Json& json) {
  json["status"] = name(summary.status);
  if (!summary.reason.empty()) json["reason"] = summary.reason;
  json["version"] = summary.build.version;
  json["build_type"] = summary.build.build_type;
  json["compiler"] = summary.build.compiler;
  json["libraries"] = Json::object();
  for (const auto& [library, version] : summary.build.libraries) json["libraries"][library] = version;
  json["backend"] = summary.backend;
  json["device"] = summary.device;
}

void add_methods(const RunSummary& summary, Json& json) {
  const SimulationMethods& methods = summary.methods;
  json["spmv"] = methods.format;  // the key of the configuration
  if (methods.threshold) json["threshold"] = *methods.threshold;
  if (methods.window) json["sorting_window"] = *methods.window;
  if (methods.block_size) json["block_size"] = *methods.block_size;
  json["preconditioner"] = summary.preconditioner;
  if (!summary.cell_precision.empty()) json["cell_precision"] = summary.cell_precision;
  json["precision"] = methods.precision;
  if (!methods.precision_reason.empty()) json["precision_reason"] = methods.precision_reason;
  json["solver"] = methods.solver;
  json["solver_reason"] = methods.solver_reason;
  json["operator"] = methods.matrix_operator;
  json["assembly"] = methods.assembly;
  json["assembly_order"] = methods.assembly_order;
  if (methods.assembly_threshold) json["assembly_threshold"] = *methods.assembly_threshold;
  if (methods.assembly_window) json["assembly_sorting_window"] = *methods.assembly_window;
  if (methods.assembly_block_size) json["assembly_block_size"] = *methods.assembly_block_size;
  json["repeatable"] = methods.repeatable;
  json["threads"] = summary.threads.number;
  json["threads_from"] = summary.threads.from;
}

void add_work(const RunSummary& summary, Json& json) {
  json["steps"] = summary.steps.accepted;
  json["rejected_steps"] = summary.steps.rejected;
  json["steps_above_tolerance"] = summary.steps.above_tolerance;
  json["shortest_step_ms"] = summary.steps.shortest_ms;
  json["longest_step_ms"] = summary.steps.longest_ms;
  json["newton_iterations"] = summary.newton_iterations;
  json["linear_iterations"] = summary.linear_iterations;
  json["frames"] = summary.frames;
  json["simulated_ms"] = summary.outcome.simulated_ms;
}

Json json_of(const WorkOverTime& work) {
  Json json = Json::object();
  for (const char* key : {"until_ms", "steps", "newton_iterations", "linear_iterations"}) json[key] = Json::array();
  for (std::size_t part = 0; part < work.parts().size(); ++part) {
    json["until_ms"].push_back(work.until_ms(part));
    json["steps"].push_back(work.parts()[part].steps);
    json["newton_iterations"].push_back(work.parts()[part].newton_iterations);
    json["linear_iterations"].push_back(work.parts()[part].linear_iterations);
  }
  return json;
}

}  // namespace

std::string summary_json(const RunSummary& summary) {
  Json json = Json::object();  // an empty value that gets no memory when it becomes an object crashes when destroyed
  add_program(summary, json);
  add_methods(summary, json);
  json["mesh"] = {{"nodes", summary.mesh.nodes},
                  {"elements", summary.mesh.elements},
                  {"nonzeros", summary.methods.matrix_entries},
                  {"inverted_elements", summary.mesh.inverted_elements},
                  {"unreferenced_nodes", summary.mesh.unreferenced_nodes},
                  {"volume_mm3", summary.mesh.volume_mm3}};
  json["components"] = summary.components;
  json["prescribed_nodes"] = summary.prescribed_nodes;
  json["activation"] = json_of(summary.outcome.activation);
  json["stimuli"] = Json::array();
  for (const StimulusOutcome& stimulus : summary.outcome.stimuli) json["stimuli"].push_back(json_of(stimulus));
  add_beats(summary.beats, json);
  const FrontResolution& resolution = summary.resolution;
  json["mesh_velocity_error"] = {
      {"along_percent", 100 * resolution.mean_along},
      {"across_percent", resolution.knows_across ? Json(100 * resolution.mean_across) : Json(nullptr)},
      {"worst_percent", 100 * resolution.worst_error}};
  add_work(summary, json);
  if (summary.resumed_from_ms) json["resumed_from_ms"] = *summary.resumed_from_ms;
  if (summary.from)
    json["from"] = {
        {"file", summary.from->file}, {"time_ms", summary.from->time_ms}, {"checksum", summary.from->checksum_text()}};
  json["started"] = summary.started;
  json["seconds"] = Json::object();
  for (const Phase& phase : phases) json["seconds"][phase.name] = summary.seconds.*phase.seconds;
  json["work"] = json_of(summary.work);
  json["warnings"] = summary.warnings;
  if (summary.estimated_error) json["estimated_error"] = json_of(*summary.estimated_error);
  if (summary.estimated_mesh_error) json["estimated_mesh_error"] = json_of(*summary.estimated_mesh_error);
  // File names may hold any byte: what is not UTF-8 is replaced, not thrown at.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string iso_time(std::chrono::system_clock::time_point time) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::to_time_t(time)));
}

}  // namespace cardiowarp
