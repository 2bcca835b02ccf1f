#include "app/command_line/configuration_words.hpp"

#include "app/config/config.hpp"

namespace cardiowarp {

void ConfigurationWords::add_to(Command& command) {
  command.add_option("FILE", file_, "YAML configuration", {.is_required = true});
  command.add_option("--set", settings_, "Override a key: --set time.step='0.05 ms' (repeatable)",
                     {.type = "KEY.PATH=VALUE", .is_repeatable = true});
  command.add_option("--backend", backend_, "cpu, gpu or auto", {.type = "NAME"});
}

Config ConfigurationWords::configuration() const { return load_config(file_, overrides()); }

std::vector<Override> ConfigurationWords::overrides() const {
  std::vector<Override> overrides;
  for (const std::string& setting : settings_) overrides.push_back(parse_override(setting));
  if (backend_) overrides.push_back({"backend", *backend_, "--backend " + *backend_});
  return overrides;
}

}  // namespace cardiowarp
