#include "app/compare/petsc_launcher.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "app/compare/comparison.hpp"
#include "app/config/config.hpp"
#include "app/files/regular_file.hpp"
#include "app/process/child_process.hpp"
#include "app/process/exit_code.hpp"
#include "fem/input_error.hpp"
#include "kernels/backend/device_error.hpp"
#include "meshes/atomic_file.hpp"

namespace cardiowarp {
namespace {

/// Throws for what is not a success.
void require_done(int exit_code, const std::filesystem::path& errors, const std::filesystem::path& mpiexec) {
  if (exit_code == static_cast<int>(ExitCode::done)) return;
  const std::string reason = reason_in(content_or_nothing(errors));
  if (exit_code == static_cast<int>(ExitCode::not_converged)) throw ComparisonFailure(reason);
  if (exit_code == static_cast<int>(ExitCode::bad_input)) throw InputError("--petsc: " + reason);
  throw DeviceError(fmt::format("--petsc: {} ended with exit code {}: {}", mpiexec.string(), exit_code, reason));
}

std::string json_of(const std::vector<StepAttempt>& attempts) {
  nlohmann::json list = nlohmann::json::array();
  for (const StepAttempt& attempt : attempts) list.push_back({attempt.end_ms, attempt.accepted});
  return list.dump();
}

PetscResult result_of(const nlohmann::json& report, const std::string& fields) {
  const std::size_t nodes = report.at("nodes"), bytes = nodes * sizeof(Real);
  if (fields.size() != 2 * bytes)
    throw DeviceError(fmt::format("--petsc: expected {} bytes of fields, got {}", 2 * bytes, fields.size()));
  const auto& seconds = report.at("seconds").back();
  PetscResult result{.version = report.at("petsc"),
                     .insertion = report.at("insertion"),
                     .seconds = {.setup = seconds.at("setup"),
                                 .element = seconds.at("element"),
                                 .assembly = seconds.at("assembly"),
                                 .linear_solve = seconds.at("linear_solve"),
                                 .update = seconds.at("update"),
                                 .total = seconds.at("total")},
                     .newton_iterations = report.at("newton_iterations"),
                     .linear_iterations = report.at("linear_iterations"),
                     .resident_bytes = report.at("peak_resident_bytes"),
                     .potential_mv = std::vector<Real>(nodes),
                     .activation_ms = std::vector<Real>(nodes)};
  std::memcpy(result.potential_mv.data(), fields.data(), bytes);
  std::memcpy(result.activation_ms.data(), fields.data() + bytes, bytes);
  return result;
}

}  // namespace

PetscLauncher::PetscLauncher(int processes) : processes_(processes), mpiexec_(program_in_path("mpiexec")) {
  const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  program_ = folder / "cardiowarp_petsc";
  if (access(program_.c_str(), X_OK) != 0)
    throw InputError(fmt::format(
        "--petsc: no cardiowarp_petsc in '{}': where PETSc and MPI are found, cmake --build --preset release builds it",
        folder.string()));
  if (mpiexec_.empty()) throw InputError("--petsc: no mpiexec in PATH");
}

std::optional<PetscResult> PetscLauncher::run(const Config& config, const PetscRun& run,
                                              const std::filesystem::path& folder,
                                              const std::function<bool()>& stop_requested) const {
  const std::filesystem::path yaml = folder / "petsc.yaml", json = folder / "petsc.json", fields = folder / "petsc.bin",
                              errors = folder / "petsc_errors.txt";
  write_file_atomically(yaml, resolved_yaml(config));
  std::vector<std::string> words{mpiexec_, "-n", std::to_string(processes_), program_, yaml};
  words.insert(words.end(), {"--preconditioner", run.preconditioner, "--steps", std::to_string(run.steps)});
  words.insert(words.end(), {"--warm-up", std::to_string(run.warm_up_steps), "--json", json, "--fields", fields});
  if (!run.attempts.empty()) {
    const std::filesystem::path attempts = folder / "petsc_attempts.json";
    write_file_atomically(attempts, json_of(run.attempts));
    words.insert(words.end(), {"--attempts", attempts});
  }
  const std::optional<int> exit_code = run_child(words, petsc_environment(folder), errors, stop_requested);
  if (!exit_code) return std::nullopt;
  require_done(*exit_code, errors, mpiexec_);
  const auto report = nlohmann::json::parse(content_or_nothing(json));
  if (report.at("ranks") != processes_)
    throw InputError(
        fmt::format("--petsc: {} started {} processes that do not find each other: it is not of the MPI "
                    "that cardiowarp_petsc is built with",
                    mpiexec_.string(), processes_));
  return result_of(report, content_or_nothing(fields));
}

std::vector<std::string> petsc_environment(const std::filesystem::path& folder) {
  std::map<std::string, std::string> variables;
  for (char** variable = environ; *variable; ++variable) {
    const std::string text = *variable;
    const std::size_t equals = text.find('=');
    if (equals != std::string::npos) variables[text.substr(0, equals)] = text.substr(equals + 1);
  }
  variables["TMPDIR"] = folder;
  variables["OMP_NUM_THREADS"] = "1";
  variables["OMP_PROC_BIND"] = "false";  // it would put all processes on the first place
  // Open MPI up to 4, then from 5 on.
  for (const char* prefix : {"OMPI", "PRTE"})
    for (const char* name : {"_ALLOW_RUN_AS_ROOT", "_ALLOW_RUN_AS_ROOT_CONFIRM"})
      variables[std::string(prefix) + name] = "1";
  variables.emplace("OMPI_MCA_rmaps_base_oversubscribe", "1");
  variables.emplace("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe");
  variables.emplace("OMPI_MCA_hwloc_base_binding_policy", "none");
  variables.emplace("PRTE_MCA_hwloc_default_binding_policy", "none");

  std::vector<std::string> environment;
  for (const auto& [name, value] : variables) environment.push_back(fmt::format("{}={}", name, value));
  return environment;
}

std::string reason_in(std::string_view errors) {
  constexpr std::string_view mark = "error: ";
  std::istringstream lines{std::string(errors)};
  std::string first;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(mark)) return line.substr(mark.size());
    if (line.starts_with("warning: ")) continue;
    if (first.empty() && !line.empty() && line.back() != '-') first = line;
  }
  return first.empty() ? "no message" : first;
}

}  // namespace cardiowarp
