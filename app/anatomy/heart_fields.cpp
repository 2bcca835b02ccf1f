#include "app/anatomy/heart_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "app/simulation/laplace.hpp"
#include "fem/anatomy/boundary_faces.hpp"
#include "fem/input_error.hpp"
#include "fem/mesh.hpp"

namespace cardiowarp {
namespace {

/// The apex of a heart is the epicardium within this share of its length from the tip: a single node would be a point,
/// whose field depends on the size of the elements there.
constexpr Real share_of_apex = 0.05;

/// Surfaces and the value on each.
using Prescribed = std::vector<std::pair<HeartSurface, Real>>;

PrescribedValues values_on(const HeartSurfaces& surfaces, const Prescribed& prescribed) {
  std::vector<std::pair<Index, Real>> all;
  for (const auto& [surface, value] : prescribed)
    for (const Index node : surfaces.nodes[surface]) all.emplace_back(node, value);
  std::ranges::sort(all);
  PrescribedValues values;
  for (const auto& [node, value] : all) {
    values.node.push_back(node);
    values.value.push_back(value);
  }
  return values;
}

/// A field for each list of values, which are on the same surfaces.
std::vector<std::vector<Real>> solved(const Mesh& mesh, const HeartSurfaces& surfaces,
                                      const std::vector<Prescribed>& prescribed, const std::string& place) {
  // Angles are then right to 0.0001 degrees or so. The matrix in single precision is read in two thirds of the time.
  constexpr LaplaceOptions enough{.tolerance = 1e-8, .precision = SolverPrecision::mixed};
  std::vector<Index> nodes;
  std::vector<std::vector<Real>> values;
  for (const Prescribed& each : prescribed) {
    PrescribedValues own = values_on(surfaces, each);
    nodes = std::move(own.node);
    values.push_back(std::move(own.value));
  }
  std::vector<std::vector<Real>> fields;
  for (LaplaceField& field : solve_laplace_on_cpu(mesh, nodes, values, enough)) {
    if (field.status != CgStatus::converged)
      throw InputError(
          fmt::format("{}: Laplace's equation between the surfaces could not be solved: conjugate gradients did not "
                      "converge in {} iterations, relative residual {:.2e} (are there very flat elements?)",
                      place, field.iterations, field.residual));
    fields.push_back(std::move(field.value));
  }
  return fields;
}

/// [nodes] how much more of the elements around a node is of the left ventricle than of the right one.
std::vector<Real> leaning_to_left(const Mesh& mesh, const HeartFields& fields) {
  std::vector<Real> leaning(mesh.nodes.size(), 0);
  for (const Tetrahedron& corners : mesh.tetrahedra) {
    Real sum = 0;
    for (const Index node : corners) sum += fields.left[node] - fields.right[node];
    for (const Index node : corners) leaning[node] += sum;
  }
  return leaning;
}

/// The epicardium of the left ventricle around its node farthest from the base.
void find_apex(const Mesh& mesh, const HeartFields& fields, HeartSurfaces& surfaces) {
  const FaceGeometry base = geometry_of(mesh, surfaces, HeartSurface::base);
  const std::vector<Real> leaning = fields.left.empty() ? std::vector<Real>() : leaning_to_left(mesh, fields);
  Real length = -std::numeric_limits<Real>::infinity();
  Index tip = -1;
  for (const Index node : surfaces.nodes[HeartSurface::epi]) {
    if (!leaning.empty() && leaning[node] < 0) continue;
    const Vector3 way = base.center - mesh.nodes[node];
    const Real depth = norm(base.normal) > 0 ? dot(way, base.normal) : norm(way);
    if (depth > length) length = depth, tip = node;
  }
  if (tip < 0) tip = surfaces.nodes[HeartSurface::epi].front();
  std::vector<Index>& apex = surfaces.nodes[HeartSurface::apex];
  for (const Index node : surfaces.nodes[HeartSurface::epi])
    if (node == tip || norm(mesh.nodes[node] - mesh.nodes[tip]) < share_of_apex * length) apex.push_back(node);
  const Vector3 at = mesh.nodes[tip];
  const auto tenths = [](Real value) { return std::round(10 * value) / 10 + 0.0; };  // −0 becomes 0
  surfaces.origin[HeartSurface::apex] = fmt::format("the epicardium farthest from the base, around ({}, {}, {}) mm",
                                                    tenths(at.x), tenths(at.y), tenths(at.z));
  std::erase_if(surfaces.nodes[HeartSurface::base], [&](Index node) { return std::ranges::binary_search(apex, node); });
}

}  // namespace

// In the middle of a quadratic element the shape functions are −1/8 at the corners and
// 1/4 on the edges.
Real middle(const Mesh& mesh, std::size_t element, std::span<const Real> value) {
  Real corners = 0, edges = 0;
  for (const Index node : mesh.tetrahedra[element]) corners += value[node];
  if (!mesh.is_quadratic()) return corners / 4;
  for (const Index node : mesh.edge_nodes[element]) edges += value[node];
  return edges / 4 - corners / 8;
}

HeartFields solve_heart_fields(const Mesh& mesh, HeartSurfaces& surfaces, const std::string& place) {
  using enum HeartSurface;
  HeartFields fields;
  if (surfaces.kind() == HeartKind::left_ventricle) {
    fields.epi = solved(mesh, surfaces, {{{endo_lv, 0}, {epi, 1}}}, place)[0];
  } else {
    std::vector<std::vector<Real>> both =
        solved(mesh, surfaces, {{{endo_lv, 1}, {endo_rv, 0}, {epi, 0}}, {{endo_lv, 0}, {endo_rv, 1}, {epi, 0}}}, place);
    fields.left = std::move(both[0]);
    fields.right = std::move(both[1]);
    fields.epi.resize(mesh.nodes.size());
    for (std::size_t node = 0; node < mesh.nodes.size(); ++node)
      fields.epi[node] = 1 - fields.left[node] - fields.right[node];
  }
  if (surfaces.nodes[apex].empty()) find_apex(mesh, fields, surfaces);
  fields.to_base = solved(mesh, surfaces, {{{apex, 0}, {base, 1}}}, place)[0];
  return fields;
}

}  // namespace cardiowarp
