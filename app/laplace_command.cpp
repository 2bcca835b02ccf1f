#include "app/laplace_command.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "app/config/config_names.hpp"
#include "app/files/removed_at_signal.hpp"
#include "app/given_mesh.hpp"
#include "app/output/field_file.hpp"
#include "app/process/log.hpp"
#include "app/process/standard_streams.hpp"
#include "app/simulation/gpu.hpp"
#include "app/simulation/laplace.hpp"
#include "app/simulation/read_at.hpp"
#include "fem/input_error.hpp"
#include "fem/mesh.hpp"
#include "fem/nearest_name.hpp"
#include "kernels/backend/device_error.hpp"
#include "meshes/mesh_file.hpp"
#include "meshes/opencarp_file.hpp"
#include "meshes/suffix.hpp"

namespace cardiowarp {
namespace {

/// The value of a name of the command line. Throws InputError that begins with `option`.
template <class Value, class Names>
Value named(const char* option, const std::string& word, const Names& names) {
  std::vector<std::string> valid;
  for (const auto& [name, value] : names) {
    if (word == name) return value;
    valid.push_back(name);
  }
  throw InputError(
      fmt::format("{}: expected {}, got '{}'{}", option, fmt::join(valid, ", "), word, suggestion(word, valid)));
}

/// The field, and where it was computed.
std::pair<LaplaceField, std::string> solved(BackendChoice choice, const Mesh& mesh, const PrescribedValues& values) {
  if (choice != BackendChoice::cpu) {
    try {
      const std::string device = gpu_device().name;
      return {solve_laplace_on_gpu(mesh, values), "gpu (" + device + ")"};
    } catch (const DeviceError& error) {
      if (choice == BackendChoice::gpu) throw;
      log_info("solving on the CPU: {}", error.what());
    }
  }
  return {solve_laplace_on_cpu(mesh, values), "cpu"};
}

/// Throws InputError where the gradient of a field between these values is too large for a number.
void require_finite(const std::vector<Vector3>& gradient, Real least, Real most) {
  const auto is_finite = [](const Vector3& g) {
    return std::isfinite(g.x) && std::isfinite(g.y) && std::isfinite(g.z);
  };
  const auto first = std::ranges::find_if_not(gradient, is_finite);
  if (first != gradient.end())
    throw InputError(
        fmt::format("--at: expected values whose gradient is a number, got {:.6g} to {:.6g}: in element {} it is not",
                    least, most, first - gradient.begin()));
}

}  // namespace

LaplaceCommand::LaplaceCommand(Command& program)
    : laplace_(program.add_command(
          "laplace", "Solve Laplace's equation between surfaces of a mesh, and write the field and its gradient")) {
  laplace_.add_option("MESH", given_mesh_, one_of_suffixes(mesh_suffixes), {.is_required = true});
  laplace_.add_option("--at", at_,
                      "A prescribed value: --at base=1 (repeatable); a surface by name or number, a .vtx file, or a "
                      "place as in YAML, --at '{box: {min: [0, 0, 0], max: [0, 7, 3]}}=0'",
                      {.type = "SURFACE=VALUE", .is_required = true, .is_repeatable = true});
  laplace_.add_flag("--first-wins", first_wins_,
                    "A node of two surfaces has the value that is given first; without it that is an error");
  laplace_.add_option("--output", output_, "Ends in .vtu; default: the mesh's name and _laplace.vtu", {.type = "FILE"});
  laplace_.add_option("--backend", backend_, "cpu, gpu or auto", {.type = "NAME"});
  laplace_.add_option("--length-unit", length_unit_, length_unit_help("mesh"));
}

ExitCode LaplaceCommand::run() const {
  const RemovedAtSignal at_signal;
  const std::filesystem::path mesh_file = mesh_file_named(given_mesh_);
  const auto backend = named<BackendChoice>("--backend", backend_, backend_names);
  const LengthUnit unit = given_length_unit(length_unit_, mesh_file);
  const std::filesystem::path output =
      output_.empty() ? std::filesystem::path(mesh_file.stem().string() + "_laplace.vtu") : output_;
  if (suffix_of(output) != ".vtu")
    throw InputError(fmt::format("--output: expected a file name that ends in .vtu, got '{}'", output.string()));
  require_beside_mesh(output, mesh_file);

  const Mesh mesh = read_given_mesh(mesh_file, unit, WarnsOfParts::yes);
  std::vector<PrescribedPlace> places;
  for (const std::string& word : at_) places.push_back(read_at(mesh, word));
  const PrescribedValues values =
      prescribed_values(mesh, places, "", first_wins_ ? SharedNodes::of_first_place : SharedNodes::refused);
  const auto [least, most] = std::ranges::minmax(values.value);
  if (least == most) log_warn("--at: all values are {:.6g}, and so is the field", least);

  const auto [field, where] = solved(backend, mesh, values);
  print_report("mesh: {} nodes, {} prescribed from {:.6g} to {:.6g}\n", mesh.nodes.size(), values.node.size(), least,
               most);
  print_report("solver: {} in {} on {}: {} iterations, relative residual {:.2e}\n", field.solver, field.format, where,
               field.iterations, field.residual);
  if (field.status != CgStatus::converged) {
    print_error(fmt::format("conjugate gradients did not converge in {} iterations: relative residual {:.2e}",
                            field.iterations, field.residual));
    return ExitCode::not_converged;
  }
  const auto [lowest, highest] = std::ranges::minmax(field.value);
  print_report("field: from {:.10g} to {:.10g}\n", lowest, highest);
  const std::vector<Vector3> gradient = gradients(mesh, field.value);
  require_finite(gradient, least, most);
  write_field(output, mesh, "u", field.value, gradient);
  print_report("{}: point array u, cell array gradient (per mm)\n", output.string());
  return ExitCode::done;
}

}  // namespace cardiowarp
