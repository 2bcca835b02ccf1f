#include "meshes/vtu_array.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <vtkCell.h>
#include <vtkCellData.h>
#include <vtkDataArray.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkUnstructuredGrid.h>
#include <vtkXMLUnstructuredGridReader.h>

#include "fem/input_error.hpp"
#include "meshes/file_kind.hpp"
#include "meshes/mapped_file.hpp"
#include "meshes/vtk_messages.hpp"
#include "meshes/vtu_check.hpp"

namespace cardiowarp {
namespace {

Vector3 middle_of(vtkUnstructuredGrid& grid, vtkIdType cell) {
  vtkIdType number = 0;
  const vtkIdType* nodes = nullptr;
  grid.GetCellPoints(cell, number, nodes);
  Vector3 sum;
  for (vtkIdType k = 0; k < number; ++k) {
    double p[3];
    grid.GetPoint(nodes[k], p);
    sum = sum + Vector3{p[0], p[1], p[2]};
  }
  return number == 0 ? sum : (Real(1) / static_cast<Real>(number)) * sum;
}

std::vector<std::string> names_of(vtkUnstructuredGrid& grid) {
  std::vector<std::string> names;
  for (vtkFieldData* data :
       {static_cast<vtkFieldData*>(grid.GetPointData()), static_cast<vtkFieldData*>(grid.GetCellData())})
    for (int k = 0; k < data->GetNumberOfArrays(); ++k)
      if (const char* name = data->GetArrayName(k)) names.emplace_back(name);
  return names;
}

VtuValues values_of(vtkUnstructuredGrid& grid, const std::string& name) {
  vtkDataArray* array = grid.GetPointData()->GetArray(name.c_str());
  VtuValues result;
  result.of_cells = array == nullptr;
  if (result.of_cells) array = grid.GetCellData()->GetArray(name.c_str());
  if (array == nullptr)
    throw InputError(fmt::format("expected an array '{}', got {}", name, fmt::join(names_of(grid), ", ")));
  result.components = array->GetNumberOfComponents();
  const vtkIdType places = array->GetNumberOfTuples();
  for (vtkIdType place = 0; place < places; ++place) {
    for (int k = 0; k < result.components; ++k) result.values.push_back(array->GetComponent(place, k));
    double p[3] = {0, 0, 0};
    if (!result.of_cells) grid.GetPoint(place, p);
    result.places.push_back(result.of_cells ? middle_of(grid, place) : Vector3{p[0], p[1], p[2]});
  }
  return result;
}

}  // namespace

VtuValues read_vtu_array(const std::filesystem::path& file, const std::string& name) {
  if (const std::string reason = why_no_regular_file(file); !reason.empty())
    throw InputError(fmt::format("{}: {}", file.string(), reason));
  try {
    const MappedFile content(file);
    const std::uint64_t points = check_vtu(content.text());
    const VtkMessages messages;
    const vtkNew<vtkXMLUnstructuredGridReader> reader;
    reader->SetFileName(file.c_str());
    reader->Update();
    if (!messages.first().empty()) throw InputError(fmt::format("VTK cannot read it: {}", messages.first()));
    vtkUnstructuredGrid& grid = *reader->GetOutput();
    if (static_cast<std::uint64_t>(grid.GetNumberOfPoints()) != points) throw InputError("VTK cannot read it");
    return values_of(grid, name);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", file.string(), error.what()));
  }
}

}  // namespace cardiowarp
