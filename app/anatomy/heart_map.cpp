#include "app/anatomy/heart_map.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "fem/barycentric.hpp"

namespace cardiowarp {
namespace {

constexpr int cells_across = 8;  ///< of the wall
constexpr int cells_along = 64;  ///< of the disc, in both directions

/// The cell of a number between `low` and `high`.
int cell_of(Real value, Real low, Real high, int cells) {
  return static_cast<int>(std::clamp<Real>((value - low) / (high - low) * cells, 0, cells - 1));
}

struct Cell {
  int across, y, z;
};

Cell cell_of(Vector3 p) {
  return {cell_of(p.x, 0, 1, cells_across), cell_of(p.y, -1, 1, cells_along), cell_of(p.z, -1, 1, cells_along)};
}

std::size_t number_of(const Cell& cell) {
  return (static_cast<std::size_t>(cell.across) * cells_along + static_cast<std::size_t>(cell.y)) * cells_along +
         static_cast<std::size_t>(cell.z);
}

/// Calls `visit` with the number of each cell from `low` to `high`.
template <class Visit>
void for_cells(const Cell& low, const Cell& high, const Visit& visit) {
  for (int i = low.across; i <= high.across; ++i)
    for (int j = low.y; j <= high.y; ++j)
      for (int k = low.z; k <= high.z; ++k) visit(number_of({i, j, k}));
}

/// The apex is a piece of the epicardium, not a point: its rim has angles, too.
constexpr Real radius_of_apex = 0.05;

Vector3 on_disc(Real depth, Real height, Real angle) {
  const Real radius = (height + radius_of_apex) / (1 + radius_of_apex);
  return {depth, radius * std::cos(angle), radius * std::sin(angle)};
}

HeartPart side_of(HeartPart part) { return part == HeartPart::right_wall ? part : HeartPart::left_wall; }

}  // namespace

HeartMap::HeartMap(const Mesh& mesh, const HeartFields& fields, const HeartCoordinates& coordinates) : mesh_(mesh) {
  const auto depth_below = [](const std::vector<Real>& field) {
    std::vector<Real> depth;
    depth.reserve(field.size());
    for (const Real value : field) depth.push_back(std::clamp<Real>(1 - value, 0, 1));
    return depth;
  };
  if (coordinates.heart == HeartKind::left_ventricle) {
    std::vector<Real> depth = fields.epi;
    for (Real& value : depth) value = std::clamp<Real>(value, 0, 1);
    discs_.push_back(disc_of(HeartPart::left_wall, depth, coordinates));
    return;
  }
  discs_.push_back(disc_of(HeartPart::left_wall, depth_below(fields.left), coordinates));
  discs_.push_back(disc_of(HeartPart::right_wall, depth_below(fields.right), coordinates));
}

HeartMap::Disc HeartMap::disc_of(HeartPart side, const std::vector<Real>& depth,
                                 const HeartCoordinates& coordinates) const {
  Disc disc;
  for (std::size_t node = 0; node < mesh_.nodes.size(); ++node)
    disc.nodes.push_back(on_disc(depth[node], coordinates.nodes[node].apicobasal, coordinates.nodes[node].rotational));
  // An element between both ventricles is in both.
  const auto is_of_side = [&](std::size_t element) {
    return side_of(coordinates.elements[element].part) == side ||
           std::ranges::any_of(mesh_.tetrahedra[element],
                               [&](Index node) { return side_of(coordinates.nodes[node].part) == side; });
  };
  const auto for_cells_of = [&](std::size_t element, const auto& visit) {
    const auto& [a, b, c, d] = mesh_.tetrahedra[element];
    const auto [x0, x1] = std::minmax({disc.nodes[a].x, disc.nodes[b].x, disc.nodes[c].x, disc.nodes[d].x});
    const auto [y0, y1] = std::minmax({disc.nodes[a].y, disc.nodes[b].y, disc.nodes[c].y, disc.nodes[d].y});
    const auto [z0, z1] = std::minmax({disc.nodes[a].z, disc.nodes[b].z, disc.nodes[c].z, disc.nodes[d].z});
    for_cells(cell_of({x0, y0, z0}), cell_of({x1, y1, z1}), visit);
  };
  disc.first.assign(static_cast<std::size_t>(cells_across) * cells_along * cells_along + 1, 0);
  std::vector<Index> own;
  for (std::size_t element = 0; element < mesh_.tetrahedra.size(); ++element)
    if (is_of_side(element)) own.push_back(static_cast<Index>(element));
  for (const Index element : own) for_cells_of(element, [&](std::size_t cell) { ++disc.first[cell + 1]; });
  for (std::size_t cell = 1; cell < disc.first.size(); ++cell) disc.first[cell] += disc.first[cell - 1];
  disc.elements.resize(disc.first.back());
  std::vector<std::size_t> next = disc.first;
  for (const Index element : own)
    for_cells_of(element, [&](std::size_t cell) { disc.elements[next[cell]++] = element; });
  return disc;
}

PlaceInElement HeartMap::search(const Disc& disc, Vector3 point, int reach) const {
  const Cell middle = cell_of(point);
  const auto moved = [](int cell, int by, int cells) { return std::clamp(cell + by, 0, cells - 1); };
  const auto corner = [&](int by) {
    return Cell{moved(middle.across, by, cells_across), moved(middle.y, by, cells_along),
                moved(middle.z, by, cells_along)};
  };
  PlaceInElement best{.distance = std::numeric_limits<Real>::infinity()};
  for_cells(corner(-reach), corner(reach), [&](std::size_t cell) {
    for (std::size_t k = disc.first[cell]; k < disc.first[cell + 1] && best.distance > 0; ++k) {
      const auto element = static_cast<std::size_t>(disc.elements[k]);
      std::array<Vector3, 4> corners;
      for (std::size_t i = 0; i < corners.size(); ++i) corners[i] = disc.nodes[mesh_.tetrahedra[element][i]];
      std::array<Real, 4> weights = barycentric_coordinates(corners, point);
      constexpr Real rounding = 1e-9;
      const bool is_inside = std::ranges::all_of(weights, [](Real weight) { return weight >= -rounding; });
      Real sum = 0;
      for (Real& weight : weights) sum += weight = std::isfinite(weight) ? std::clamp<Real>(weight, 0, 1) : 0;
      if (!(sum > 0)) continue;
      Vector3 nearest;
      for (std::size_t i = 0; i < corners.size(); ++i) nearest = nearest + (weights[i] /= sum) * corners[i];
      const Real distance = is_inside ? 0 : norm(nearest - point);
      if (distance < best.distance) best = {element, weights, distance};
    }
  });
  return best;
}

PlaceInElement HeartMap::find(const HeartPlace& wanted) const {
  const bool is_right = wanted.part == HeartPart::right_wall && discs_.size() > 1;
  const Disc& disc = discs_[is_right ? 1 : 0];
  const Vector3 point = on_disc(wanted.transmural, wanted.apicobasal, wanted.rotational);
  PlaceInElement found;
  for (int reach = 0; reach <= cells_along; reach = 2 * reach + 1) {
    found = search(disc, point, reach);
    // The nearest element outside the cell of a point may be nearer than those in it.
    if (found.distance == 0 || (reach > 0 && std::isfinite(found.distance))) break;
  }
  return found;
}

}  // namespace cardiowarp
