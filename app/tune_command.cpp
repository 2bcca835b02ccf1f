#include "app/tune_command.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "app/config/config.hpp"
#include "app/config/sections.hpp"
#include "app/config/yaml_reader.hpp"
#include "app/config/yaml_text.hpp"
#include "app/config/yaml_tree.hpp"
#include "app/measure/table.hpp"
#include "app/process/log.hpp"
#include "app/process/standard_streams.hpp"
#include "app/start/find_diffusivity.hpp"
#include "fem/input_error.hpp"

namespace cardiowarp {
namespace {

/// The configuration of a file, or one with the cells of a model and adaptive steps.
Config config_of(const std::string& model, const std::string& set) {
  const std::filesystem::path file = model;
  if (file.extension() == ".yaml" || file.extension() == ".yml") {
    if (!set.empty()) throw InputError("--set: expected none with a YAML file, which has its cells, got '" + set + "'");
    return load_config(file);
  }
  const YamlNode root = parse_yaml(
      fmt::format("mesh: {{file: none.msh}}\ncell_model: {{name: {}{}}}\ntime: {{end: 100, step: 0.05, adaptive: "
                  "{{enabled: true}}}}\n",
                  yaml_quoted(model), set.empty() ? "" : ", set: " + yaml_quoted(set)),
      "tune");
  return read_configuration(YamlReader(root, std::filesystem::current_path()), "tune.yaml");
}

void require_in(const char* option, const std::vector<double>& values, double low, double high) {
  for (const double value : values)
    if (!(value >= low && value <= high))
      throw InputError(fmt::format("{}: expected numbers from {:g} to {:g}, got {:g}", option, low, high, value));
}

}  // namespace

TuneCommand::TuneCommand(Command& program)
    : command_(program.add_command("tune", "Tell the diffusivities that give fronts their velocities")) {
  command_.add_option("MODEL", model_, "As of cell_model.name, or a YAML file with cells, quadrature and steps",
                      {.is_required = true});
  command_.add_option("--velocities", velocities_, "In m/s",
                      {.type = "V,V,..", .is_required = true, .has_commas = true});
  command_.add_option("--edges", edges_mm_, "Edges of the mesh, their root mean square in mm; default: fine ones",
                      {.type = "A,A,..", .has_commas = true});
  command_.add_option("--set", set_, "The kind of cell, as of cell_model.set; default: the first", {.type = "NAME"});
}

void TuneCommand::run() const {
  require_in("--velocities", velocities_, 1e-3, 100);
  require_in("--edges", edges_mm_, 0, 100);
  const Config config = config_of(model_, set_);
  Table table{{"velocity_m_per_s", "edge_mm", "diffusivity_mm2_per_ms", "of_a_continuum", "front_mm"}, {}};
  for (const double velocity : velocities_)
    for (const double edge_mm : edges_mm_) {
      const TunedDiffusivity tuned =
          diffusivity_of_velocity(config, velocity, edge_mm, fmt::format("--velocities {:g}", velocity));
      if (!tuned.mm2_per_ms) log_warn("{}", tuned.reason);
      std::vector<TableCell>& row = table.rows.emplace_back(5);
      row[0] = velocity;
      if (edge_mm > 0) row[1] = edge_mm;
      if (tuned.mm2_per_ms) row[2] = *tuned.mm2_per_ms;
      row[3] = tuned.continuum_mm2_per_ms;
      row[4] = tuned.front_mm;
    }
  print_report("{}", aligned_text(table));
}

}  // namespace cardiowarp
