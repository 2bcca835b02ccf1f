#include "app/output/field_file.hpp"

#include <fmt/format.h>
#include <vtkCellArray.h>
#include <vtkCellData.h>
#include <vtkCellType.h>
#include <vtkDoubleArray.h>
#include <vtkIntArray.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkPoints.h>
#include <vtkUnstructuredGrid.h>
#include <vtkXMLUnstructuredGridWriter.h>

#include "fem/input_error.hpp"
#include "fem/mesh.hpp"
#include "fem/quadratic_tetrahedron.hpp"
#include "meshes/atomic_file.hpp"
#include "meshes/vtk_groups.hpp"
#include "meshes/vtk_messages.hpp"
#include "meshes/vtu_encoding.hpp"

namespace cardiowarp {
namespace {

vtkNew<vtkUnstructuredGrid> grid_of(const Mesh& mesh, const std::string& name, std::span<const Real> value,
                                    std::span<const Vector3> gradient) {
  vtkNew<vtkUnstructuredGrid> grid;
  const vtkNew<vtkPoints> points;
  points->SetDataTypeToDouble();
  for (const Vector3& p : mesh.nodes) points->InsertNextPoint(p.x, p.y, p.z);
  grid->SetPoints(points);
  const vtkNew<vtkCellArray> cells;
  const auto insert = [&](const auto& nodes) {  // in VTK's order
    cells->InsertNextCell(static_cast<int>(nodes.size()));
    for (const Index node : nodes) cells->InsertCellPoint(node);
  };
  for (std::size_t element = 0; element < mesh.tetrahedra.size(); ++element)
    mesh.is_quadratic() ? insert(nodes_of(mesh, element)) : insert(mesh.tetrahedra[element]);
  grid->SetCells(mesh.is_quadratic() ? VTK_QUADRATIC_TETRA : VTK_TETRA, cells);

  const vtkNew<vtkDoubleArray> field;
  field->SetName(name.c_str());
  for (const Real at_node : value) field->InsertNextValue(at_node);
  grid->GetPointData()->AddArray(field);
  const vtkNew<vtkIntArray> region;
  region->SetName("region");
  for (const int tag : mesh.element_tags) region->InsertNextValue(tag);
  grid->GetCellData()->AddArray(region);
  add_group_arrays(*grid, mesh, false);
  const vtkNew<vtkDoubleArray> slope;
  slope->SetName("gradient");
  slope->SetNumberOfComponents(3);
  for (const Vector3& g : gradient) slope->InsertNextTuple3(g.x, g.y, g.z);
  grid->GetCellData()->AddArray(slope);
  return grid;
}

}  // namespace

void write_field(const std::filesystem::path& file, const Mesh& mesh, const std::string& name,
                 std::span<const Real> value, std::span<const Vector3> gradient) {
  PendingFile pending(file);
  const VtkMessages messages;
  const vtkNew<vtkXMLUnstructuredGridWriter> writer;
  writer->SetFileName(pending.temporary().c_str());
  writer->SetInputData(grid_of(mesh, name, value, gradient));
  set_vtu_encoding(*writer);
  const bool written = writer->Write() == 1 && writer->GetErrorCode() == 0;
  if (!written || !messages.first().empty())
    throw InputError(fmt::format("{}: cannot be written: {}", file.string(),
                                 messages.first().empty() ? "is the disk full?" : messages.first()));
  pending.commit();
}

}  // namespace cardiowarp
