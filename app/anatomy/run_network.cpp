#include "app/anatomy/run_network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <optional>

#include "app/config/network_config.hpp"
#include "app/config/network_keys.hpp"
#include "app/config/stimulus_config.hpp"
#include "app/simulation/junction_nodes.hpp"
#include "fem/anatomy/grown_network.hpp"
#include "fem/anatomy/near_faces.hpp"
#include "fem/input_error.hpp"
#include "fem/mesh.hpp"
#include "meshes/network_file.hpp"

namespace cardiowarp {
namespace {

std::string text(Vector3 p) { return fmt::format("[{:.4g}, {:.4g}, {:.4g}] mm", p.x, p.y, p.z); }

Vector3 middle_of(const Mesh& mesh, const std::vector<Index>& nodes) {
  Vector3 sum;
  for (const Index node : nodes) sum = sum + mesh.nodes[node];
  return (1 / static_cast<Real>(nodes.size())) * sum;
}

/// Where the trunk of a network begins and leads to, where nobody says it: from high on the septum to the end of the
/// cavity, the node of the endocardium that is farthest from the base.
struct Trunk {
  Vector3 start, towards;
};

Trunk usual_trunk(const Mesh& mesh, const HeartSurfaces& surfaces, HeartSurface endocardium) {
  const std::vector<Index>& nodes = surfaces.nodes[endocardium];
  const Vector3 base = middle_of(mesh, surfaces.nodes[HeartSurface::base]);
  const auto from_base = [&](Index node) { return norm(mesh.nodes[node] - base); };
  const Vector3 end = mesh.nodes[*std::ranges::max_element(nodes, {}, from_base)];
  const std::vector<Index>& other =
      surfaces.nodes[endocardium == HeartSurface::endo_lv ? HeartSurface::endo_rv : HeartSurface::endo_lv];
  constexpr Vector3 along_x{1e3, 0, 0};
  const Vector3 septum = other.empty() ? base + along_x : middle_of(mesh, other);
  // High is a seventh of the way from the base to the end of the cavity, or lower.
  const Vector3 axis = end - base;
  const auto depth = [&](Index node) { return dot(mesh.nodes[node] - base, axis) / dot(axis, axis); };
  Vector3 start = end;
  Real least = std::numeric_limits<Real>::infinity();
  for (const Index node : nodes) {
    const Real height = depth(node), distance = norm(mesh.nodes[node] - septum);
    if (height < 0.1 || height > 0.2 || distance >= least) continue;
    least = distance;
    start = mesh.nodes[node];
  }
  return {start, end};
}

Network grown(const GrowthConfig& grow, const Mesh& mesh, const SurfacesWanted& wanted, HeartSurfaces& surfaces) {
  if (surfaces.boundary.empty())
    surfaces = surfaces_of_heart(mesh, {wanted.named, wanted.place, "network", "coordinates.surfaces"});
  const HeartSurface endocardium = grow.ventricle == GrownIn::left ? HeartSurface::endo_lv : HeartSurface::endo_rv;
  std::vector<Triangle> faces = faces_of(mesh, surfaces, endocardium);
  if (faces.empty())
    throw InputError(fmt::format("{}: grow: expected a mesh with the endocardium {}, got one without: ventricle: lv?",
                                 wanted.place, name_of(endocardium)));
  const NearFaces surface(mesh.nodes, std::move(faces), grow.segment_mm);
  const Trunk trunk = usual_trunk(mesh, surfaces, endocardium);
  const Vector3 towards = grow.towards.value_or(trunk.towards);
  const Vector3 start = surface.nearest_of_all(grow.start.value_or(trunk.start)).point;
  GrowthRule rule{.trunk_mm = grow.trunk_mm.value_or(norm(towards - start) / 3),
                  .branch_mm = grow.branch_mm,
                  .segment_mm = grow.segment_mm,
                  .angle = grow.angle_deg * std::numbers::pi / 180,
                  .repulsion = grow.repulsion,
                  .generations = grow.generations,
                  .seed = static_cast<std::uint64_t>(grow.seed)};
  Network network;
  try {
    network = grown_network(surface, start, towards, rule);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: grow: {}", wanted.place, error.what()));
  }
  if (network.segments.empty())
    throw InputError(
        fmt::format("{}: grow: expected a start and a direction on {}, got the start {} and towards {}, "
                    "where nothing grows",
                    wanted.place, name_of(endocardium), text(start), text(towards)));
  return network;
}

Real mean_edge_mm(const Mesh& mesh) {
  Real sum = 0;
  for (const Tetrahedron& corners : mesh.tetrahedra)
    for (std::size_t a = 0; a < corners.size(); ++a)
      for (std::size_t b = 0; b < a; ++b) sum += norm(mesh.nodes[corners[a]] - mesh.nodes[corners[b]]);
  return sum / (6 * static_cast<Real>(mesh.tetrahedra.size()));
}

Real longest_segment_mm(const Network& network) {
  Real longest = 0;
  for (const auto& [a, b] : network.segments) longest = std::max(longest, norm(network.points[b] - network.points[a]));
  return longest;
}

std::vector<Index> roots_of(const NetworkConfig& config, const Network& network) {
  if (config.roots.empty()) return {0};
  const Real near_mm = longest_segment_mm(network);
  std::vector<Index> roots;
  for (const Vector3 wanted : config.roots) {
    const Index root = nearest_point(network, wanted);
    if (norm(network.points[root] - wanted) > near_mm)
      throw InputError(fmt::format(
          "{}: roots: expected points within {:.3g} mm of a point of the network, got {}, whose nearest is at {}",
          config.place, near_mm, text(wanted), text(network.points[root])));
    roots.push_back(root);
  }
  return roots;
}

/// Throws InputError where the shortest way to some point is infinitely long.
void require_reached(const NetworkConfig& config, const Network& network, const std::vector<Real>& way_mm) {
  const auto is_far = [](Real way) { return !std::isfinite(way); };
  const auto first = std::ranges::find_if(way_mm, is_far);
  if (first == way_mm.end()) return;
  throw InputError(fmt::format(
      "{}: expected a network that hangs together, got one in which no way from {} leads to {} of {} points, as to the "
      "one at {}: roots has to name a point of each part",
      config.place, config.roots.empty() ? "its first point" : "its roots", std::ranges::count_if(way_mm, is_far),
      way_mm.size(), text(network.points[static_cast<std::size_t>(first - way_mm.begin())])));
}

}  // namespace

MadeNetwork make_network(const NetworkConfig& config, const Mesh& mesh, const SurfacesWanted& wanted,
                         HeartSurfaces& surfaces) {
  MadeNetwork made;
  if (config.grow) {
    made.network = grown(*config.grow, mesh, wanted, surfaces);
  } else {
    try {
      made.network = read_network(config.file, config.length_unit);
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}: {}", config.place, error.what()));
    }
  }
  const std::vector<Index> roots = roots_of(config, made.network);
  made.arrival_ms = lengths_from(made.network, roots);
  require_reached(config, made.network, made.arrival_ms);
  for (Real& arrival : made.arrival_ms) arrival /= config.velocity_mm_per_ms;
  made.junctions.resize(made.network.points.size());
  std::iota(made.junctions.begin(), made.junctions.end(), Index{0});
  if (config.junctions == JunctionKind::ends) made.junctions = ends_of(made.network, roots);
  if (made.junctions.empty())
    throw InputError(fmt::format(
        "{}: expected a network with ends beside its roots, got {} points without one: junctions: all takes them all",
        config.place, made.network.points.size()));
  return made;
}

Junctions junctions_of(const MadeNetwork& made, const NetworkConfig& config, const Mesh& mesh, Real step_ms) {
  constexpr Real least_ms = 0.2, rounding = 1e-9, least_radius_mm = 2;
  const Real unit_ms = step_ms * std::ceil(least_ms / step_ms - rounding);
  Junctions junctions;
  junctions.radius_mm =
      config.radius_mm == radius_by_mesh_mm ? std::max(least_radius_mm, mean_edge_mm(mesh)) : config.radius_mm;
  for (const Index point : made.junctions) {
    junctions.points.push_back(made.network.points[point]);
    junctions.arrival_ms.push_back(std::round((made.arrival_ms[point] + config.delay_ms) / unit_ms) * unit_ms);
  }
  return junctions;
}

std::string in_words(const MadeNetwork& made, const JunctionNodes& nodes, const StimulusConfig& stimulus) {
  Real first = std::numeric_limits<Real>::infinity(), last = 0;
  for (const Index point : made.junctions) {
    first = std::min(first, made.arrival_ms[point] + stimulus.network->delay_ms);
    last = std::max(last, made.arrival_ms[point] + stimulus.network->delay_ms);
  }
  return fmt::format(
      "network {}: {} junctions at {} points, from {:.4g} to {:.4g} ms after the start, each within {:.3g} mm of a "
      "node, "
      "as the one at {}",
      stimulus.name, made.junctions.size(), made.network.points.size(), first, last, nodes.farthest_mm,
      text(nodes.farthest));
}

}  // namespace cardiowarp
