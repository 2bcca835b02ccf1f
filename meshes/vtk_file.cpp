#include "meshes/vtk_file.hpp"

#include <fmt/format.h>
#include <vtkCellArray.h>
#include <vtkCellData.h>
#include <vtkCellTypes.h>
#include <vtkDoubleArray.h>
#include <vtkFieldData.h>
#include <vtkIntArray.h>
#include <vtkPoints.h>
#include <vtkStringArray.h>
#include <vtkUnsignedCharArray.h>
#include <vtkUnstructuredGrid.h>
#include <vtkUnstructuredGridReader.h>
#include <vtkXMLUnstructuredGridReader.h>
#include <vtkXMLUnstructuredGridWriter.h>

#include <cmath>
#include <limits>
#include <string_view>
#include <type_traits>

#include "fem/input_error.hpp"
#include "meshes/mapped_file.hpp"
#include "meshes/vtk_messages.hpp"
#include "meshes/vtu_encoding.hpp"

namespace cardiowarp {
namespace {

/// What shows that the file is of its kind and whole, as far as that can be seen without VTK.
void check_ends(std::string_view text, bool xml) {
  const auto last = text.find_last_not_of(" \t\r\n");
  const std::string_view body = text.substr(0, last == std::string_view::npos ? 0 : last + 1);
  if (xml) {
    if (body.substr(0, 4096).find("<VTKFile") == std::string_view::npos)
      throw InputError("is not a VTK XML file: expected <VTKFile>");
    if (!body.ends_with("</VTKFile>")) throw InputError("expected </VTKFile> at the end (truncated file?)");
    return;
  }
  if (!body.starts_with("# vtk DataFile")) throw InputError("is not a legacy VTK file: expected '# vtk DataFile'");
  // VTK 9.1 crashes on a file that ends after its first field data.
  if (text.find("CELL_TYPES") == std::string_view::npos && text.find("cell_types") == std::string_view::npos)
    throw InputError("expected POINTS, CELLS and CELL_TYPES of an unstructured grid (truncated file?)");
  const std::string_view last_line = body.substr(body.rfind('\n') + 1);
  if (last_line.starts_with("CELL_DATA") || last_line.starts_with("POINT_DATA"))
    throw InputError(fmt::format("expected data after '{}' (truncated file?)", last_line.substr(0, 40)));
  if (text.back() != '\n') throw InputError("expected a line break at the end (truncated file?)");
}

template <class Reader>
vtkSmartPointer<vtkUnstructuredGrid> read_grid(const std::filesystem::path& file) {
  const VtkMessages messages;
  const vtkNew<Reader> reader;
  if constexpr (std::is_same_v<Reader, vtkXMLUnstructuredGridReader>)
    if (reader->CanReadFile(file.c_str()) == 0) throw InputError("VTK sees no unstructured grid in it");
  reader->SetFileName(file.c_str());
  reader->Update();
  if (!messages.first().empty()) throw InputError(fmt::format("VTK says: {}", messages.first()));
  vtkUnstructuredGrid* grid = reader->GetOutput();
  if (reader->GetErrorCode() != 0 || grid == nullptr)
    throw InputError(fmt::format("VTK cannot read it (its error code {})", reader->GetErrorCode()));
  return grid;
}

vtkDataArray* cell_array(vtkUnstructuredGrid& grid, std::initializer_list<const char*> names, int components) {
  for (const char* name : names) {
    vtkDataArray* array = grid.GetCellData()->GetArray(name);
    if (array == nullptr) continue;
    if (array->GetNumberOfComponents() != components || array->GetNumberOfTuples() != grid.GetNumberOfCells())
      throw InputError(fmt::format("cell array '{}' has {} x {} values: expected {} x {} (cells x components)", name,
                                   array->GetNumberOfTuples(), array->GetNumberOfComponents(), grid.GetNumberOfCells(),
                                   components));
    return array;
  }
  return nullptr;
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

void read_cells(vtkUnstructuredGrid& grid, Mesh& mesh) {
  vtkDataArray* tags = cell_array(grid, {"region", "tag", "gmsh:physical", "medit:ref", "elemTag", "CellEntityIds"}, 1);
  vtkDataArray* fibers = cell_array(grid, {"fiber", "fibre", "fibers", "fibres"}, 3);
  const vtkIdType points = grid.GetNumberOfPoints(), cells = grid.GetNumberOfCells();
  if (cells == 0) return;
  if (!grid.GetCells()->IsValid() || grid.GetCellTypesArray()->GetNumberOfValues() != cells)
    throw InputError("the cells' offsets, types and node numbers do not fit together");
  for (vtkIdType cell = 0; cell < cells; ++cell) {
    vtkIdType size = 0;
    const vtkIdType* corners = nullptr;
    grid.GetCells()->GetCellAtId(cell, size, corners);
    switch (const int type = grid.GetCellType(cell)) {
      case VTK_TETRA:
        mesh.tetrahedra.push_back(corners_of<4>(cell, size, corners, points));
        mesh.element_tags.push_back(tag_of_cell(tags, cell));
        if (fibers != nullptr)
          mesh.fibers.push_back(
              {fibers->GetComponent(cell, 0), fibers->GetComponent(cell, 1), fibers->GetComponent(cell, 2)});
        break;
      case VTK_TRIANGLE:
        mesh.triangles.push_back(corners_of<3>(cell, size, corners, points));
        mesh.triangle_tags.push_back(tag_of_cell(tags, cell));
        break;
      case VTK_EMPTY_CELL:
      case VTK_VERTEX:
      case VTK_POLY_VERTEX:
      case VTK_LINE:
      case VTK_POLY_LINE:
        break;
      default:
        throw InputError(
            fmt::format("cell {} of type {} ({}) is not supported: expected tetrahedra and, on surfaces, "
                        "triangles",
                        cell, type, vtkCellTypes::GetClassNameFromTypeId(type)));
    }
  }
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
  cells->AllocateExact(tetrahedra + triangles, 4 * tetrahedra + 3 * triangles);
  add_cells(*cells, *types, mesh.tetrahedra, VTK_TETRA);
  add_cells(*cells, *types, mesh.triangles, VTK_TRIANGLE);
  grid->SetCells(types, cells);

  const vtkNew<vtkIntArray> region;
  region->SetName("region");
  for (const int tag : mesh.element_tags) region->InsertNextValue(tag);
  for (const int tag : mesh.triangle_tags) region->InsertNextValue(tag);
  grid->GetCellData()->AddArray(region);
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

Mesh read_vtk_file(const std::filesystem::path& file) {
  const bool xml = file.extension() == ".vtu";
  const MappedFile content(file);
  try {
    check_ends(content.text(), xml);
    const auto grid = xml ? read_grid<vtkXMLUnstructuredGridReader>(file) : read_grid<vtkUnstructuredGridReader>(file);
    Mesh mesh;
    read_points(*grid, mesh);
    read_cells(*grid, mesh);
    read_names(*grid, "volume", mesh.volume_names);
    read_names(*grid, "surface", mesh.surface_names);
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
  const bool written = writer->Write() == 1 && writer->GetErrorCode() == 0;
  if (!written || !messages.first().empty())
    throw InputError(fmt::format("{}: cannot be written: {}", file.string(),
                                 messages.first().empty() ? "is the disk full?" : messages.first()));
}

}  // namespace cardiowarp
