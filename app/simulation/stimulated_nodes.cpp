#include "app/simulation/stimulated_nodes.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <variant>

#include "app/config/stimulus_config.hpp"
#include "app/simulation/selection.hpp"
#include "fem/clipped_volume.hpp"
#include "fem/extent.hpp"
#include "fem/mesh.hpp"
#include "kernels/backend/thread_team.hpp"
#include "meshes/generate.hpp"

namespace cardiowarp {
namespace {

/// Shares closer to 0 or 1 than this are rounding.
constexpr Real rounding = 1e-9;

Corners corners_of(const Mesh& mesh, const Tetrahedron& nodes) {
  return {mesh.nodes[nodes[0]], mesh.nodes[nodes[1]], mesh.nodes[nodes[2]], mesh.nodes[nodes[3]]};
}

/// What a shape has of a tetrahedron: all, nothing, or some, which has to be measured.
enum class Overlap { all, nothing, some };

Overlap overlap(const Box& box, const Corners& corners) {
  const auto [low, high] = extent_of(corners);
  if (low.x >= box.min.x && low.y >= box.min.y && low.z >= box.min.z && high.x <= box.max.x && high.y <= box.max.y &&
      high.z <= box.max.z)
    return Overlap::all;
  if (high.x <= box.min.x || high.y <= box.min.y || high.z <= box.min.z || low.x >= box.max.x || low.y >= box.max.y ||
      low.z >= box.max.z)
    return Overlap::nothing;
  return Overlap::some;
}

Overlap overlap(const Sphere& sphere, const Corners& corners) {
  const Vector3 middle = 0.25 * (corners[0] + corners[1] + corners[2] + corners[3]);
  Real reach = 0;
  for (const Vector3 corner : corners) reach = std::max(reach, norm(corner - middle));
  const Real distance = norm(middle - sphere.center);
  if (distance + reach <= sphere.radius_mm) return Overlap::all;
  return distance - reach >= sphere.radius_mm ? Overlap::nothing : Overlap::some;
}

Real common_volume(const Box& box, const Corners& corners) { return volume_in_box(corners, box.min, box.max); }
Real common_volume(const Sphere& sphere, const Corners& corners) {
  return volume_in_ball(corners, sphere.center, sphere.radius_mm);
}

/// What a shape has of the quarter of a tetrahedron that belongs to a corner: the points that are nearest to it in
/// barycentric coordinates. These are six tetrahedra between the corner, the middle of an edge, of a face and of the
/// whole.
template <class Shape>
Real volume_at_corner(const Shape& shape, const Corners& c, int corner) {
  const Vector3 middle = 0.25 * (c[0] + c[1] + c[2] + c[3]);
  Real volume = 0;
  for (int j = 0; j < 4; ++j)
    for (int k = 0; k < 4; ++k) {
      if (j == corner || k == corner || j == k) continue;
      const Vector3 edge = 0.5 * (c[corner] + c[j]), face = (Real(1) / 3) * (c[corner] + c[j] + c[k]);
      volume += common_volume(shape, Corners{c[corner], edge, face, middle});
    }
  return volume;
}

/// What belongs to the corners of a tetrahedron, each a quarter of it, and what a shape has of each quarter, mm³.
struct CornerVolumes {
  Real quarter = 0;
  std::array<Real, 4> stimulated{};
};

template <class Shape>
CornerVolumes corner_volumes(const Shape& shape, const Corners& corners) {
  CornerVolumes volumes{volume_of(corners) / 4, {}};
  const Overlap common = overlap(shape, corners);
  for (int i = 0; i < 4; ++i) {
    if (common == Overlap::all) volumes.stimulated[i] = volumes.quarter;
    if (common == Overlap::some) volumes.stimulated[i] = volume_at_corner(shape, corners, i);
  }
  return volumes;
}

/// Volumes of the nodes' dual cells and of what is stimulated of them, mm³.
struct DualCells {
  std::vector<Real> whole, stimulated;

  explicit DualCells(const Mesh& mesh) : whole(mesh.nodes.size()), stimulated(mesh.nodes.size()) {}

  StimulatedNodes shares() const {
    StimulatedNodes result;
    for (std::size_t node = 0; node < whole.size(); ++node) {
      if (stimulated[node] == 0) continue;
      const Real share = stimulated[node] / whole[node];
      if (!(share > rounding)) continue;
      result.nodes.push_back(static_cast<Index>(node));
      result.share.push_back(share > 1 - rounding ? 1 : share);
    }
    return result;
  }
};

/// The elements of which is_one(element) is true, ascending.
template <class Predicate>
std::vector<Index> elements_where(const Mesh& mesh, const Predicate& is_one) {
  return joined_blocks<std::vector<Index>>(
      static_cast<std::int64_t>(mesh.tetrahedra.size()),
      [&](std::vector<Index>& some, std::int64_t element) {
        if (is_one(static_cast<Index>(element))) some.push_back(static_cast<Index>(element));
      },
      [](std::vector<Index>& all, const std::vector<Index>& some) { all.insert(all.end(), some.begin(), some.end()); });
}

/// Only the dual cells that the shape can reach are measured: those of the corners of elements that it overlaps.
template <class Shape>
StimulatedNodes shares_in(const Mesh& mesh, const Shape& shape) {
  std::vector<bool> is_near(mesh.nodes.size(), false);
  for (const Index element : elements_where(
           mesh, [&](Index i) { return overlap(shape, corners_of(mesh, mesh.tetrahedra[i])) != Overlap::nothing; }))
    for (const Index node : mesh.tetrahedra[element]) is_near[node] = true;

  const std::vector<Index> near = elements_where(mesh, [&](Index i) {
    return std::ranges::any_of(mesh.tetrahedra[i], [&](Index node) { return is_near[node]; });
  });
  DualCells cells(mesh);
  take_in_order<CornerVolumes>(
      static_cast<std::int64_t>(near.size()),
      [&](std::int64_t k) { return corner_volumes(shape, corners_of(mesh, mesh.tetrahedra[near[k]])); },
      [&](std::int64_t k, const CornerVolumes& volumes) {
        for (int i = 0; i < 4; ++i) {
          const Index node = mesh.tetrahedra[near[k]][i];
          cells.whole[node] += volumes.quarter;
          cells.stimulated[node] += volumes.stimulated[i];
        }
      });
  return cells.shares();
}

StimulatedNodes shares_of_elements(const Mesh& mesh, const std::vector<Index>& elements) {
  DualCells cells(mesh);
  const auto quarter = [&](std::int64_t element) { return volume_of(corners_of(mesh, mesh.tetrahedra[element])) / 4; };
  take_in_order<Real>(static_cast<std::int64_t>(mesh.tetrahedra.size()), quarter,
                      [&](std::int64_t element, Real volume) {
                        for (const Index node : mesh.tetrahedra[element]) cells.whole[node] += volume;
                      });
  for (const Index element : elements) {
    const Real volume = quarter(element);
    for (const Index node : mesh.tetrahedra[element]) cells.stimulated[node] += volume;
  }
  return cells.shares();
}

StimulatedNodes whole_nodes(const Mesh& mesh, const Where& where) {
  StimulatedNodes result{select_nodes(mesh, where), {}};
  result.share.assign(result.nodes.size(), 1);
  return result;
}

}  // namespace

StimulatedNodes stimulated_nodes(const Mesh& mesh, const Where& where, StimulusEdge edge) {
  if (edge == StimulusEdge::nodes || !selects_volume(mesh, where)) return whole_nodes(mesh, where);
  // The dual cells of a quadratic mesh are those of the linear pieces between its nodes.
  if (mesh.is_quadratic()) return stimulated_nodes(linear_pieces(mesh), where, edge);
  StimulatedNodes result;
  const bool has_coordinates = !where.within.is_everything();
  if (has_coordinates || std::holds_alternative<Tag>(where.region))
    result = shares_of_elements(mesh, elements_within(mesh, where));
  else if (const Box* box = std::get_if<Box>(&where.region))
    result = shares_in(mesh, *box);
  else if (const Sphere* sphere = std::get_if<Sphere>(&where.region))
    result = shares_in(mesh, *sphere);
  return result.nodes.empty() ? whole_nodes(mesh, where) : result;
}

}  // namespace cardiowarp
