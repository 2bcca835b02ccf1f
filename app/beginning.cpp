#include "app/beginning.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "app/checkpoint/checkpoint_folder.hpp"
#include "app/checkpoint/configuration_difference.hpp"
#include "app/config/config.hpp"
#include "app/files/regular_file.hpp"
#include "app/prepace.hpp"
#include "app/process/build_info.hpp"
#include "app/process/log.hpp"
#include "app/run.hpp"
#include "app/start/load.hpp"
#include "fem/input_error.hpp"

namespace cardiowarp {
namespace {

bool is_there(const std::filesystem::path& folder) {
  std::error_code ignored;
  return std::filesystem::is_directory(folder, ignored);
}

/// Logs what --resume goes on from, and what a user should know about it.
void tell_resumption(const SavedRun& saved, const std::string& backend) {
  log_info("going on from '{}' at t = {:.6g} ms", saved.file().string(), saved.time_ms());
  const RunIdentity& before = saved.identity();
  if (before.backend != backend)
    log_warn("the checkpoint was written on {}: on {} the results agree within rounding, not bit for bit",
             before.backend, backend);
  if (before.version != build_info().version) log_warn("the checkpoint was written by version {}", before.version);
}

/// Throws InputError where a run that begins with the state of `start` is to tell the errors of its mesh.
void refuse_mesh_estimate(const RunOptions& options, const char* start) {
  if (options.estimates.of_mesh)
    throw InputError(
        fmt::format("--estimate-mesh-error: expected a run that begins with `initial`, got {}: that state "
                    "has no values on the refined mesh",
                    start));
}

/// Throws InputError where the options contradict each other, and warns of what --from replaces.
void require_start_possible(const Config& config, const RunOptions& options) {
  if (options.from && options.resume)
    throw InputError(
        "--from and --resume: expected one of them: a run that goes on knows the state that it began with");
  if (options.from || config.prepace) refuse_mesh_estimate(options, options.from ? "--from" : "prepace");
  if (options.from) warn_of_replaced_start(config);
}

/// Whether the run goes on from a checkpoint. One that was ended while its heart was paced has no results yet, and no
/// checkpoint; what was paced is in the cache.
bool resumes(const RunOptions& options, const Config& config) {
  if (!options.resume) return false;
  std::error_code ignored;
  const bool has_begun = std::filesystem::exists(config.output.directory / "resolved.yaml", ignored);
  if (has_begun || !config.prepace || !checkpoints_in(config.output.directory).empty()) return true;
  log_info("--resume: no results in '{}' yet: the run begins with prepace", config.output.directory.string());
  return false;
}

void tell_start(const StartOrigin& origin) {
  log_info("t = 0 is the state of '{}' at t = {:.6g} ms there (checksum {})", origin.file, origin.time_ms,
           origin.checksum_text());
}

/// Says where a run is about to replace results of another configuration.
void tell_replacement(const Config& config) {
  const std::filesystem::path file = config.output.directory / "resolved.yaml";
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return;
  std::string before, differences;
  try {
    constexpr std::uint64_t longest = 1 << 20;
    RegularFile(file).read(longest, [&](std::string_view piece) { before += piece; });
    differences = differences_of_results(before, resolved_yaml(config));
  } catch (const InputError&) {
    differences = "its resolved.yaml cannot be read";
  }
  if (!differences.empty())
    log_warn("the results of another configuration in '{}' are replaced: {} (--output DIR keeps both)",
             config.output.directory.string(), differences);
}

/// Throws InputError where the run would replace its own configuration file by another one, as `run
/// result/resolved.yaml --set ...` would.
void require_configuration_kept(const Config& config) {
  const std::filesystem::path replaced = config.output.directory / "resolved.yaml";
  std::error_code ignored;
  if (!std::filesystem::equivalent(config.file, replaced, ignored)) return;
  if (resolved_yaml(load_config(config.file)) != resolved_yaml(config))
    throw InputError(
        fmt::format("output.directory: the run would replace its own configuration file '{}' by another one: expected "
                    "another folder (--output DIR)",
                    config.file.string()));
}

/// A run from the start takes the place of an earlier one.
void forget_checkpoints(const std::filesystem::path& folder) {
  if (const std::size_t number = checkpoints_in(folder).size(); number > 0)
    log_info("{} checkpoint{} of an earlier run removed (--resume goes on from the last)", number,
             number == 1 ? "" : "s");
  remove_checkpoints(folder);
}

}  // namespace

Beginning::Beginning(const Config& asked, const RunOptions& options) {
  require_output_possible(asked);
  require_estimates_possible(asked, options.estimates);
  require_start_possible(asked, options);
  if (!options.resume) require_configuration_kept(asked);
  if (is_there(asked.output.directory)) lock.emplace(asked.output.directory);
  if (options.from) source = read_source_state(*options.from, asked);
  if (resumes(options, asked)) saved.emplace(asked);
  if (saved && saved->identity().start) refuse_mesh_estimate(options, "a checkpoint of one that began with --from");
}

std::optional<ExitCode> begin_with_state(Beginning& beginning, Case& given, const PrepaceRun& pacing) {
  std::optional<SavedRun>& saved = beginning.saved;
  RunIdentity& identity = beginning.identity;
  if (saved) require_same_tissue(saved->identity(), identity);
  if (!saved && !beginning.source) {
    Prepaced prepaced = prepaced_state(given.config, given.problem, pacing);
    if (!prepaced.source) return prepaced.exit_code;
    beginning.source = std::move(prepaced.source);
  }
  identity.start =
      saved ? saved->identity().start : fitted(*std::exchange(beginning.source, {}), identity, given.problem);
  begin_with(*identity.start, given.problem);
  tell_start(identity.start->origin);
  return std::nullopt;
}

void take_folder(Beginning& beginning, const Config& config, const std::string& backend) {
  if (!beginning.lock) beginning.lock.emplace(config.output.directory);
  beginning.identity.backend = backend;
  if (beginning.saved) require_same_tissue(beginning.saved->identity(), beginning.identity);
  if (beginning.resumed() != nullptr) {
    tell_resumption(*beginning.resumed(), backend);
  } else {
    tell_replacement(config);
    forget_checkpoints(config.output.directory);
  }
}

}  // namespace cardiowarp
