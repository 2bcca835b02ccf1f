#include "app/anatomy/run_anatomy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <optional>
#include <utility>

#include "app/anatomy/heart_map.hpp"
#include "app/anatomy/mesh_coordinates.hpp"
#include "app/anatomy/rule_fibers.hpp"
#include "app/config/config.hpp"
#include "fem/input_error.hpp"

namespace cardiowarp {
namespace {

/// Calls `visit` with each `where` of a configuration.
template <class AnyConfig, class Visit>
void for_each_place(AnyConfig& config, const Visit& visit) {
  for (auto& region : config.regions) visit(region.where);
  for (auto& region : config.initial.regions) visit(region.where);
  for (auto& stimulus : config.stimuli) visit(stimulus.where);
  for (auto& prescribed : config.boundary) visit(prescribed.where);
}

void append(std::vector<std::string> lines, std::vector<std::string>& all) {
  all.insert(all.end(), std::make_move_iterator(lines.begin()), std::make_move_iterator(lines.end()));
}

/// Calls `visit` with the parameters that go through the wall.
template <class Visit>
void for_each_through_wall(const Config& config, const Visit& visit) {
  const auto visit_those_of = [&](const ParameterArrays& arrays) {
    for (const auto& [parameter, of] : arrays)
      if (!of.through_wall.empty()) visit(of);
  };
  visit_those_of(config.cell_model.arrays);
  for (const RegionConfig& region : config.regions) visit_those_of(region.cell_model.arrays);
}

/// The first place of the configuration that needs coordinates; empty where there is none.
std::string place_of_coordinates(const Config& config) {
  std::string first;
  const auto take = [&](bool needs, const std::string& place) {
    if (first.empty() && needs) first = place;
  };
  for_each_place(config, [&](const Where& where) { take(!where.within.is_everything(), where.place); });
  for_each_through_wall(config, [&](const ParameterArray& of) { take(true, of.array.place); });
  for (const ProbeConfig& probe : config.probes) take(probe.in_heart.has_value(), probe.place);
  return first;
}

/// A value between others at equal steps, linear between them. The share is rounded to a thousandth, so that there are
/// few different cells.
Real between(const std::vector<Real>& values, Real share) {
  const Real at = std::round(1000 * share) / 1000 * static_cast<Real>(values.size() - 1);
  const auto step = std::min(static_cast<std::size_t>(at), values.size() - 2);
  return values[step] + (at - static_cast<Real>(step)) * (values[step + 1] - values[step]);
}

/// Makes arrays of the mesh of the parameters that go through the wall.
void add_arrays_through_wall(const Config& config, const HeartCoordinates& coordinates, Mesh& mesh) {
  for_each_through_wall(config, [&](const ParameterArray& of) {
    if (std::ranges::find(mesh.values, of.array.name, &MeshValues::name) != mesh.values.end()) return;
    const auto in_file = [&](std::size_t node) {
      return mesh.node_in_file.empty() ? node : static_cast<std::size_t>(mesh.node_in_file[node]);
    };
    MeshValues values{of.array.name, true, std::vector<Real>(in_file(mesh.nodes.size() - 1) + 1, 0)};
    for (std::size_t node = 0; node < mesh.nodes.size(); ++node)
      values.values[in_file(node)] = between(of.through_wall, coordinates.nodes[node].transmural);
    mesh.values.push_back(std::move(values));
  });
}

/// [probes] where they are. Throws InputError where no place has the coordinates of one.
std::vector<Vector3> points_of_probes(const Config& config, const Mesh& mesh, const HeartFields& fields,
                                      const HeartCoordinates& coordinates) {
  constexpr Real near = 0.02;  // of the wall, or of the way from apex to base
  std::vector<Vector3> points;
  std::optional<HeartMap> map;
  for (const ProbeConfig& probe : config.probes) {
    points.push_back(probe.point);
    if (!probe.in_heart) continue;
    if (probe.in_heart->part == HeartPart::right_wall && coordinates.heart == HeartKind::left_ventricle)
      throw InputError(
          fmt::format("{}: expected ventricle: lv, as the mesh has a left ventricle alone, got 'rv'", probe.place));
    if (!map) map.emplace(mesh, fields, coordinates);
    const PlaceInElement place = map->find(*probe.in_heart);
    points.back() = mean_at(place, mesh, mesh.nodes);
    if (place.distance <= near) continue;
    throw InputError(fmt::format(
        "{}: probe '{}': no place of the mesh has these coordinates; the nearest is at [{:.6g}, {:.6g}, {:.6g}] mm",
        probe.place, probe.name, points.back().x, points.back().y, points.back().z));
  }
  return points;
}

}  // namespace

RunAnatomy make_anatomy(const Config& config, Mesh& mesh) {
  RunAnatomy made;
  const std::string place = place_of_coordinates(config);
  const CoordinatesConfig wanted = config.coordinates.value_or(CoordinatesConfig{});
  HeartSurfaces surfaces;
  std::optional<HeartFields> fields;
  if (config.fibers.source == FiberSource::rule) {
    RuleFibers fibers = rule_fibers(mesh, config.fibers.rule, config.fibers.place);
    mesh.fibers.clear();
    mesh.fibers.reserve(fibers.axes.size());
    for (const Axes& axes : fibers.axes) mesh.fibers.push_back(axes.fiber);
    append(in_words(fibers, config.fibers.rule), made.in_words);
    if (!wanted.surfaces) {
      surfaces = std::move(fibers.surfaces);
      fields = std::move(fibers.fields);
    }
  }
  if (place.empty()) return made;
  std::vector<std::string> of_surfaces;
  if (!fields) {
    surfaces = surfaces_of_heart(mesh, {wanted.surfaces, place, "coordinates", "coordinates.surfaces"});
    fields = solve_heart_fields(mesh, surfaces, place);
    of_surfaces = in_words(surfaces);
  }
  MeshCoordinates coordinates = mesh_coordinates(mesh, surfaces, *fields, wanted, place);
  made.coordinates = std::make_shared<const HeartCoordinates>(std::move(coordinates.coordinates));
  add_arrays_through_wall(config, *made.coordinates, mesh);
  made.probes = points_of_probes(config, mesh, *fields, *made.coordinates);
  append(std::move(coordinates.in_words), made.in_words);
  append(std::move(of_surfaces), made.in_words);
  return made;
}

void give_coordinates(const RunAnatomy& anatomy, Config& config) {
  for_each_place(config, [&](Where& where) {
    if (!where.within.is_everything()) where.heart = anatomy.coordinates;
  });
  for (std::size_t k = 0; k < anatomy.probes.size() && k < config.probes.size(); ++k)
    config.probes[k].point = anatomy.probes[k];
}

}  // namespace cardiowarp
