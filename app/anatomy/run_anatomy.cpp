#include "app/anatomy/run_anatomy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "app/anatomy/heart_map.hpp"
#include "app/anatomy/mesh_coordinates.hpp"
#include "app/anatomy/rule_fibers.hpp"
#include "app/anatomy/run_network.hpp"
#include "app/config/config.hpp"
#include "app/simulation/junction_nodes.hpp"
#include "fem/anatomy/near_faces.hpp"
#include "fem/input_error.hpp"
#include "kernels/backend/thread_team.hpp"

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

/// The thickest layer beneath the endocardium that a place of the configuration asks for; 0 where none does.
Real thickest_layer_mm(const Config& config) {
  Real thickest = 0;
  for_each_place(config,
                 [&](const Where& where) { thickest = std::max(thickest, where.within.endocardium_mm.value_or(0)); });
  return thickest;
}

/// Gives the places that are so near an endocardium their distance from it.
void add_depths(const Mesh& mesh, const HeartSurfaces& surfaces, Real within_mm, HeartCoordinates& coordinates) {
  std::vector<Triangle> faces = faces_of(mesh, surfaces, HeartSurface::endo_lv);
  const std::vector<Triangle> right = faces_of(mesh, surfaces, HeartSurface::endo_rv);
  faces.insert(faces.end(), right.begin(), right.end());
  const NearFaces endocardium(mesh.nodes, std::move(faces), within_mm);
  const auto note = [&](HeartPlace& place, Vector3 at) {
    if (const auto nearest = endocardium.nearest(at)) place.from_endocardium_mm = nearest->distance_mm;
  };
  parallel_for(coordinates.nodes.size(), [&](std::size_t node) { note(coordinates.nodes[node], mesh.nodes[node]); });
  parallel_for(coordinates.elements.size(), [&](std::size_t element) {
    Vector3 sum;
    for (const Index node : mesh.tetrahedra[element]) sum = sum + mesh.nodes[node];
    note(coordinates.elements[element], Real(0.25) * sum);
  });
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

/// Fibers and coordinates, with the surfaces that were found for them.
RunAnatomy make_by_fields(const Config& config, Mesh& mesh, HeartSurfaces& surfaces) {
  RunAnatomy made;
  const std::string place = place_of_coordinates(config);
  const CoordinatesConfig wanted = config.coordinates.value_or(CoordinatesConfig{});
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
  if (const Real layer_mm = thickest_layer_mm(config); layer_mm > 0)
    add_depths(mesh, surfaces, layer_mm, coordinates.coordinates);
  made.coordinates = std::make_shared<const HeartCoordinates>(std::move(coordinates.coordinates));
  add_arrays_through_wall(config, *made.coordinates, mesh);
  made.probes = points_of_probes(config, mesh, *fields, *made.coordinates);
  append(std::move(coordinates.in_words), made.in_words);
  append(std::move(of_surfaces), made.in_words);
  return made;
}

void add_networks(const Config& config, const Mesh& mesh, HeartSurfaces& surfaces, RunAnatomy& made) {
  std::map<std::string, std::shared_ptr<const Junctions>> at_place;  // an entry of the list may be several stimuli
  for (const StimulusConfig& stimulus : config.stimuli) {
    made.networks.emplace_back();
    if (!stimulus.network) continue;
    std::shared_ptr<const Junctions>& junctions = at_place[stimulus.network->place];
    if (junctions) {
      made.networks.back() = junctions;
      continue;
    }
    const std::optional<OfSurface<SurfaceNames>> named =
        config.coordinates ? config.coordinates->surfaces : std::nullopt;
    const MadeNetwork network = make_network(*stimulus.network, mesh, {named, stimulus.network->place}, surfaces);
    junctions = std::make_shared<const Junctions>(junctions_of(network, *stimulus.network, mesh, config.time.step_ms));
    made.networks.back() = junctions;
    made.in_words.push_back(in_words(network, nodes_at(mesh, *junctions, stimulus.network->place), stimulus));
  }
}

}  // namespace

RunAnatomy make_anatomy(const Config& config, Mesh& mesh) {
  HeartSurfaces surfaces;
  RunAnatomy made = make_by_fields(config, mesh, surfaces);
  add_networks(config, mesh, surfaces, made);
  return made;
}

void give_coordinates(const RunAnatomy& anatomy, Config& config) {
  for_each_place(config, [&](Where& where) {
    if (!where.within.is_everything()) where.heart = anatomy.coordinates;
  });
  for (std::size_t k = 0; k < anatomy.networks.size() && k < config.stimuli.size(); ++k)
    if (config.stimuli[k].network) config.stimuli[k].network->made = anatomy.networks[k];
  for (std::size_t k = 0; k < anatomy.probes.size() && k < config.probes.size(); ++k)
    config.probes[k].point = anatomy.probes[k];
}

}  // namespace cardiowarp
