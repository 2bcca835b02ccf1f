#include "app/output/maps_file.hpp"

#include <optional>
#include <vector>

#include "app/config/config.hpp"
#include "app/output/vtu_grid.hpp"
#include "app/simulation/beat_times.hpp"

namespace cardiowarp {

void write_maps(VtuGrid& grid, const OutputConfig& config, const BeatTimes& times, const MapErrors& errors) {
  std::vector<VtuArray> maps;
  const auto add = [&](const BeatTimes& of, const char* activation_name, const char* apd90_name) {
    if (config.activation_time) maps.push_back({activation_name, of.activation_ms});
    if (config.apd90) maps.push_back({apd90_name, of.apd90_ms});
  };
  add(times, "activation_time", "apd90");
  if (errors.in_time) add(*errors.in_time, "activation_time_error", "apd90_error");
  if (errors.of_mesh) add(*errors.of_mesh, "activation_time_mesh_error", "apd90_mesh_error");
  if (!maps.empty()) grid.write(config.directory / "maps.vtu", maps, {}, std::nullopt, MeshBlocks::known);
}

}  // namespace cardiowarp
