#include "app/output/maps_file.hpp"

#include "app/config/output_config.hpp"
#include "app/output/vtu_grid.hpp"

namespace cardiowarp {

void write_maps(VtuGrid& grid, const OutputConfig& config, const std::vector<BeatMap>& maps, const MapErrors& errors,
                std::span<const float> front_velocity_errors) {
  VtuArrays arrays;
  std::vector<VtuArray>&of_points = arrays.of_points, &of_cells = arrays.of_cells;
  const auto is_first = [](const BeatMap& map) {
    return map.beat == 0 && (map.kind == MapKind::activation_time || map.kind == MapKind::apd90);
  };
  const auto add_errors = [&](const BeatTimes& of, const char* activation_name, const char* apd90_name) {
    if (config.activation_time) of_points.push_back({activation_name, of.activation_ms});
    if (config.apd90) of_points.push_back({apd90_name, of.apd90_ms});
  };
  for (const BeatMap& map : maps)
    if (is_first(map)) of_points.push_back({map.name, map.values});
  if (errors.in_time) add_errors(*errors.in_time, "activation_time_error", "apd90_error");
  if (errors.of_mesh) add_errors(*errors.of_mesh, "activation_time_mesh_error", "apd90_mesh_error");
  for (const BeatMap& map : maps)
    if (!is_first(map))
      (map.kind == MapKind::conduction_velocity ? of_cells : of_points).push_back({map.name, map.values});
  if (of_points.empty() && of_cells.empty()) return;
  if (!front_velocity_errors.empty()) of_cells.push_back({"front_velocity_error", front_velocity_errors});
  VtuBlocks blocks;
  grid.write(config.directory / "maps.vtu", arrays, blocks);
}

}  // namespace cardiowarp
