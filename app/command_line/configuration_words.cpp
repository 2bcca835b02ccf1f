#include "app/command_line/configuration_words.hpp"

#include <filesystem>
#include <system_error>

#include "app/config/config.hpp"
#include "app/config/first_configuration.hpp"
#include "fem/mesh.hpp"
#include "fem/mesh_check.hpp"
#include "meshes/mesh_file.hpp"

namespace cardiowarp {

void ConfigurationWords::add_to(Command& command) {
  command.add_option("FILE", file_, "YAML configuration", {.is_required = true});
  command.add_option("--set", settings_, "Override a key: --set time.step='0.05 ms' (repeatable)",
                     {.type = "KEY.PATH=VALUE", .is_repeatable = true});
  command.add_option("--backend", backend_, "cpu, gpu or auto", {.type = "NAME"});
}

Config ConfigurationWords::configuration() const {
  std::error_code ignored;
  if (has_mesh_suffix(file_) && std::filesystem::exists(file_, ignored)) {
    Mesh mesh = read_mesh(file_);
    const MeshReport report = check_mesh_of(file_, mesh);
    refuse_mesh(file_, first_configuration(mesh, report.mean_edge_mm));
  }
  return load_config(file_, overrides());
}

std::vector<Override> ConfigurationWords::overrides() const {
  std::vector<Override> overrides;
  for (const std::string& setting : settings_) overrides.push_back(parse_override(setting));
  if (backend_) overrides.push_back({"backend", *backend_, "--backend " + *backend_});
  return overrides;
}

}  // namespace cardiowarp
