#include "meshes/vtk_file.hpp"

#include <fmt/format.h>
#include <vtkCellArray.h>
#include <vtkCellData.h>
#include <vtkCellTypes.h>
#include <vtkDoubleArray.h>
#include <vtkFieldData.h>
#include <vtkIntArray.h>
#include <vtkPointData.h>
#include <vtkPoints.h>
#include <vtkStringArray.h>
#include <vtkUnsignedCharArray.h>
#include <vtkUnstructuredGrid.h>
#include <vtkUnstructuredGridReader.h>
#include <vtkXMLUnstructuredGridReader.h>
#include <vtkXMLUnstructuredGridWriter.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>
#include <type_traits>

#include "fem/input_error.hpp"
#include "meshes/legacy_vtk_check.hpp"
#include "meshes/mapped_file.hpp"
#include "meshes/suffix.hpp"
#include "meshes/vtk_groups.hpp"
#include "meshes/vtk_messages.hpp"
#include "meshes/vtu_check.hpp"
#include "meshes/vtu_encoding.hpp"

namespace cardiowarp {
namespace {

template <class Reader>
vtkSmartPointer<vtkUnstructuredGrid> read_grid(const std::filesystem::path& file) {
  const VtkMessages messages;
  const vtkNew<Reader> reader;
  reader->SetFileName(file.c_str());
  if constexpr (std::is_same_v<Reader, vtkUnstructuredGridReader>) {
    // Otherwise VTK drops all but the first array of each kind.
    reader->ReadAllScalarsOn();
    reader->ReadAllVectorsOn();
    reader->ReadAllNormalsOn();
    reader->ReadAllFieldsOn();
  }
  reader->Update();
  if (!messages.first().empty()) throw InputError(fmt::format("VTK says: {}", messages.first()));
  vtkUnstructuredGrid* grid = reader->GetOutput();
  if (reader->GetErrorCode() != 0 || grid == nullptr)
    throw InputError(fmt::format("VTK cannot read it (its error code {})", reader->GetErrorCode()));
  return grid;
}

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
  const std::vector<std::string> usual{"region", "tag", "gmsh:physical", "medit:ref", "elemTag", "CellEntityIds"};
  vtkDataArray* array = array_of(*grid.GetCellData(), name.empty() ? usual : std::vector{name});
  expect_shape(array, "cell", grid.GetNumberOfCells(), 1);
  return array;
}

Vector3 vector_at(vtkDataArray& array, vtkIdType tuple) {
  return {array.GetComponent(tuple, 0), array.GetComponent(tuple, 1), array.GetComponent(tuple, 2)};
}

/// The fibres of tetrahedra: a cell array where there is one, otherwise one of the points.
class FiberArray {
 public:
  FiberArray(vtkUnstructuredGrid& grid, const std::string& name) {
    const std::vector<std::string> names =
        name.empty() ? std::vector<std::string>{"fiber", "fibre", "fibers", "fibres"} : std::vector{name};
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
  /// Σ ±f/|f| over the nodes, each with the sign that agrees with the first f ≠ 0, made 1 long; 0 where all are 0. It
  /// cannot vanish otherwise: no term points away from the first.
  Vector3 mean_direction(const Tetrahedron& nodes) const {
    Vector3 sum, first;
    for (const Index node : nodes) {
      const Vector3 f = vector_at(*of_points_, node);
      const Real length = norm(f);
      if (length == 0) continue;
      const Vector3 direction = (1 / length) * f;
      if (norm(first) == 0) first = direction;
      sum = sum + (dot(first, direction) < 0 ? -1.0 : 1.0) * direction;
    }
    const Real length = norm(sum);
    return length == 0 ? sum : (1 / length) * sum;
  }

  vtkDataArray *of_cells_ = nullptr, *of_points_ = nullptr;
};

void list_arrays(vtkDataSetAttributes& attributes, bool of_points, std::vector<FileArray>& arrays) {
  for (int i = 0; i < attributes.GetNumberOfArrays(); ++i)
    if (vtkDataArray* array = attributes.GetArray(i); array != nullptr && array->GetName() != nullptr)
      arrays.push_back({array->GetName(), array->GetNumberOfComponents(), of_points});
}

int tag_of_cell(vtkDataArray* tags, vtkIdType cell) {
  if (tags == nullptr) return 0;
  const double tag = tags->GetComponent(cell, 0);
  if (std::trunc(tag) != tag || std::abs(tag) > std::numeric_limits<int>::max())
    throw InputError(
        fmt::format("cell array '{}': cell {} holds {}, expected a whole number", tags->GetName(), cell, tag));
  return static_cast<int>(tag);
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

void read_names(vtkUnstructuredGrid& grid, const char* kind, std::map<std::string, int>& names) {
  auto* keys =
      vtkStringArray::SafeDownCast(grid.GetFieldData()->GetAbstractArray(fmt::format("{}_names", kind).c_str()));
  vtkDataArray* tags = grid.GetFieldData()->GetArray(fmt::format("{}_tags", kind).c_str());
  if (keys == nullptr || tags == nullptr) return;
  if (keys->GetNumberOfValues() != tags->GetNumberOfValues())
    throw InputError(fmt::format("field data: {} {}_names for {} {}_tags", keys->GetNumberOfValues(), kind,
                                 tags->GetNumberOfValues(), kind));
  for (vtkIdType i = 0; i < keys->GetNumberOfValues(); ++i) names[keys->GetValue(i)] = tag_of_cell(tags, i);
}

void read_points(vtkUnstructuredGrid& grid, Mesh& mesh) {
  const vtkIdType count = grid.GetNumberOfPoints();
  if (count > std::numeric_limits<Index>::max())
    throw InputError(fmt::format("{} nodes: at most {} are possible", count, std::numeric_limits<Index>::max()));
  mesh.nodes.reserve(static_cast<std::size_t>(count));
  for (vtkIdType i = 0; i < count; ++i) {
    double p[3];
    grid.GetPoint(i, p);
    mesh.nodes.push_back({p[0], p[1], p[2]});
  }
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

void read_cells(vtkUnstructuredGrid& grid, const VtkArrayNames& names, Mesh& mesh) {
  vtkDataArray* tags = tag_array(grid, names.tags);
  VtkGroups groups(grid, tags);
  const FiberArray fibers(grid, names.fibers);
  const vtkIdType points = grid.GetNumberOfPoints(), cells = grid.GetNumberOfCells();
  if (cells == 0) return;
  if (!grid.GetCells()->IsValid() || grid.GetCellTypesArray()->GetNumberOfValues() != cells)
    throw InputError("the cells' offsets, types and node numbers do not fit together");
  const unsigned char* types = grid.GetCellTypesArray()->GetPointer(0);
  const auto linear = static_cast<std::size_t>(std::count(types, types + cells, VTK_TETRA));
  const auto quadratic = static_cast<std::size_t>(std::count(types, types + cells, VTK_QUADRATIC_TETRA));
  require_one_kind(linear, quadratic, std::count(types, types + cells, VTK_TRIANGLE),
                   std::count(types, types + cells, VTK_QUADRATIC_TRIANGLE));
  const std::size_t tetrahedra = linear + quadratic;
  mesh.tetrahedra.reserve(tetrahedra);
  mesh.element_tags.reserve(tetrahedra);
  if (fibers.present()) mesh.fibers.reserve(tetrahedra);
  for (vtkIdType cell = 0; cell < cells; ++cell) {
    vtkIdType size = 0;
    const vtkIdType* corners = nullptr;
    grid.GetCells()->GetCellAtId(cell, size, corners);
    switch (const int type = grid.GetCellType(cell)) {
      case VTK_TETRA:
        mesh.tetrahedra.push_back(corners_of<4>(cell, size, corners, points));
        mesh.element_tags.push_back(tag_of_cell(tags, cell));
        if (fibers.present()) mesh.fibers.push_back(fibers.fiber(cell, mesh.tetrahedra.back()));
        break;
      case VTK_QUADRATIC_TETRA: {
        const auto [a, b, c, d, ab, bc, ac, ad, bd, cd] = corners_of<10>(cell, size, corners, points);
        mesh.tetrahedra.push_back({a, b, c, d});
        mesh.edge_nodes.push_back({ab, bc, ac, ad, bd, cd});
        mesh.element_tags.push_back(tag_of_cell(tags, cell));
        if (fibers.present()) mesh.fibers.push_back(fibers.fiber(cell, mesh.tetrahedra.back()));
        break;
      }
      case VTK_TRIANGLE:
        mesh.triangles.push_back(corners_of<3>(cell, size, corners, points));
        mesh.triangle_tags.push_back(tag_of_cell(tags, cell));
        break;
      case VTK_QUADRATIC_TRIANGLE: {
        const auto [a, b, c, ab, bc, ac] = corners_of<6>(cell, size, corners, points);
        mesh.triangles.push_back({a, b, c});
        mesh.triangle_edge_nodes.push_back({ab, bc, ac});
        mesh.triangle_tags.push_back(tag_of_cell(tags, cell));
        break;
      }
      case VTK_EMPTY_CELL:
      case VTK_VERTEX:
      case VTK_POLY_VERTEX:
      case VTK_LINE:
      case VTK_POLY_LINE:
      case VTK_QUADRATIC_EDGE:
        break;
      default:
        throw InputError(
            fmt::format("cell {} of type {} ({}) is not supported: expected tetrahedra and, on surfaces, "
                        "triangles",
                        cell, type, vtkCellTypes::GetClassNameFromTypeId(type)));
    }
    groups.note(cell, mesh);
  }
  groups.finish(mesh);
}

template <class Array>
void add_names(vtkUnstructuredGrid& grid, const char* kind, const Array& names) {
  if (names.empty()) return;
  const vtkNew<vtkStringArray> keys;
  const vtkNew<vtkIntArray> tags;
  keys->SetName(fmt::format("{}_names", kind).c_str());
  tags->SetName(fmt::format("{}_tags", kind).c_str());
  for (const auto& [name, tag] : names) {
    keys->InsertNextValue(name);
    tags->InsertNextValue(tag);
  }
  grid.GetFieldData()->AddArray(keys);
  grid.GetFieldData()->AddArray(tags);
}

template <class Cell>
void add_cells(vtkCellArray& array, vtkUnsignedCharArray& types, const std::vector<Cell>& cells, unsigned char type) {
  for (const Cell& cell : cells) {
    array.InsertNextCell(static_cast<int>(cell.size()));
    for (const Index node : cell) array.InsertCellPoint(node);
    types.InsertNextValue(type);
  }
}

/// VTK's order of the nodes on the edges is that of EdgeNodes and of TriangleEdgeNodes.
template <class Cell, class EdgesOfCell>
void add_quadratic_cells(vtkCellArray& array, vtkUnsignedCharArray& types, const std::vector<Cell>& corners,
                         const std::vector<EdgesOfCell>& edges, unsigned char type) {
  for (std::size_t i = 0; i < corners.size(); ++i) {
    array.InsertNextCell(static_cast<int>(corners[i].size() + edges[i].size()));
    for (const Index node : corners[i]) array.InsertCellPoint(node);
    for (const Index node : edges[i]) array.InsertCellPoint(node);
    types.InsertNextValue(type);
  }
}

vtkSmartPointer<vtkUnstructuredGrid> grid_of(const Mesh& mesh) {
  auto grid = vtkSmartPointer<vtkUnstructuredGrid>::New();
  const vtkNew<vtkPoints> points;
  points->SetDataTypeToDouble();
  points->SetNumberOfPoints(static_cast<vtkIdType>(mesh.nodes.size()));
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i)
    points->SetPoint(static_cast<vtkIdType>(i), mesh.nodes[i].x, mesh.nodes[i].y, mesh.nodes[i].z);
  grid->SetPoints(points);

  const auto tetrahedra = static_cast<vtkIdType>(mesh.tetrahedra.size());
  const auto triangles = static_cast<vtkIdType>(mesh.triangles.size());
  const vtkNew<vtkCellArray> cells;
  const vtkNew<vtkUnsignedCharArray> types;
  const bool quadratic = mesh.is_quadratic();
  cells->AllocateExact(tetrahedra + triangles, (quadratic ? 10 : 4) * tetrahedra + (quadratic ? 6 : 3) * triangles);
  if (quadratic) {
    add_quadratic_cells(*cells, *types, mesh.tetrahedra, mesh.edge_nodes, VTK_QUADRATIC_TETRA);
    add_quadratic_cells(*cells, *types, mesh.triangles, mesh.triangle_edge_nodes, VTK_QUADRATIC_TRIANGLE);
  } else {
    add_cells(*cells, *types, mesh.tetrahedra, VTK_TETRA);
    add_cells(*cells, *types, mesh.triangles, VTK_TRIANGLE);
  }
  grid->SetCells(types, cells);

  const vtkNew<vtkIntArray> region;
  region->SetName("region");
  for (const int tag : mesh.element_tags) region->InsertNextValue(tag);
  for (const int tag : mesh.triangle_tags) region->InsertNextValue(tag);
  grid->GetCellData()->AddArray(region);
  add_group_arrays(*grid, mesh, true);
  if (!mesh.fibers.empty()) {
    const vtkNew<vtkDoubleArray> fiber;
    fiber->SetName("fiber");
    fiber->SetNumberOfComponents(3);
    for (const Vector3& f : mesh.fibers) fiber->InsertNextTuple3(f.x, f.y, f.z);
    for (std::size_t i = 0; i < mesh.triangles.size(); ++i) fiber->InsertNextTuple3(0, 0, 0);
    grid->GetCellData()->AddArray(fiber);
  }
  add_names(*grid, "volume", mesh.volume_names);
  add_names(*grid, "surface", mesh.surface_names);
  return grid;
}

}  // namespace

bool is_vtk_file(const std::filesystem::path& file) { return suffix_of(file) == ".vtu" || suffix_of(file) == ".vtk"; }

Mesh read_vtk_file(const std::filesystem::path& file, const VtkArrayNames& arrays) {
  const bool xml = suffix_of(file) == ".vtu";
  const MappedFile content(file);
  if (!xml) check_legacy_vtk(file.string(), content.text());
  try {
    const std::uint64_t points = xml ? check_vtu(content.text()) : 0;
    const auto grid = xml ? read_grid<vtkXMLUnstructuredGridReader>(file) : read_grid<vtkUnstructuredGridReader>(file);
    if (const auto read = static_cast<std::uint64_t>(grid->GetNumberOfPoints()); xml && read != points)
      throw InputError(fmt::format("VTK cannot read it: it gives {} of {} points", read, points));
    Mesh mesh;
    read_points(*grid, mesh);
    read_cells(*grid, arrays, mesh);
    read_names(*grid, "volume", mesh.volume_names);
    read_names(*grid, "surface", mesh.surface_names);
    list_arrays(*grid->GetCellData(), false, mesh.arrays);
    list_arrays(*grid->GetPointData(), true, mesh.arrays);
    return mesh;
  } catch (const InputError& error) {
    const bool appended = content.text().find("<AppendedData") != std::string_view::npos;
    throw InputError(fmt::format("{}: {}{}", file.string(), error.what(),
                                 xml && appended && !appended_data_is_readable_here()
                                     ? " (VTK cannot read appended data with this machine's expat library: save the "
                                       "file as ASCII or inline binary)"
                                     : ""));
  }
}

void write_vtu_file(const Mesh& mesh, const std::filesystem::path& file) {
  const VtkMessages messages;
  const vtkNew<vtkXMLUnstructuredGridWriter> writer;
  writer->SetFileName(file.c_str());
  writer->SetInputData(grid_of(mesh));
  set_vtu_encoding(*writer);
  errno = 0;
  const bool written = writer->Write() == 1 && writer->GetErrorCode() == 0;
  const int system_error = errno;  // VTK's own words seldom have the reason
  if (!written || !messages.first().empty())
    throw InputError(fmt::format("{}: cannot be written: {}", file.string(),
                                 system_error == 0 ? "is the disk full?" : std::strerror(system_error)));
}

}  // namespace cardiowarp
