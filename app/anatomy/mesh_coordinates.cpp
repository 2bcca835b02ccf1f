#include "app/anatomy/mesh_coordinates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

#include "app/simulation/laplace.hpp"
#include "fem/anatomy/level_scale.hpp"
#include "fem/element_volume.hpp"
#include "fem/input_error.hpp"
#include "fem/quadratic_tetrahedron.hpp"
#include "kernels/backend/thread_team.hpp"

namespace cardiowarp {
namespace {

/// Calls `visit` with each node of an element.
template <class Visit>
void for_nodes_of(const Mesh& mesh, std::size_t element, const Visit& visit) {
  for (const Index node : mesh.tetrahedra[element]) visit(node);
  if (!mesh.is_quadratic()) return;
  for (const Index node : mesh.edge_nodes[element]) visit(node);
}

/// The fields of the two endocardia and the epicardium at a place.
using Fields = std::array<Real, 3>;

/// [nodes] the mean of the fields in the middle of the elements around a node. On a surface two of the fields
/// themselves are 0, so that none of these is the smallest.
std::vector<Fields> fields_around(const Mesh& mesh, const HeartFields& fields) {
  std::vector<Fields> around(mesh.nodes.size(), Fields{});
  for (std::size_t element = 0; element < mesh.tetrahedra.size(); ++element) {
    const Fields here{middle(mesh, element, fields.left), middle(mesh, element, fields.right),
                      middle(mesh, element, fields.epi)};
    // The number of elements does not matter to which is the smallest.
    for_nodes_of(mesh, element, [&](Index node) {
      for (std::size_t k = 0; k < here.size(); ++k) around[node][k] += here[k];
    });
  }
  return around;
}

HeartPart part_of(const Fields& around) { return part_at(around[0], around[1], around[2]); }

/// Parts and transmural coordinates of two ventricles.
void set_walls(const Mesh& mesh, const HeartFields& fields, HeartCoordinates& all) {
  const std::vector<Fields> around = fields_around(mesh, fields);
  parallel_for(mesh.nodes.size(), [&](std::size_t node) {
    HeartPlace& place = all.nodes[node];
    place.part = part_of(around[node]);
    place.transmural = transmural_at(place.part, fields.left[node], fields.right[node]);
  });
  parallel_for(mesh.tetrahedra.size(), [&](std::size_t element) {
    Fields sum{};
    for_nodes_of(mesh, element, [&](Index node) {
      for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += around[node][k];
    });
    HeartPlace& place = all.elements[element];
    place.part = part_of(sum);
    place.transmural =
        transmural_at(place.part, middle(mesh, element, fields.left), middle(mesh, element, fields.right));
  });
}

void set_wall_of_one(const Mesh& mesh, const HeartFields& fields, HeartCoordinates& all) {
  parallel_for(mesh.nodes.size(),
               [&](std::size_t node) { all.nodes[node].transmural = std::clamp<Real>(fields.epi[node], 0, 1); });
  parallel_for(mesh.tetrahedra.size(), [&](std::size_t element) {
    all.elements[element].transmural = std::clamp<Real>(middle(mesh, element, fields.epi), 0, 1);
  });
}

void set_heights(const Mesh& mesh, const HeartFields& fields, HeartCoordinates& all) {
  const std::vector<Vector3> slope = gradients(mesh, fields.to_base);
  std::vector<LevelScale::Piece> pieces(mesh.tetrahedra.size());
  parallel_for(pieces.size(), [&](std::size_t element) {
    LevelScale::Piece& piece = pieces[element];
    piece = {std::numeric_limits<Real>::infinity(), -std::numeric_limits<Real>::infinity(),
             norm(slope[element]) * element_volume(mesh, element)};
    for_nodes_of(mesh, element, [&](Index node) {
      piece.low = std::min(piece.low, fields.to_base[node]);
      piece.high = std::max(piece.high, fields.to_base[node]);
    });
  });
  const LevelScale scale(pieces);
  parallel_for(mesh.nodes.size(), [&](std::size_t node) { all.nodes[node].apicobasal = scale(fields.to_base[node]); });
  parallel_for(pieces.size(), [&](std::size_t element) {
    all.elements[element].apicobasal = scale(middle(mesh, element, fields.to_base));
  });
}

void set_angles(const Mesh& mesh, const LongAxis& axis, HeartCoordinates& all) {
  parallel_for(mesh.nodes.size(), [&](std::size_t node) { all.nodes[node].rotational = axis.angle(mesh.nodes[node]); });
  parallel_for(mesh.tetrahedra.size(), [&](std::size_t element) {
    Vector3 sum;
    for (const Index node : mesh.tetrahedra[element]) sum = sum + mesh.nodes[node];
    all.elements[element].rotational = axis.angle(Real(0.25) * sum);
  });
}

std::string text(Vector3 p) {
  const auto tenths = [](Real value) { return std::round(10 * value) / 10 + 0.0; };  // −0 becomes 0
  return fmt::format("({}, {}, {})", tenths(p.x), tenths(p.y), tenths(p.z));
}

/// The long axis, and in words where the rotational coordinate is 0.
struct FoundAxis {
  LongAxis axis;
  std::string zero;
};

/// The middle of the rim of the left endocardium where it meets the base, or, where they share no nodes, of all of it.
Vector3 middle_of_rim(const Mesh& mesh, const HeartSurfaces& surfaces) {
  const std::vector<Triangle> faces = faces_of(mesh, surfaces, HeartSurface::endo_lv);
  const std::vector<Triangle> neighbors = neighbors_of_faces(faces);
  std::vector<char> is_base(mesh.nodes.size(), 0);
  for (const Index node : surfaces.nodes[HeartSurface::base]) is_base[node] = 1;
  for (const bool at_base : {true, false}) {
    Vector3 sum;
    Real length = 0;
    for (std::size_t face = 0; face < faces.size(); ++face)
      for (int k = 0; k < 3; ++k) {
        const Index a = faces[face][k], b = faces[face][(k + 1) % 3];
        if (neighbors[face][k] >= 0 || (at_base && (is_base[a] == 0 || is_base[b] == 0))) continue;
        const Real own = norm(mesh.nodes[b] - mesh.nodes[a]);
        sum = sum + (own / 2) * (mesh.nodes[a] + mesh.nodes[b]);
        length += own;
      }
    if (length > 0) return (1 / length) * sum;
  }
  return geometry_of(mesh, surfaces, HeartSurface::base).center;
}

FoundAxis find_axis(const Mesh& mesh, const HeartSurfaces& surfaces, const CoordinatesConfig& config,
                    const std::string& place) {
  using enum HeartSurface;
  const Vector3 middle = geometry_of(mesh, surfaces, endo_lv).center, rim = middle_of_rim(mesh, surfaces);
  const Vector3 way = rim - middle;
  Vector3 zero;
  std::string towards;
  if (config.zero_mm) {
    zero = *config.zero_mm;
    towards = fmt::format("the point {} mm", text(zero));
  } else if (surfaces.kind() == HeartKind::two_ventricles) {
    zero = geometry_of(mesh, surfaces, endo_rv).center;
    towards = "the right ventricle";
  } else {
    const bool is_along_x = std::fabs(way.x) > 0.9 * norm(way);
    zero = middle + norm(way) * (is_along_x ? Vector3{0, 1, 0} : Vector3{1, 0, 0});
    towards = fmt::format("{} of the mesh, as coordinates.zero names no point", is_along_x ? "y" : "x");
  }
  const auto axis = LongAxis::through(middle, rim, zero);
  if (!axis)
    throw InputError(
        fmt::format("{}: coordinates, but the long axis from the middle of endo_lv {} mm to that of its rim {} mm has "
                    "no direction, or "
                    "goes through the point {} mm in whose direction the rotational coordinate is 0: expected another "
                    "coordinates.zero or other surfaces",
                    config.place.empty() ? place : config.place, text(middle), text(rim), text(zero)));
  return {*axis, towards};
}

std::vector<std::string> lines_on(const HeartCoordinates& all, const FoundAxis& found) {
  const auto count = [&](HeartPart part) { return std::ranges::count(all.nodes, part, &HeartPlace::part); };
  const bool has_right = all.heart == HeartKind::two_ventricles;
  return {fmt::format("coordinates: of {}", has_right ? "a left and a right ventricle" : "a left ventricle"),
          fmt::format("  transmural: 0 on the endocardium to 1 on the epicardium{}",
                      has_right ? " and on the right of the septum" : ""),
          "  apicobasal: 0 at the apex to 1 at the base",
          fmt::format("  rotational: 0 towards {}, up to ±180° on the other side, counterclockwise from the base",
                      found.zero),
          has_right ? fmt::format("  ventricle: lv {} nodes, {} of them septum; rv {} nodes",
                                  count(HeartPart::left_wall) + count(HeartPart::septum), count(HeartPart::septum),
                                  count(HeartPart::right_wall))
                    : "  ventricle: lv"};
}

}  // namespace

MeshCoordinates mesh_coordinates(const Mesh& mesh, const HeartSurfaces& surfaces, const HeartFields& fields,
                                 const CoordinatesConfig& config, const std::string& place) {
  const FoundAxis found = find_axis(mesh, surfaces, config, place);
  MeshCoordinates made;
  HeartCoordinates& all = made.coordinates;
  all.heart = surfaces.kind();
  all.nodes.resize(mesh.nodes.size());
  all.elements.resize(mesh.tetrahedra.size());
  if (all.heart == HeartKind::two_ventricles)
    set_walls(mesh, fields, all);
  else
    set_wall_of_one(mesh, fields, all);
  set_heights(mesh, fields, all);
  set_angles(mesh, found.axis, all);
  made.in_words = lines_on(all, found);
  return made;
}

}  // namespace cardiowarp
