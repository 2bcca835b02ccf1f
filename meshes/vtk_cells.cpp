#include "meshes/vtk_cells.hpp"

#include <fmt/format.h>
#include <vtkCellArray.h>
#include <vtkCellData.h>
#include <vtkCellType.h>
#include <vtkCellTypes.h>
#include <vtkDataSetAttributes.h>
#include <vtkPointData.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fem/input_error.hpp"
#include "fem/mesh.hpp"
#include "fem/mesh_check.hpp"
#include "meshes/cut_cells.hpp"
#include "meshes/vtk_groups.hpp"

namespace cardiowarp {
namespace {

/// The first of the arrays with these names.
vtkDataArray* array_of(vtkDataSetAttributes& attributes, const std::vector<std::string>& names) {
  for (const std::string& name : names)
    if (vtkDataArray* array = attributes.GetArray(name.c_str())) return array;
  return nullptr;
}

void expect_shape(vtkDataArray* array, const char* kind, vtkIdType tuples, int components) {
  if (array == nullptr || (array->GetNumberOfComponents() == components && array->GetNumberOfTuples() == tuples))
    return;
  throw InputError(fmt::format("{0} array '{1}' has {2} x {3} values: expected {4} x {5} ({0}s x components)", kind,
                               array->GetName(), array->GetNumberOfTuples(), array->GetNumberOfComponents(), tuples,
                               components));
}

vtkDataArray* tag_array(vtkUnstructuredGrid& grid, const std::string& name) {
  vtkDataArray* array = array_of(*grid.GetCellData(), name.empty() ? usual_tag_arrays() : std::vector{name});
  expect_shape(array, "cell", grid.GetNumberOfCells(), 1);
  return array;
}

Vector3 vector_at(vtkDataArray& array, vtkIdType tuple) {
  return {array.GetComponent(tuple, 0), array.GetComponent(tuple, 1), array.GetComponent(tuple, 2)};
}

/// The fibers of tetrahedra: a cell array where there is one, otherwise one of the points.
class FiberArray {
 public:
  FiberArray(vtkUnstructuredGrid& grid, const std::string& name) {
    const std::vector<std::string> names = name.empty() ? usual_fiber_arrays() : std::vector{name};
    of_cells_ = array_of(*grid.GetCellData(), names);
    expect_shape(of_cells_, "cell", grid.GetNumberOfCells(), 3);
    if (of_cells_ != nullptr) return;
    of_points_ = array_of(*grid.GetPointData(), names);
    // By the usual names alone a point array may be something else.
    if (name.empty() && of_points_ != nullptr && of_points_->GetNumberOfComponents() != 3) of_points_ = nullptr;
    expect_shape(of_points_, "point", grid.GetNumberOfPoints(), 3);
  }

  bool present() const { return of_cells_ != nullptr || of_points_ != nullptr; }

  Vector3 fiber(vtkIdType cell, const Tetrahedron& nodes) const {
    return of_cells_ != nullptr ? vector_at(*of_cells_, cell) : mean_direction(nodes);
  }

 private:
  /// Σ ±f/|f| over the nodes where f is a direction, each with the sign that agrees with the first, made 1 long; 0
  /// where there is none. It cannot vanish otherwise: no term points away from the first.
  Vector3 mean_direction(const Tetrahedron& nodes) const {
    Vector3 sum, first;
    for (const Index node : nodes) {
      const Vector3 f = vector_at(*of_points_, node);
      if (!is_direction(f)) continue;
      const Vector3 direction = (1 / norm(f)) * f;
      if (norm(first) == 0) first = direction;
      sum = sum + (dot(first, direction) < 0 ? -1.0 : 1.0) * direction;
    }
    const Real length = norm(sum);
    return length == 0 ? sum : (1 / length) * sum;
  }

  vtkDataArray *of_cells_ = nullptr, *of_points_ = nullptr;
};

/// The arrays of one component that are asked for and there: those of cells with their array, to be filled, those of
/// points filled.
std::vector<vtkDataArray*> begin_values(vtkUnstructuredGrid& grid, const std::vector<std::string>& names, Mesh& mesh) {
  std::vector<vtkDataArray*> arrays;
  for (const std::string& name : names) {
    vtkDataArray* const of_cells = array_of(*grid.GetCellData(), {name});
    vtkDataArray* const of_points = of_cells == nullptr ? array_of(*grid.GetPointData(), {name}) : nullptr;
    if (of_cells == nullptr && of_points == nullptr) continue;
    expect_shape(of_cells, "cell", grid.GetNumberOfCells(), 1);
    expect_shape(of_points, "point", grid.GetNumberOfPoints(), 1);
    MeshValues& values = mesh.values.emplace_back(MeshValues{name, of_points != nullptr, {}});
    arrays.push_back(of_cells);
    for (vtkIdType point = 0; of_points != nullptr && point < grid.GetNumberOfPoints(); ++point)
      values.values.push_back(of_points->GetComponent(point, 0));
  }
  return arrays;
}

template <std::size_t Corners>
std::array<Index, Corners> corners_of(vtkIdType cell, vtkIdType size, const vtkIdType* points, vtkIdType point_count) {
  if (size != static_cast<vtkIdType>(Corners))
    throw InputError(fmt::format("cell {} has {} nodes: expected {}", cell, size, Corners));
  std::array<Index, Corners> corners;
  for (std::size_t k = 0; k < Corners; ++k) {
    if (points[k] < 0 || points[k] >= point_count)
      throw InputError(fmt::format("cell {} refers to node {}: expected 0 to {}", cell, points[k], point_count - 1));
    corners[k] = static_cast<Index>(points[k]);
  }
  return corners;
}

/// Throws InputError where a file has linear and quadratic cells.
void require_one_kind(std::size_t linear, std::size_t quadratic, std::ptrdiff_t linear_triangles,
                      std::ptrdiff_t quadratic_triangles) {
  if (linear > 0 && quadratic > 0)
    throw InputError(
        fmt::format("has both linear (4-node) and quadratic (10-node) tetrahedra, {} and {}: expected one kind", linear,
                    quadratic));
  const std::ptrdiff_t others = quadratic > 0 ? linear_triangles : quadratic_triangles;
  if (others > 0 && linear + quadratic > 0)
    throw InputError(fmt::format("has {} {}-node triangles on {}-node tetrahedra: expected {}-node triangles", others,
                                 quadratic > 0 ? 3 : 6, quadratic > 0 ? 10 : 4, quadratic > 0 ? 6 : 3));
}

/// What a cell is for a mesh. Solids and quadrangles are cut.
enum class CellKind : char {
  linear_tetrahedron,
  quadratic_tetrahedron,
  linear_triangle,
  quadratic_triangle,
  solid,
  quadrangle,
  none
};

/// Of a Lagrange cell that is cut, which has nothing but its corners where it has order 1; 0 of all others.
std::size_t corners_of_lagrange_cell(int type) {
  switch (type) {
    case VTK_LAGRANGE_QUADRILATERAL:
      return 4;
    case VTK_LAGRANGE_PYRAMID:
      return 5;
    case VTK_LAGRANGE_WEDGE:
      return 6;
    case VTK_LAGRANGE_HEXAHEDRON:
      return 8;
    default:
      return 0;
  }
}

/// Of a cell that is cut; 0 of all others.
std::size_t corners_of_cut_cell(int type) {
  switch (type) {
    case VTK_QUAD:
    case VTK_PIXEL:
      return 4;
    case VTK_PYRAMID:
      return 5;
    case VTK_WEDGE:
      return 6;
    case VTK_HEXAHEDRON:
    case VTK_VOXEL:
      return 8;
    default:
      return corners_of_lagrange_cell(type);
  }
}

[[noreturn]] void refuse_cell(vtkIdType cell, int type, vtkIdType size) {
  const char* name = vtkCellTypes::GetClassNameFromTypeId(type);
  const bool of_tetrahedra = type == VTK_LAGRANGE_TETRAHEDRON || type == VTK_BEZIER_TETRAHEDRON;
  const char* orders = of_tetrahedra ? "4 or 10" : "3 or 6";
  if (const std::size_t corners = corners_of_lagrange_cell(type); corners > 0)
    throw InputError(fmt::format("cell {} of type {} ({}) has {} nodes: expected {}, which are order 1", cell, type,
                                 name, size, corners));
  if (type == VTK_LAGRANGE_TETRAHEDRON || type == VTK_LAGRANGE_TRIANGLE)
    throw InputError(fmt::format("cell {} of type {} ({}) has {} nodes: expected {}, which are order 1 or 2", cell,
                                 type, name, size, orders));
  if (type == VTK_BEZIER_TETRAHEDRON || type == VTK_BEZIER_TRIANGLE)
    throw InputError(
        fmt::format("cell {} of type {} ({}) has {} nodes, of which some are control points beside the element: "
                    "expected order 1, or Lagrange cells with {} nodes",
                    cell, type, name, size, orders));
  throw InputError(fmt::format(
      "cell {} of type {} ({}) is not supported: expected tetrahedra, hexahedra, prisms or pyramids and, on surfaces, "
      "triangles or quadrangles",
      cell, type, name));
}

/// Throws InputError where a cell is nothing that a mesh has. The nodes of Lagrange cells of order 2 are those of
/// quadratic ones in the same order; all nodes of a Bezier cell of order 1 are its corners.
CellKind kind_of(vtkIdType cell, int type, vtkIdType size) {
  switch (type) {
    case VTK_TETRA:
      return CellKind::linear_tetrahedron;
    case VTK_QUADRATIC_TETRA:
      return CellKind::quadratic_tetrahedron;
    case VTK_TRIANGLE:
      return CellKind::linear_triangle;
    case VTK_QUADRATIC_TRIANGLE:
      return CellKind::quadratic_triangle;
    case VTK_LAGRANGE_TETRAHEDRON:
    case VTK_BEZIER_TETRAHEDRON:
      if (size == 4) return CellKind::linear_tetrahedron;
      if (size == 10 && type == VTK_LAGRANGE_TETRAHEDRON) return CellKind::quadratic_tetrahedron;
      refuse_cell(cell, type, size);
    case VTK_LAGRANGE_TRIANGLE:
    case VTK_BEZIER_TRIANGLE:
      if (size == 3) return CellKind::linear_triangle;
      if (size == 6 && type == VTK_LAGRANGE_TRIANGLE) return CellKind::quadratic_triangle;
      refuse_cell(cell, type, size);
    case VTK_HEXAHEDRON:
    case VTK_VOXEL:
    case VTK_WEDGE:
    case VTK_PYRAMID:
      return CellKind::solid;
    case VTK_QUAD:
    case VTK_PIXEL:
      return CellKind::quadrangle;
    case VTK_LAGRANGE_QUADRILATERAL:
    case VTK_LAGRANGE_PYRAMID:
    case VTK_LAGRANGE_WEDGE:
    case VTK_LAGRANGE_HEXAHEDRON:
      if (static_cast<std::size_t>(size) != corners_of_lagrange_cell(type)) refuse_cell(cell, type, size);
      return type == VTK_LAGRANGE_QUADRILATERAL ? CellKind::quadrangle : CellKind::solid;
    case VTK_EMPTY_CELL:
    case VTK_VERTEX:
    case VTK_POLY_VERTEX:
    case VTK_LINE:
    case VTK_POLY_LINE:
    case VTK_QUADRATIC_EDGE:
    case VTK_CUBIC_LINE:
    case VTK_LAGRANGE_CURVE:
    case VTK_BEZIER_CURVE:
      return CellKind::none;
    default:
      refuse_cell(cell, type, size);
  }
}

/// The cells that stand in another piece, too, were refined into others or are hidden, by the array that VTK keeps for
/// it. Of the older `vtkGhostLevels` VTK's reader makes such an array where it has bytes.
class GhostCells {
 public:
  explicit GhostCells(vtkUnstructuredGrid& grid)
      : array_(array_of(*grid.GetCellData(), {vtkDataSetAttributes::GhostArrayName(), levels})) {
    expect_shape(array_, "cell", grid.GetNumberOfCells(), 1);
    has_levels_ = array_ != nullptr && name() == levels;
  }

  std::string name() const { return array_->GetName(); }
  bool has(vtkIdType cell) const {
    constexpr int left_out =
        vtkDataSetAttributes::DUPLICATECELL | vtkDataSetAttributes::REFINEDCELL | vtkDataSetAttributes::HIDDENCELL;
    const double value = array_ == nullptr ? 0 : array_->GetComponent(cell, 0);
    return has_levels_ ? value > 0 : value > 0 && value < 256 && (static_cast<int>(value) & left_out) != 0;
  }

 private:
  static constexpr const char* levels = "vtkGhostLevels";
  vtkDataArray* array_;
  bool has_levels_ = false;
};

/// [cells] what each is; ghosts are nothing, and told of.
std::vector<CellKind> kinds_of(vtkUnstructuredGrid& grid, Mesh& mesh) {
  const GhostCells ghosts(grid);
  const vtkIdType cells = grid.GetNumberOfCells();
  std::vector<CellKind> kinds(static_cast<std::size_t>(cells), CellKind::none);
  vtkIdType left_out = 0;
  for (vtkIdType cell = 0; cell < cells; ++cell) {
    if (ghosts.has(cell))
      ++left_out;
    else
      kinds[static_cast<std::size_t>(cell)] = kind_of(cell, grid.GetCellType(cell), grid.GetCells()->GetCellSize(cell));
  }
  if (left_out > 0)
    mesh.remarks.push_back(
        fmt::format("{} of {} cells are ghosts (cell array '{}') and were left out", left_out, cells, ghosts.name()));
  return kinds;
}

/// Throws InputError where a file has linear and quadratic cells. How many tetrahedra there will be at least.
std::size_t require_one_order(const std::vector<CellKind>& kinds) {
  const auto count = [&](CellKind kind) { return std::ranges::count(kinds, kind); };
  const auto linear = static_cast<std::size_t>(count(CellKind::linear_tetrahedron)),
             quadratic = static_cast<std::size_t>(count(CellKind::quadratic_tetrahedron)),
             cut = static_cast<std::size_t>(count(CellKind::solid) + count(CellKind::quadrangle));
  if (quadratic > 0 && cut > 0)
    throw InputError(
        fmt::format("has {} cells to be cut (hexahedra, prisms, pyramids or quadrangles) beside {} quadratic "
                    "tetrahedra: expected linear tetrahedra beside them",
                    cut, quadratic));
  require_one_kind(linear, quadratic, count(CellKind::linear_triangle), count(CellKind::quadratic_triangle));
  return linear + quadratic + cut;
}

/// The corners of a cell that is cut, in the order that CellCutter takes. Those of voxels and pixels go along lines.
template <std::size_t Corners>
std::array<Index, Corners> corners_to_be_cut(const vtkIdType* points, int type, vtkIdType cell, vtkIdType point_count) {
  std::array<Index, Corners> corners = corners_of<Corners>(cell, Corners, points, point_count);
  if (type == VTK_VOXEL || type == VTK_PIXEL)
    for (std::size_t k = 2; k < Corners; k += 4) std::swap(corners[k], corners[k + 1]);
  return corners;
}

/// Adds the pieces of a cell that is cut.
void add_pieces(vtkIdType cell, int type, std::span<const vtkIdType> points, CellCutter& cutter, Mesh& mesh) {
  const auto nodes = static_cast<vtkIdType>(mesh.nodes.size());
  const std::size_t expected = corners_of_cut_cell(type);
  if (points.size() != expected)
    throw InputError(fmt::format("cell {} has {} nodes: expected {}", cell, points.size(), expected));
  if (expected == 8) cutter.cut(corners_to_be_cut<8>(points.data(), type, cell, nodes), mesh.tetrahedra);
  if (expected == 6) cutter.cut(corners_to_be_cut<6>(points.data(), type, cell, nodes), mesh.tetrahedra);
  if (expected == 5) cutter.cut(corners_to_be_cut<5>(points.data(), type, cell, nodes), mesh.tetrahedra);
  if (expected == 4) cutter.cut(corners_to_be_cut<4>(points.data(), type, cell, nodes), mesh.triangles);
}

/// Adds what a cell becomes, without its tags.
void add_cell(vtkUnstructuredGrid& grid, vtkIdType cell, CellKind kind, CellCutter& cutter, Mesh& mesh) {
  const vtkIdType points = grid.GetNumberOfPoints();
  vtkIdType size = 0;
  const vtkIdType* corners = nullptr;
  grid.GetCells()->GetCellAtId(cell, size, corners);
  switch (kind) {
    case CellKind::linear_tetrahedron:
      mesh.tetrahedra.push_back(corners_of<4>(cell, size, corners, points));
      break;
    case CellKind::quadratic_tetrahedron: {
      const auto [a, b, c, d, ab, bc, ac, ad, bd, cd] = corners_of<10>(cell, size, corners, points);
      mesh.tetrahedra.push_back({a, b, c, d});
      mesh.edge_nodes.push_back({ab, bc, ac, ad, bd, cd});
      break;
    }
    case CellKind::linear_triangle:
      mesh.triangles.push_back(corners_of<3>(cell, size, corners, points));
      break;
    case CellKind::quadratic_triangle: {
      const auto [a, b, c, ab, bc, ac] = corners_of<6>(cell, size, corners, points);
      mesh.triangles.push_back({a, b, c});
      mesh.triangle_edge_nodes.push_back({ab, bc, ac});
      break;
    }
    case CellKind::solid:
    case CellKind::quadrangle:
      add_pieces(cell, grid.GetCellType(cell), {corners, static_cast<std::size_t>(size)}, cutter, mesh);
      break;
    case CellKind::none:
      break;
  }
}

}  // namespace

std::vector<std::string> usual_tag_arrays() {
  return {"region", "tag", "gmsh:physical", "medit:ref", "elemTag", "CellEntityIds"};
}

std::vector<std::string> usual_fiber_arrays() { return {"fiber", "fibre", "fibers", "fibres"}; }

int tag_of_cell(vtkDataArray* tags, vtkIdType cell) {
  if (tags == nullptr) return 0;
  const double tag = tags->GetComponent(cell, 0);
  constexpr int most = std::numeric_limits<int>::max();
  if (std::trunc(tag) != tag || std::abs(tag) > most)
    throw InputError(fmt::format("cell array '{}': cell {} holds {}, expected a whole number{}", tags->GetName(), cell,
                                 tag, std::trunc(tag) == tag ? fmt::format(" from {} to {}", -most, most) : ""));
  return static_cast<int>(tag);
}

void read_vtk_cells(vtkUnstructuredGrid& grid, const VtkArrayNames& names, Mesh& mesh) {
  vtkDataArray* tags = tag_array(grid, names.tags);
  VtkGroups groups(grid, tags);
  const FiberArray fibers(grid, names.fibers);
  const std::vector<vtkDataArray*> values = begin_values(grid, names.values, mesh);
  const vtkIdType cells = grid.GetNumberOfCells();
  if (cells == 0) return;
  if (!grid.GetCells()->IsValid() || grid.GetCellTypesArray()->GetNumberOfValues() != cells)
    throw InputError("the cells' offsets, types and node numbers do not fit together");
  const std::vector<CellKind> kinds = kinds_of(grid, mesh);
  const std::size_t tetrahedra = require_one_order(kinds);
  mesh.tetrahedra.reserve(tetrahedra);
  mesh.element_tags.reserve(tetrahedra);
  if (fibers.present()) mesh.fibers.reserve(tetrahedra);
  CellCutter cutter(mesh.nodes);
  for (vtkIdType cell = 0; cell < cells; ++cell) {
    add_cell(grid, cell, kinds[static_cast<std::size_t>(cell)], cutter, mesh);
    if (kinds[static_cast<std::size_t>(cell)] == CellKind::none) continue;
    const std::size_t before = mesh.element_tags.size();
    if (before < mesh.tetrahedra.size()) mesh.element_tags.resize(mesh.tetrahedra.size(), tag_of_cell(tags, cell));
    if (mesh.triangle_tags.size() < mesh.triangles.size())
      mesh.triangle_tags.resize(mesh.triangles.size(), tag_of_cell(tags, cell));
    for (std::size_t piece = before; piece < mesh.tetrahedra.size(); ++piece) {
      if (fibers.present()) mesh.fibers.push_back(fibers.fiber(cell, mesh.tetrahedra[piece]));
      for (std::size_t k = 0; k < values.size(); ++k)
        if (values[k] != nullptr) mesh.values[k].values.push_back(values[k]->GetComponent(cell, 0));
    }
    groups.note(cell, mesh);
  }
  groups.finish(mesh);
  for (std::string& remark : cutter.remarks()) mesh.remarks.push_back(std::move(remark));
}

}  // namespace cardiowarp
