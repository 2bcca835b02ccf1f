#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "fem/input_error.hpp"
#include "fem/mesh.hpp"
#include "meshes/generate.hpp"
#include "meshes/gmsh_file.hpp"
#include "meshes/gmsh_library.hpp"
#include "meshes/gmsh_settings.hpp"

namespace cardiowarp {
namespace {

constexpr int slab_tag = 1;
/// Surface tags start after this one: x0 x1 y0 y1 z0 z1 in this order.
constexpr int first_side_tag = 11;
constexpr std::array<const char*, 6> side_names{"x0", "x1", "y0", "y1", "z0", "z1"};

struct Cells {
  Index x, y, z;
};

Cells cells_of(Vector3 size_mm, Real edge_mm) {
  const auto count = [&](Real length_mm) { return std::max<Real>(1, std::round(length_mm / edge_mm)); };
  const Real x = count(size_mm.x), y = count(size_mm.y), z = count(size_mm.z);
  const Real tetrahedra = 6 * x * y * z, nodes = (x + 1) * (y + 1) * (z + 1);
  constexpr Real largest_index = std::numeric_limits<Index>::max();
  if (!(std::max(tetrahedra, nodes) <= largest_index))
    throw InputError(fmt::format(
        "mesh slab: edge {} mm on {} x {} x {} mm makes {:.4g} nodes and {:.4g} tetrahedra: at most {:.0f} of each",
        edge_mm, size_mm.x, size_mm.y, size_mm.z, nodes, tetrahedra, largest_index));
  return {static_cast<Index>(x), static_cast<Index>(y), static_cast<Index>(z)};
}

/// Cells cut by Kuhn: the six monotone paths of cell edges from the corner (0,0,0) to (1,1,1), so that neighboring
/// cells cut their common square along the same diagonal. Nodes run along x fastest, then y.
Mesh regular_slab(Vector3 size_mm, Real edge_mm) {
  const auto [nx, ny, nz] = cells_of(size_mm, edge_mm);
  Mesh mesh;
  mesh.nodes.reserve(static_cast<std::size_t>(nx + 1) * (ny + 1) * (nz + 1));
  for (Index k = 0; k <= nz; ++k)
    for (Index j = 0; j <= ny; ++j)
      for (Index i = 0; i <= nx; ++i)
        mesh.nodes.push_back({size_mm.x * i / nx, size_mm.y * j / ny, size_mm.z * k / nz});

  const Index dx = 1, dy = nx + 1, dz = (nx + 1) * (ny + 1);
  const auto node = [&](Index i, Index j, Index k) { return i * dx + j * dy + k * dz; };
  mesh.tetrahedra.reserve(static_cast<std::size_t>(6) * nx * ny * nz);
  for (Index k = 0; k < nz; ++k)
    for (Index j = 0; j < ny; ++j)
      for (Index i = 0; i < nx; ++i) {
        const Index low = node(i, j, k), high = node(i + 1, j + 1, k + 1);
        mesh.tetrahedra.insert(mesh.tetrahedra.end(), {{low, low + dx, low + dx + dy, high},
                                                       {low, low + dx + dy, low + dy, high},
                                                       {low, low + dy, low + dy + dz, high},
                                                       {low, low + dy + dz, low + dz, high},
                                                       {low, low + dz, low + dz + dx, high},
                                                       {low, low + dz + dx, low + dx, high}});
      }
  mesh.element_tags.assign(mesh.tetrahedra.size(), slab_tag);

  // A side is the plane of steps (a, b) from `corner`, seen from outside with a x b outwards.
  int tag = first_side_tag;
  const auto add_side = [&](Index corner, Index a, Index cells_a, Index b, Index cells_b) {
    for (Index t = 0; t < cells_b; ++t)
      for (Index s = 0; s < cells_a; ++s) {
        const Index low = corner + s * a + t * b;
        mesh.triangles.insert(mesh.triangles.end(), {{low, low + a, low + a + b}, {low, low + a + b, low + b}});
      }
    mesh.triangle_tags.resize(mesh.triangles.size(), tag++);
  };
  add_side(0, dz, nz, dy, ny);
  add_side(node(nx, 0, 0), dy, ny, dz, nz);
  add_side(0, dx, nx, dz, nz);
  add_side(node(0, ny, 0), dz, nz, dx, nx);
  add_side(0, dy, ny, dx, nx);
  add_side(node(0, 0, nz), dx, nx, dy, ny);
  return mesh;
}

int add_box(Vector3 size_mm) {
  const int volume = gmsh::model::occ::add_box(0, 0, 0, size_mm.x, size_mm.y, size_mm.z);
  gmsh::model::occ::synchronize();
  return volume;
}

/// A flat surface at one end of one direction of the box.
int side_tag(int surface, Vector3 size_mm) {
  Vector3 low, high;
  gmsh::model::get_bounding_box(2, surface, low, high);
  const Vector3 middle = 0.5 * (low + high);
  // Twice the distance from the box's middle in units of its size: -1 and 1 on the sides, 0 in the other directions.
  const std::array<Real, 3> place{2 * middle.x / size_mm.x - 1, 2 * middle.y / size_mm.y - 1,
                                  2 * middle.z / size_mm.z - 1};
  int direction = 0;
  for (int other : {1, 2})
    if (std::abs(place[other]) > std::abs(place[direction])) direction = other;
  return first_side_tag + 2 * direction + (place[direction] > 0 ? 1 : 0);
}

Mesh unstructured_slab(Vector3 size_mm, Real edge_mm) {
  cells_of(size_mm, edge_mm);
  return mesh_made_by_gmsh("mesh slab", [&] {
    apply_gmsh_settings();
    set_gmsh_edge(edge_mm);
    gmsh::model::add_physical_group(3, {add_box(size_mm)}, slab_tag);
    gmsh::Entities sides;
    gmsh::model::get_entities(sides, 2);
    for (const auto& [dimension, side] : sides)
      gmsh::model::add_physical_group(dimension, {side}, side_tag(side, size_mm));
    gmsh::model::mesh::generate(3);
  });
}

}  // namespace

Mesh slab_mesh(Vector3 size_mm, Real edge_mm, bool regular) {
  for (const Real length_mm : {size_mm.x, size_mm.y, size_mm.z})
    if (!(length_mm > 0 && std::isfinite(length_mm)))
      throw InputError(fmt::format("mesh slab: size: expected three lengths above 0 mm, got {} mm", length_mm));
  if (!(edge_mm > 0 && std::isfinite(edge_mm)))
    throw InputError(fmt::format("mesh slab: edge: expected a length above 0 mm, got {} mm", edge_mm));
  Mesh mesh = regular ? regular_slab(size_mm, edge_mm) : unstructured_slab(size_mm, edge_mm);
  mesh.volume_names["slab"] = slab_tag;
  for (int side = 0; side < 6; ++side) mesh.surface_names[side_names[side]] = first_side_tag + side;
  return mesh;
}

}  // namespace cardiowarp
