#include "meshes/network_file.hpp"

#include <fmt/format.h>
#include <vtkCellArray.h>
#include <vtkCellType.h>
#include <vtkDataSet.h>
#include <vtkDoubleArray.h>
#include <vtkIdList.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkPoints.h>
#include <vtkPolyData.h>
#include <vtkPolyDataReader.h>
#include <vtkPolyDataWriter.h>
#include <vtkSmartPointer.h>
#include <vtkUnstructuredGrid.h>
#include <vtkUnstructuredGridReader.h>
#include <vtkXMLPolyDataReader.h>
#include <vtkXMLPolyDataWriter.h>
#include <vtkXMLUnstructuredGridReader.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "fem/input_error.hpp"
#include "fem/mesh.hpp"
#include "meshes/atomic_file.hpp"
#include "meshes/file_kind.hpp"
#include "meshes/legacy_vtk_check.hpp"
#include "meshes/mapped_file.hpp"
#include "meshes/mesh_file.hpp"
#include "meshes/reading_process.hpp"
#include "meshes/suffix.hpp"
#include "meshes/vtk_messages.hpp"
#include "meshes/vtu_check.hpp"
#include "meshes/vtu_encoding.hpp"

namespace cardiowarp {
namespace {

template <class Reader>
vtkSmartPointer<vtkDataSet> read_with(const std::filesystem::path& file) {
  const VtkMessages messages;
  const vtkNew<Reader> reader;
  reader->SetFileName(file.c_str());
  reader->Update();
  if (!messages.first().empty()) throw InputError(fmt::format("VTK says: {}", messages.first()));
  if (reader->GetErrorCode() != 0 || reader->GetOutput() == nullptr)
    throw InputError(fmt::format("VTK cannot read it (its error code {})", reader->GetErrorCode()));
  return reader->GetOutput();
}

vtkSmartPointer<vtkDataSet> read_lines(const std::filesystem::path& file) {
  if (const std::string reason = why_no_regular_file(file); !reason.empty()) throw InputError(reason);
  const std::string suffix = suffix_of(file);
  if (suffix == ".vtp") return read_with<vtkXMLPolyDataReader>(file);
  const MappedFile content(file);
  if (suffix == ".vtu") {
    check_vtu(content.text());
    return read_with<vtkXMLUnstructuredGridReader>(file);
  }
  if (content.text().substr(0, 512).find("POLYDATA") != std::string_view::npos)
    return read_with<vtkPolyDataReader>(file);
  check_legacy_vtk("line", content.text());
  return read_with<vtkUnstructuredGridReader>(file);
}

/// The pairs of neighboring points on the lines of a file.
std::vector<std::array<vtkIdType, 2>> pairs_of(vtkDataSet& lines) {
  // The cells of polygonal data are not gone through by number, as VTK then looks at all before it is asked for one.
  auto* const polygons = vtkPolyData::SafeDownCast(&lines);
  if (polygons && !polygons->GetLines()->IsValid()) throw InputError("the offsets of its lines are not valid");
  const vtkIdType cells = polygons ? polygons->GetLines()->GetNumberOfCells() : lines.GetNumberOfCells();
  std::vector<std::array<vtkIdType, 2>> pairs;
  const vtkNew<vtkIdList> ids;
  for (vtkIdType cell = 0; cell < cells; ++cell) {
    const int type = polygons ? VTK_POLY_LINE : lines.GetCellType(cell);
    if (type != VTK_LINE && type != VTK_POLY_LINE) continue;
    if (polygons)
      polygons->GetLines()->GetCellAtId(cell, ids);
    else
      lines.GetCellPoints(cell, ids);
    if (ids->GetNumberOfIds() < 2)
      throw InputError(fmt::format("line {}: expected two points or more, got {}", cell, ids->GetNumberOfIds()));
    for (vtkIdType i = 0; i < ids->GetNumberOfIds(); ++i) {
      const vtkIdType point = ids->GetId(i);
      if (point < 0 || point >= lines.GetNumberOfPoints())
        throw InputError(fmt::format("line {} uses point {} of {}", cell, point, lines.GetNumberOfPoints()));
      if (i > 0) pairs.push_back({ids->GetId(i - 1), point});
    }
  }
  if (pairs.empty()) throw InputError("expected lines, got other cells or none");
  return pairs;
}

/// A segment travels between processes as a triangle that has its second corner twice.
Mesh segments_of(vtkDataSet& lines, Real millimetres) {
  if (lines.GetNumberOfPoints() > std::numeric_limits<Index>::max())
    throw InputError(fmt::format("{} points are too many", lines.GetNumberOfPoints()));
  constexpr Index unused = -1, used = 0;
  const std::vector<std::array<vtkIdType, 2>> pairs = pairs_of(lines);
  std::vector<Index> number(static_cast<std::size_t>(lines.GetNumberOfPoints()), unused);
  for (const auto& pair : pairs)
    for (const vtkIdType point : pair) number[point] = used;
  Mesh mesh;
  std::map<std::array<Real, 3>, Index> at_place;
  for (std::size_t point = 0; point < number.size(); ++point) {
    if (number[point] == unused) continue;
    std::array<double, 3> p{};
    lines.GetPoint(static_cast<vtkIdType>(point), p.data());
    const Vector3 place = millimetres * Vector3{p[0], p[1], p[2]};
    if (!std::isfinite(norm(place)))
      throw InputError(fmt::format("point {} is at ({}, {}, {})", point, p[0], p[1], p[2]));
    const auto [known, is_new] =
        at_place.emplace(std::array<Real, 3>{place.x, place.y, place.z}, static_cast<Index>(mesh.nodes.size()));
    if (is_new) mesh.nodes.push_back(place);
    number[point] = known->second;
  }
  std::set<std::array<Index, 2>> known;
  for (const auto& [a, b] : pairs) {
    const auto [low, high] = std::minmax({number[a], number[b]});
    if (low != high && known.insert({low, high}).second) mesh.triangles.push_back({number[a], number[b], number[b]});
  }
  if (mesh.triangles.empty()) throw InputError("expected lines, got some of no length");
  return mesh;
}

template <class Writer>
void write_with(Writer& writer, vtkPolyData& lines, const std::filesystem::path& file) {
  PendingFile pending(file);
  const VtkMessages messages;
  writer.SetFileName(pending.temporary().c_str());
  writer.SetInputData(&lines);
  if (writer.Write() == 0 || !messages.first().empty())
    throw InputError(fmt::format("cannot write '{}': {}", file.string(), messages.first()));
  pending.commit();
}

}  // namespace

bool is_network_file(const std::filesystem::path& file) {
  const std::string suffix = suffix_of(file);
  return suffix == ".vtk" || suffix == ".vtp" || suffix == ".vtu";
}

Network read_network(const std::filesystem::path& file, LengthUnit unit) {
  std::error_code absent;
  const std::uintmax_t bytes = std::filesystem::file_size(file, absent);
  const Mesh mesh = read_in_own_process(file.string(), limits_for(absent ? 0 : bytes), [&] {
    try {
      return segments_of(*read_lines(file), millimetres_per(unit));
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}: {}", file.string(), error.what()));
    }
  });
  Network network{mesh.nodes, {}};
  for (const Triangle& segment : mesh.triangles) network.segments.push_back({segment[0], segment[1]});
  return network;
}

void write_network(const Network& network, std::string_view name, const std::vector<Real>& of_points,
                   const std::filesystem::path& file) {
  const vtkNew<vtkPoints> points;
  points->SetDataTypeToDouble();
  for (const Vector3& p : network.points) points->InsertNextPoint(p.x, p.y, p.z);
  const vtkNew<vtkCellArray> cells;
  for (const auto& [a, b] : network.segments) {
    cells->InsertNextCell(2);
    cells->InsertCellPoint(a);
    cells->InsertCellPoint(b);
  }
  const vtkNew<vtkDoubleArray> values;
  values->SetName(std::string(name).c_str());
  for (const Real value : of_points) values->InsertNextValue(value);
  const vtkNew<vtkPolyData> lines;
  lines->SetPoints(points);
  lines->SetLines(cells);
  lines->GetPointData()->AddArray(values);
  if (suffix_of(file) == ".vtp") {
    const vtkNew<vtkXMLPolyDataWriter> writer;
    set_vtu_encoding(*writer);
    write_with(*writer, *lines, file);
  } else if (suffix_of(file) == ".vtk") {
    const vtkNew<vtkPolyDataWriter> writer;
    writer->SetFileTypeToBinary();
    writer->SetFileVersion(42);
    write_with(*writer, *lines, file);
  } else {
    throw InputError(fmt::format("expected a file name that ends in .vtp or .vtk, got '{}'", file.string()));
  }
}

}  // namespace cardiowarp
