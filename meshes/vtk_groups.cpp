#include "meshes/vtk_groups.hpp"

#include <fmt/format.h>
#include <vtkCellData.h>
#include <vtkDataArray.h>
#include <vtkNew.h>
#include <vtkUnsignedCharArray.h>
#include <vtkUnstructuredGrid.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <string>
#include <string_view>
#include <system_error>

#include "fem/mesh.hpp"

namespace cardiowarp {
namespace {

constexpr std::string_view prefix = "group:";

void add_cells_of(vtkUnsignedCharArray& array, const std::vector<int>& tags, const FurtherTags& further, int tag) {
  const HasTag has_tag(tags, further, tag);
  for (std::size_t cell = 0; cell < tags.size(); ++cell) array.InsertNextValue(has_tag(cell) ? 1 : 0);
}

}  // namespace

void add_group_arrays(vtkUnstructuredGrid& grid, const Mesh& mesh, bool with_triangles) {
  std::set<int> further;
  for (const std::vector<int>& set : mesh.further_element_tags.sets) further.insert(set.begin(), set.end());
  if (with_triangles)
    for (const std::vector<int>& set : mesh.further_triangle_tags.sets) further.insert(set.begin(), set.end());
  for (const int tag : further) {
    const vtkNew<vtkUnsignedCharArray> array;
    array->SetName(fmt::format("{}{}", prefix, tag).c_str());
    add_cells_of(*array, mesh.element_tags, mesh.further_element_tags, tag);
    if (with_triangles) add_cells_of(*array, mesh.triangle_tags, mesh.further_triangle_tags, tag);
    grid.GetCellData()->AddArray(array);
  }
}

VtkGroups::VtkGroups(vtkUnstructuredGrid& grid, vtkDataArray* tags) {
  if (tags == nullptr || tags->GetName() == nullptr || std::string_view(tags->GetName()) != "region") return;
  for (int i = 0; i < grid.GetCellData()->GetNumberOfArrays(); ++i) {
    vtkDataArray* const array = grid.GetCellData()->GetArray(i);
    if (array == nullptr || array->GetName() == nullptr || array->GetNumberOfComponents() != 1) continue;
    const std::string_view name = array->GetName();
    if (!name.starts_with(prefix)) continue;
    int tag = 0;
    const auto [end, error] = std::from_chars(name.data() + prefix.size(), name.data() + name.size(), tag);
    if (error == std::errc() && end == name.data() + name.size()) arrays_.emplace_back(tag, array);
  }
}

void VtkGroups::note(vtkIdType cell, Mesh& mesh) {
  if (arrays_.empty()) return;
  note(cell, mesh.element_tags, mesh.further_element_tags);
  note(cell, mesh.triangle_tags, mesh.further_triangle_tags);
}

void VtkGroups::note(vtkIdType cell, const std::vector<int>& tags, FurtherTags& further) {
  if (further.set_of_cell.size() == tags.size()) return;
  std::vector<int> others;
  for (const auto& [tag, array] : arrays_)
    if (tag != tags.back() && array->GetComponent(cell, 0) != 0) others.push_back(tag);
  further.set_of_cell.resize(tags.size(), sets_.number_of(std::move(others)));
}

void VtkGroups::finish(Mesh& mesh) const {
  for (FurtherTags* further : {&mesh.further_element_tags, &mesh.further_triangle_tags}) {
    further->sets = sets_.sets();
    if (std::ranges::count(further->set_of_cell, 0) == std::ssize(further->set_of_cell)) *further = {};
  }
}

}  // namespace cardiowarp
