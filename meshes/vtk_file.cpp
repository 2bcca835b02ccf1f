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
#include "fem/mesh.hpp"
#include "fem/mesh_check.hpp"
#include "meshes/atomic_file.hpp"
#include "meshes/legacy_vtk_check.hpp"
#include "meshes/mapped_file.hpp"
#include "meshes/mesh_fields.hpp"
#include "meshes/suffix.hpp"
#include "meshes/vtk_cells.hpp"
#include "meshes/vtk_groups.hpp"
#include "meshes/vtk_messages.hpp"
#include "meshes/vtu_check.hpp"
#include "meshes/vtu_encoding.hpp"

namespace cardiowarp {
namespace {

/// VTK's reader of legacy files knows no byte order mark: it then gets a copy of the text behind it.
template <class Reader>
vtkSmartPointer<vtkUnstructuredGrid> read_grid(const std::filesystem::path& file, const MappedFile& content) {
  const VtkMessages messages;
  const vtkNew<Reader> reader;
  reader->SetFileName(file.c_str());
  if constexpr (std::is_same_v<Reader, vtkUnstructuredGridReader>) {
    if (content.has_byte_order_mark()) {
      if (content.text().size() > std::size_t{std::numeric_limits<int>::max()})
        throw InputError("begins with a byte order mark, which VTK does not know: expected '# vtk DataFile'");
      reader->ReadFromInputStringOn();
      reader->SetBinaryInputString(content.text().data(), static_cast<int>(content.text().size()));
    }
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

void list_arrays(vtkDataSetAttributes& attributes, bool of_points, std::vector<FileArray>& arrays) {
  for (int i = 0; i < attributes.GetNumberOfArrays(); ++i)
    if (vtkDataArray* array = attributes.GetArray(i); array != nullptr && array->GetName() != nullptr)
      arrays.push_back({array->GetName(), array->GetNumberOfComponents(), of_points});
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
    for (const Vector3& given : mesh.fibers) {
      const Vector3 f = is_direction(given) ? given : Vector3{};  // NaN never reaches a file
      fiber->InsertNextTuple3(f.x, f.y, f.z);
    }
    for (std::size_t i = 0; i < mesh.triangles.size(); ++i) fiber->InsertNextTuple3(0, 0, 0);
    grid->GetCellData()->AddArray(fiber);
  }
  add_names(*grid, "volume", mesh.volume_names);
  add_names(*grid, "surface", mesh.surface_names);
  return grid;
}

}  // namespace

bool is_vtk_file(const std::filesystem::path& file) {
  const std::string suffix = suffix_of(file);
  return suffix == ".vtu" || suffix == ".vtk";
}

Mesh read_vtk_file(const std::filesystem::path& file, const VtkArrayNames& arrays) {
  const bool xml = suffix_of(file) == ".vtu";
  const MappedFile content(file);
  if (!xml) check_legacy_vtk(file.string(), content.text());
  try {
    const std::uint64_t points = xml ? check_vtu(content.text()) : 0;
    const auto grid = xml ? read_grid<vtkXMLUnstructuredGridReader>(file, content)
                          : read_grid<vtkUnstructuredGridReader>(file, content);
    if (const auto read = static_cast<std::uint64_t>(grid->GetNumberOfPoints()); xml && read != points)
      throw InputError(fmt::format("VTK cannot read it: it gives {} of {} points", read, points));
    Mesh mesh;
    read_points(*grid, mesh);
    read_vtk_cells(*grid, arrays, mesh);
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

namespace {

void add_fields(vtkUnstructuredGrid& grid, const Mesh& mesh, const MeshFields& fields) {
  for (const auto& [name, values] : fields.of_elements) {
    const vtkNew<vtkDoubleArray> array;
    array->SetName(name.c_str());
    array->SetNumberOfComponents(3);
    for (const Vector3& v : values) array->InsertNextTuple3(v.x, v.y, v.z);
    for (std::size_t i = 0; i < mesh.triangles.size(); ++i) array->InsertNextTuple3(0, 0, 0);
    grid.GetCellData()->AddArray(array);
  }
  for (const auto& [name, values] : fields.numbers_of_elements) {
    const vtkNew<vtkDoubleArray> array;
    array->SetName(name.c_str());
    for (const Real value : values) array->InsertNextValue(value);
    for (std::size_t i = 0; i < mesh.triangles.size(); ++i) array->InsertNextValue(0);
    grid.GetCellData()->AddArray(array);
  }
  for (const auto& [name, values] : fields.of_nodes) {
    const vtkNew<vtkDoubleArray> array;
    array->SetName(name.c_str());
    for (const Real value : values) array->InsertNextValue(value);
    grid.GetPointData()->AddArray(array);
  }
}

void write_grid(vtkUnstructuredGrid& grid, const std::filesystem::path& file) {
  const VtkMessages messages;
  const vtkNew<vtkXMLUnstructuredGridWriter> writer;
  writer->SetFileName(file.c_str());
  writer->SetInputData(&grid);
  set_vtu_encoding(*writer);
  errno = 0;
  const bool written = writer->Write() == 1 && writer->GetErrorCode() == 0;
  const int system_error = errno;  // VTK's own words seldom have the reason
  if (!written || !messages.first().empty())
    throw InputError(fmt::format("{}: cannot be written: {}", file.string(),
                                 system_error == 0 ? "is the disk full?" : std::strerror(system_error)));
}

}  // namespace

void write_vtu_file(const Mesh& mesh, const std::filesystem::path& file) { write_grid(*grid_of(mesh), file); }

void write_mesh_with_fields(const Mesh& mesh, const MeshFields& fields, const std::filesystem::path& file) {
  PendingFile pending(file);
  const vtkSmartPointer<vtkUnstructuredGrid> grid = grid_of(mesh);
  add_fields(*grid, mesh, fields);
  write_grid(*grid, pending.temporary());
  pending.commit();
}

}  // namespace cardiowarp
