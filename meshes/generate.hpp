#pragma once
#include <array>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fem/vector3.hpp"
#include "kernels/backend/types.hpp"
#include "meshes/mesh_file.hpp"

namespace cardiowarp {

struct Mesh;

// Makes meshes: an idealised heart, a slab, the inside of a surface, and the refinement of another mesh. `cardiowarp
// mesh` calls these functions, and `cardiowarp bench` makes its hearts with the first. Lengths are in mm. The meshes
// have tags and names of their volumes and surfaces.

/// Idealised left and right ventricle (truncated ellipsoids with real wall thicknesses) cut flat at the base, made with
/// Gmsh. Volumes `lv`, `rv`; surfaces `epi`, `endo_lv`, `endo_rv`, `base`. Meshes finer than Gmsh makes in reasonable
/// time are generated coarser and refined uniformly.
Mesh biventricle_mesh(Real edge_mm);

/// The edge with which Gmsh makes the tetrahedra of biventricle_mesh(): `edge_mm`, or where that is below 1 mm twice or
/// four times as much and more, and they are refined.
Real biventricle_gmsh_edge_mm(Real edge_mm);

/// The edge with which biventricle_mesh() has about so many nodes, within a tenth. Throws InputError, in the name of
/// `option`, for fewer than 1300 or more than 10 million.
Real biventricle_edge_mm(Index nodes, std::string_view option);

/// The volume of the tissue of biventricle_mesh(), for estimates; it is 126.1 cm³ with edges of 3 mm.
inline constexpr Real biventricle_volume_mm3 = 126e3;

/// Box [0, size] in mm. Regular: each cell of round(size/edge) cells a direction becomes six tetrahedra around one
/// diagonal. Unstructured: Gmsh. Volume `slab`; surfaces `x0 x1 y0 y1 z0 z1`.
Mesh slab_mesh(Vector3 size_mm, Real edge_mm, bool regular);

/// Tetrahedra inside a closed triangle surface in one file (`.vtp`, `.stl`, `.ply`, `.obj`, in `unit`), or in several
/// that are joined (surface_file.hpp), made with Gmsh; the surface's own triangles stay the boundary, in their order.
/// Several files are the surfaces with their names; the point or cell array `class` of one becomes triangle tags
/// (surface names `class_1`, ...; `surface` where there is none). `edge_mm` sizes the inside; 0 continues the surface's
/// own edges. Where Gmsh fails on a surface without fault it is asked again with the surface turned in space, and
/// `remark` is told. Throws InputError with numbers and places when the surface is not closed, not made of triangles or
/// cuts itself, and where Gmsh makes no mesh or crashes.
Mesh fill_surface(std::span<const std::filesystem::path> surfaces, Real edge_mm,
                  LengthUnit unit = LengthUnit::millimetre, const std::function<void(const std::string&)>& remark = {});
Mesh fill_surface(const std::filesystem::path& surface, Real edge_mm, LengthUnit unit = LengthUnit::millimetre,
                  const std::function<void(const std::string&)>& remark = {});

/// The size of the inside of a closed triangle surface.
struct SurfaceSize {
  Real volume_mm3, mean_edge_mm;
};

/// Reads the surface as fill_surface() does, with its errors.
SurfaceSize surface_size(std::span<const std::filesystem::path> surfaces, LengthUnit unit = LengthUnit::millimetre);
inline SurfaceSize surface_size(const std::filesystem::path& surface, LengthUnit unit = LengthUnit::millimetre) {
  return surface_size(std::span(&surface, 1), unit);
}

/// Every tetrahedron into eight and every triangle into four, `levels` times; tags, names and fibers are carried.
/// Nodes keep their numbers, new ones follow; the children of element e are 8e ... 8e + 7. `mesh` has passed
/// `check_mesh`. Throws InputError when the result would have more nodes or elements than an Index counts.
Mesh refine_mesh(const Mesh& mesh, int levels);

/// The values of the children of refined elements, from those of their parents: each value `children` times in a row, 8
/// for tetrahedra and 4 for triangles.
template <class T>
std::vector<T> for_children(const std::vector<T>& of_parents, std::size_t children) {
  std::vector<T> of_children;
  of_children.reserve(of_parents.size() * children);
  for (const T& value : of_parents) of_children.insert(of_children.end(), children, value);
  return of_children;
}

/// The edges of a mesh in the order in which refine_mesh() puts a node into the middle of each: node n + i of the mesh
/// refined once, where `mesh` has n nodes, is between the two nodes [i].
std::vector<std::array<Index, 2>> refined_edges(const Mesh& mesh);

/// The quadratic mesh with the elements of a linear one, whose edges stay straight: a node in the middle of each edge,
/// numbered after the others as refine_mesh() does. Throws InputError when there would be more than an Index counts.
Mesh quadratic_mesh(Mesh linear);

/// The linear mesh with the nodes of a quadratic one: every tetrahedron is cut into eight and every triangle into four
/// between its nodes, numbered as refine_mesh() does. Where edges are curved its volume is another.
Mesh linear_pieces(const Mesh& quadratic);

/// Throws InputError where a mesh is quadratic, which `who` cannot do.
void require_linear(const Mesh& mesh, const std::string& who);

}  // namespace cardiowarp
