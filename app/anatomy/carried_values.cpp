#include "app/anatomy/carried_values.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "app/anatomy/heart_map.hpp"
#include "kernels/backend/thread_team.hpp"

namespace cardiowarp {
namespace {

/// [nodes of `target`] their places in `source`.
std::vector<PlaceInElement> places_of(const MeshOfHeart& target, const MeshOfHeart& source) {
  const HeartMap map(source.mesh, source.fields, source.made.coordinates);
  std::vector<PlaceInElement> places(target.mesh.nodes.size());
  parallel_for(places.size(), [&](std::size_t node) { places[node] = map.find(target.made.coordinates.nodes[node]); });
  return places;
}

/// The values of an array at the places; those of elements are the same in all of an element.
std::vector<Real> values_at(const MeshOfHeart& source, const MeshValues& array,
                            const std::vector<PlaceInElement>& places) {
  std::vector<Real> of_nodes;
  for (std::size_t node = 0; array.of_points && node < source.mesh.nodes.size(); ++node)
    of_nodes.push_back(
        array.values[source.mesh.node_in_file.empty() ? node
                                                      : static_cast<std::size_t>(source.mesh.node_in_file[node])]);
  std::vector<Real> values;
  values.reserve(places.size());
  for (const PlaceInElement& place : places)
    values.push_back(array.of_points ? mean_at(place, source.mesh, of_nodes) : array.values[place.element]);
  return values;
}

}  // namespace

MeshOfHeart heart_of(Mesh mesh, const CoordinatesConfig& config, const std::string& place, const std::string& key) {
  MeshOfHeart heart;
  heart.mesh = std::move(mesh);
  heart.surfaces = surfaces_of_heart(heart.mesh, {config.surfaces, place, "coordinates", key});
  heart.fields = solve_heart_fields(heart.mesh, heart.surfaces, place);
  heart.made = mesh_coordinates(heart.mesh, heart.surfaces, heart.fields, config, place);
  return heart;
}

CarriedValues carried(const MeshOfHeart& source, const MeshOfHeart& target) {
  if (source.made.coordinates.heart != target.made.coordinates.heart)
    throw std::invalid_argument("values are carried between hearts with the same ventricles");
  const std::vector<PlaceInElement> there = places_of(target, source), back = places_of(source, target);
  CarriedValues result;
  for (const MeshValues& array : source.mesh.values) result.arrays.push_back(values_at(source, array, there));
  result.nearest = static_cast<std::size_t>(
      std::ranges::count_if(there, [](const PlaceInElement& place) { return place.distance > 0; }));
  std::vector<Vector3> of_target;
  for (const PlaceInElement& place : there) of_target.push_back(mean_at(place, source.mesh, source.mesh.nodes));
  std::vector<Real> errors;
  for (std::size_t node = 0; node < back.size(); ++node)
    errors.push_back(norm(mean_at(back[node], target.mesh, of_target) - source.mesh.nodes[node]));
  for (const Real error : errors) result.mean_mm += error / static_cast<Real>(errors.size());
  std::ranges::sort(errors);
  result.most_mm = errors.back();
  result.of_95_percent_mm = errors[errors.size() * 95 / 100];
  return result;
}

}  // namespace cardiowarp
