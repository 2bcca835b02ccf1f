#include "app/start/load.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <future>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "app/advice/frame_estimate.hpp"
#include "app/advice/mesh_remarks.hpp"
#include "app/advice/mesh_size.hpp"
#include "app/advice/outcome.hpp"
#include "app/advice/problem_warnings.hpp"
#include "app/advice/slivers.hpp"
#include "app/files/folder_names.hpp"
#include "app/files/result_file.hpp"
#include "app/measure/setup_log.hpp"
#include "app/output/recorder.hpp"
#include "app/process/background.hpp"
#include "app/process/log.hpp"
#include "app/simulation/conducting.hpp"
#include "app/simulation/mesh_arrays.hpp"
#include "app/simulation/nodal_cells.hpp"
#include "app/start/backend.hpp"
#include "app/start/find_diffusivity.hpp"
#include "app/start/step_tolerance.hpp"
#include "fem/input_error.hpp"
#include "fem/nearest_name.hpp"
#include "meshes/mesh_file.hpp"

namespace cardiowarp {

namespace {

/// Throws InputError, with the nearest of the meshes beside it, where there is no such file.
void require_mesh_file(const MeshConfig& config) {
  namespace fs = std::filesystem;
  std::error_code reason;
  if (fs::exists(config.file, reason)) return;
  if (reason && reason != std::errc::no_such_file_or_directory && reason != std::errc::not_a_directory)
    throw InputError(fmt::format("{}: cannot read '{}': {}", config.place, config.file.string(), reason.message()));
  std::vector<std::string> meshes;
  for (const std::string& name : names_in(config.file.parent_path(), reason))
    if (has_mesh_suffix(name)) meshes.push_back(name);
  std::erase(meshes, config.file.filename().string());  // a link that leads nowhere
  const std::string nearest = suggestion(config.file.filename().string(), meshes);
  const bool has_backslash = config.file.string().find('\\') != std::string::npos;
  throw InputError(fmt::format("{}: no file '{}'{}", config.place, config.file.string(),
                               has_backslash     ? "; / goes between folders, and a backslash belongs to a name"
                               : nearest.empty() ? " (`cardiowarp mesh` makes meshes)"
                                                 : nearest));
}

VtkArrayNames names_of_arrays(const MeshConfig& config) {
  VtkArrayNames names{config.tags.name, config.fibers.name};
  for (const ArrayChoice& values : config.values) names.values.push_back(values.name);
  return names;
}

/// Reads and checks a mesh; errors say which key has named the file.
CheckedMesh read_checked(const MeshConfig& config) {
  require_mesh_file(config);
  SetupLog log;
  try {
    CheckedMesh checked{read_mesh(config.file, config.length_unit, names_of_arrays(config)), {}};
    log.ended("read mesh");
    checked.report = check_mesh_of(config.file, checked.mesh);
    log.ended("check mesh");
    return checked;
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", config.place, error.what()));
  }
}

void warn_of_arrays(const Config& config, const NodalCells& cells) {
  for (const std::string& remark : cells.remarks) log_warn("{}", remark);
  if (config.diffusivity.velocity || config.accuracy)
    log_warn("velocity and accuracy are found with the cells as they are without the arrays of their parameters");
}

}  // namespace

CheckedMesh load_mesh(const MeshConfig& config) {
  CheckedMesh checked = read_checked(config);
  require_chosen_arrays(config, checked.mesh);
  const MeshReport& report = checked.report;
  if (const std::string warning = size_warning(report, config.length_unit, "mesh.length_unit"); !warning.empty())
    log_warn("{}: {}", config.place, warning);
  if (const std::string warning = sliver_warning(checked.mesh); !warning.empty())
    log_warn("{}: {}", config.file.string(), warning);
  if (report.inverted_elements > 0)
    log_warn("{}: {} inverted tetrahedra were reoriented", config.file.string(), report.inverted_elements);
  if (report.unreferenced_nodes > 0)
    log_warn("{}: {} nodes of no tetrahedron were dropped", config.file.string(), report.unreferenced_nodes);
  log_remarks(checked.mesh, config.file);
  const std::string kind = checked.mesh.is_quadratic() ? "quadratic tetrahedra" : "tetrahedra";
  log_info("mesh: {} nodes, {} {}{}, {:.4g} cm³, edges {:.3g} to {:.3g} mm, mean {:.3g} mm", checked.mesh.nodes.size(),
           checked.mesh.tetrahedra.size(), kind,
           report.curved_elements > 0 ? fmt::format(" ({} with curved edges)", report.curved_elements) : "",
           report.volume_mm3 / 1000, report.shortest_edge_mm, report.longest_edge_mm, report.mean_edge_mm);
  return checked;
}

CheckedMesh load_mesh(const Config& config) {
  CheckedMesh checked = load_mesh(config.mesh);
  SetupLog log;
  checked.anatomy = make_anatomy(config, checked.mesh);
  if (!checked.anatomy.in_words.empty()) log.ended("fibers by rule, coordinates, networks");
  return checked;
}

Problem load_problem(Config& config, const CheckedMesh& checked, bool begins_with_initial,
                     const std::optional<ToleranceCache>& tolerances, const std::optional<SteadyCache>& steady) {
  SetupLog log;
  give_coordinates(checked.anatomy, config);
  find_diffusivities(config, checked.mesh);
  log.ended("find diffusivity");
  Problem problem = build_problem(config, checked.mesh);
  config.quadrature = problem.quadrature;
  log.ended("build problem");
  // A run that goes on from a checkpoint of one with `prepace` has the tissue of that one, too.
  if (config.initial.steady && (begins_with_initial || config.prepace)) {
    begin_steady(config, steady, problem);
    log.ended("steady states");
  }
  if (config.accuracy) {
    const StepTolerance found = find_step_tolerance(config, problem.cell_models, tolerances);
    config.time.adaptive.tolerance = problem.time.tolerance = found.tolerance;
    config.time.adaptive.max_step_ms = found.max_step_ms;
    log.ended("find tolerance");
  }
  if (problem.nodal_cells) warn_of_arrays(config, *problem.nodal_cells);
  for (const std::string& warning : problem_warnings(config, problem, begins_with_initial)) log_warn("{}", warning);
  log.ended("judge problem");
  return problem;
}

Case load_case(Config given, bool begins_with_initial, const std::optional<ToleranceCache>& tolerances,
               const std::optional<SteadyCache>& steady) {
  Case result;
  result.config = std::move(given);
  Config& config = result.config;
  // Meanwhile, but not before this process is forked for another that reads the mesh.
  const bool forks = is_vtk_file(config.mesh.file);
  if (!forks) result.device_is_awake = wake_device(config);
  result.checked = std::make_shared<const CheckedMesh>(load_mesh(config));
  const Mesh& mesh = result.mesh();
  if (forks) result.device_is_awake = wake_device(config);
  std::future<Components> components = in_background([&mesh] { return connected_components(mesh); });
  if (const std::string warning = frame_warning(estimate_frames(config, mesh), free_bytes(config.output.directory));
      !warning.empty())
    log_warn("{}", warning);
  result.problem = load_problem(config, *result.checked, begins_with_initial, tolerances, steady);
  result.problem.mesh = {result.checked, &mesh};  // which lives as long as the problem
  SetupLog log;
  result.components = components.get();
  if (!all_conduct(result.problem)) result.components = conducting_components(result.problem);
  if (const std::string warning = parts_warning(mesh, result.components, result.checked->report); !warning.empty())
    log_warn("{}: {}", config.mesh.file.string(), warning);
  log.ended("connected parts");
  for (const std::string& warning : start_warnings(config, result.problem, result.components)) log_warn("{}", warning);
  log.ended("judge start");
  return result;
}

void require_output_possible(const Config& config) {
  namespace fs = std::filesystem;
  const fs::path& directory = config.output.directory;
  const auto require_folder = [](const fs::path& folder) {
    if (const std::string reason = why_not_writable(folder); !reason.empty())
      throw InputError("output.directory: cannot be written: " + reason);
  };
  require_folder(directory);
  try {
    require_results_replaceable(directory);
  } catch (const InputError& reason) {
    throw InputError(fmt::format("output.directory: {}", reason.what()));
  }
  require_folder(directory / "frames");
  require_folder(directory / "checkpoints");
  const fs::path within = config.mesh.file.lexically_relative(directory);
  if (within == "maps.vtu" || (!within.empty() && *within.begin() == "frames"))
    throw InputError(
        fmt::format("mesh.file: '{}' is a result that a run into '{}' replaces: choose another output.directory",
                    config.mesh.file.string(), directory.string()));
}

}  // namespace cardiowarp
