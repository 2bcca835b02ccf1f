#include "app/simulation/junction_nodes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <limits>

#include "app/config/network_config.hpp"
#include "fem/cell_table.hpp"
#include "fem/input_error.hpp"
#include "fem/mesh.hpp"

namespace cardiowarp {
namespace {

constexpr Real never = std::numeric_limits<Real>::infinity();

/// The node that is nearest to a junction.
struct Nearest {
  Index node = 0;
  Real distance_mm = never;
};

Real longest_edge_mm(const Mesh& mesh) {
  Real longest = 0;
  for (const Tetrahedron& corners : mesh.tetrahedra)
    for (std::size_t a = 0; a < corners.size(); ++a)
      for (std::size_t b = 0; b < a; ++b)
        longest = std::max(longest, norm(mesh.nodes[corners[a]] - mesh.nodes[corners[b]]));
  return longest;
}

/// Says which junctions are in no tissue, with the distance of the worst.
[[noreturn]] void refuse(const Mesh& mesh, const Junctions& junctions, const std::vector<Nearest>& nearest,
                         Real reach_mm, const std::string& place) {
  std::size_t count = 0;
  Vector3 worst;
  Real worst_mm = 0;
  for (std::size_t k = 0; k < nearest.size(); ++k) {
    if (nearest[k].distance_mm <= reach_mm) continue;
    ++count;
    Real least = never;
    for (const Vector3 node : mesh.nodes) least = std::min(least, norm(node - junctions.points[k]));
    if (least <= worst_mm) continue;
    worst_mm = least;
    worst = junctions.points[k];
  }
  throw InputError(fmt::format(
      "{}: expected all junctions of the network with the tissue within {:.3g} mm of a node of the mesh, got {} of {} "
      "farther away, the one at [{:.6g}, {:.6g}, {:.6g}] mm by {:.4g} mm: another heart, or another length_unit?",
      place, reach_mm, count, nearest.size(), worst.x, worst.y, worst.z, worst_mm));
}

}  // namespace

JunctionNodes nodes_at(const Mesh& mesh, const Junctions& junctions, const std::string& place, Real edges) {
  const Real reach_mm = std::max(junctions.radius_mm, edges * longest_edge_mm(mesh));
  CellTable table(reach_mm);
  const Vector3 reach{reach_mm, reach_mm, reach_mm};
  for (std::size_t k = 0; k < junctions.points.size(); ++k)
    table.add(static_cast<Index>(k), junctions.points[k] - reach, junctions.points[k] + reach);

  std::vector<Nearest> nearest(junctions.points.size());
  std::vector<Real> earliest(mesh.nodes.size(), never);
  for (std::size_t node = 0; node < mesh.nodes.size(); ++node)
    for (const Index k : table.at(mesh.nodes[node])) {
      const Real distance = norm(mesh.nodes[node] - junctions.points[k]);
      if (distance < nearest[k].distance_mm) nearest[k] = {static_cast<Index>(node), distance};
      if (distance <= junctions.radius_mm) earliest[node] = std::min(earliest[node], junctions.arrival_ms[k]);
    }
  JunctionNodes result;
  for (std::size_t k = 0; k < nearest.size(); ++k) {
    const auto [node, distance_mm] = nearest[k];
    if (distance_mm > reach_mm) refuse(mesh, junctions, nearest, reach_mm, place);
    earliest[node] = std::min(earliest[node], junctions.arrival_ms[k]);
    if (distance_mm < result.farthest_mm) continue;
    result.farthest_mm = distance_mm;
    result.farthest = junctions.points[k];
  }
  for (std::size_t node = 0; node < earliest.size(); ++node) {
    if (earliest[node] == never) continue;
    result.nodes.push_back(static_cast<Index>(node));
    result.delay_ms.push_back(earliest[node]);
  }
  return result;
}

}  // namespace cardiowarp
