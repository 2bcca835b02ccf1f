#include "meshes/surface_file.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>
#include <vtkCellArray.h>
#include <vtkCellData.h>
#include <vtkDataArray.h>
#include <vtkIdList.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkPolyData.h>
#include <vtkSTLReader.h>
#include <vtkSmartPointer.h>
#include <vtkXMLPolyDataReader.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <system_error>
#include <utility>
#include <vector>

#include "fem/input_error.hpp"
#include "fem/mesh_parts.hpp"
#include "meshes/file_kind.hpp"
#include "meshes/mapped_file.hpp"
#include "meshes/mesh_file.hpp"
#include "meshes/polygon_files.hpp"
#include "meshes/reading_process.hpp"
#include "meshes/stl_text.hpp"
#include "meshes/suffix.hpp"
#include "meshes/vtk_messages.hpp"

namespace cardiowarp {
namespace {

template <class Reader>
vtkSmartPointer<vtkPolyData> read_with(const std::filesystem::path& file, const std::string& where) {
  const VtkMessages messages;
  const vtkNew<Reader> reader;
  reader->SetFileName(file.c_str());
  reader->Update();
  if (!messages.first().empty()) throw InputError(fmt::format("{}: VTK says: {}", where, messages.first()));
  if (reader->GetErrorCode() != 0)
    throw InputError(fmt::format("{}: cannot be read (VTK's error code {})", where, reader->GetErrorCode()));
  return reader->GetOutput();
}

/// A file without a name on any disk, for as long as this lives: VTK's reader takes nothing but files.
class FileInMemory {
 public:
  FileInMemory(std::string_view content, const std::string& where)
      : descriptor_(::memfd_create("surface", MFD_CLOEXEC)) {
    while (descriptor_ >= 0 && !content.empty()) {
      const ssize_t written = ::write(descriptor_, content.data(), content.size());
      if (written <= 0) break;
      content.remove_prefix(static_cast<std::size_t>(written));
    }
    if (descriptor_ < 0 || !content.empty())
      throw InputError(fmt::format("{}: cannot be read: no memory for a copy without its byte order mark", where));
  }
  FileInMemory(const FileInMemory&) = delete;
  FileInMemory& operator=(const FileInMemory&) = delete;
  ~FileInMemory() { ::close(descriptor_); }

  std::filesystem::path path() const { return fmt::format("/proc/self/fd/{}", descriptor_); }

 private:
  int descriptor_;
};

vtkSmartPointer<vtkPolyData> read_polygons(const std::filesystem::path& file, const std::string& where) {
  if (const std::string reason = why_no_regular_file(file); !reason.empty())
    throw InputError(fmt::format("{}: cannot be read: {}", where, reason));
  if (suffix_of(file) == ".vtp") return read_with<vtkXMLPolyDataReader>(file, where);
  if (suffix_of(file) == ".stl") {
    const MappedFile content(file);
    check_stl_text(where, content.text());
    if (!content.has_byte_order_mark()) return read_with<vtkSTLReader>(file, where);
    return read_with<vtkSTLReader>(FileInMemory(content.text(), where).path(), where);
  }
  throw InputError(
      fmt::format("{}: expected a surface file .vtp, .stl, .ply or .obj, got '{}'", where, file.extension().string()));
}

int class_value(vtkDataArray* classes, vtkIdType place, const std::string& where) {
  const double value = classes->GetComponent(place, 0);
  if (!(value >= 0 && value < std::numeric_limits<int>::max() && value == std::floor(value)))
    throw InputError(fmt::format("{}: class: expected whole numbers from 0 on, got {} at {}", where, value, place));
  return static_cast<int>(value);
}

/// The most frequent of three; the smallest where all differ.
int majority(std::array<int, 3> values) {
  std::sort(values.begin(), values.end());
  return values[1] == values[2] ? values[1] : values[0];
}

/// The triangles of `polygons` with their classes and the points they use, in the file's order.
Surface surface_from(vtkPolyData& polygons, Real millimetres, const std::string& where) {
  vtkDataArray* cell_classes = polygons.GetCellData()->GetArray("class");
  vtkDataArray* point_classes = polygons.GetPointData()->GetArray("class");
  const vtkIdType points = polygons.GetNumberOfPoints();
  if (points > std::numeric_limits<Index>::max())
    throw InputError(fmt::format("{}: {} points are more than {}", where, points, std::numeric_limits<Index>::max()));

  if (polygons.GetNumberOfStrips() > 0)
    throw InputError(
        fmt::format("{}: {} triangle strips: expected triangles only", where, polygons.GetNumberOfStrips()));
  vtkCellArray& cells = *polygons.GetPolys();
  if (!cells.IsValid()) throw InputError(fmt::format("{}: the offsets of its polygons are not valid", where));

  Surface surface;
  std::vector<Index> node_of_point(points, 0);
  const vtkNew<vtkIdList> corners;
  const vtkIdType cells_before = polygons.GetNumberOfVerts() + polygons.GetNumberOfLines();
  for (vtkIdType polygon = 0; polygon < cells.GetNumberOfCells(); ++polygon) {
    const vtkIdType cell = cells_before + polygon;
    cells.GetCellAtId(polygon, corners);
    if (corners->GetNumberOfIds() != 3)
      throw InputError(
          fmt::format("{}: cell {} has {} corners: expected triangles only", where, cell, corners->GetNumberOfIds()));
    const std::array<vtkIdType, 3> ids{corners->GetId(0), corners->GetId(1), corners->GetId(2)};
    for (const vtkIdType id : ids) {
      if (id < 0 || id >= points)
        throw InputError(fmt::format("{}: cell {} uses point {} of {}", where, cell, id, points));
      node_of_point[id] = 1;
    }
    surface.triangles.push_back({static_cast<Index>(ids[0]), static_cast<Index>(ids[1]), static_cast<Index>(ids[2])});
    if (cell_classes) {
      surface.triangle_tags.push_back(class_value(cell_classes, cell, where));
    } else if (point_classes) {
      std::array<int, 3> classes;
      for (int i = 0; i < 3; ++i) classes[i] = class_value(point_classes, ids[i], where);
      surface.triangle_tags.push_back(majority(classes));
    }
  }
  if (surface.triangles.empty()) throw InputError(fmt::format("{}: no triangles", where));

  for (vtkIdType point = 0; point < points; ++point) {
    if (node_of_point[point] == 0) continue;
    node_of_point[point] = static_cast<Index>(surface.nodes.size());
    std::array<double, 3> p;
    polygons.GetPoint(point, p.data());
    const Vector3 node = millimetres * Vector3{p[0], p[1], p[2]};
    if (!std::isfinite(norm(node)))
      throw InputError(fmt::format("{}: point {} is at {}", where, point,
                                   fmt::format("({:.6g}, {:.6g}, {:.6g}) mm", node.x, node.y, node.z)));
    surface.nodes.push_back(node);
  }
  for (Triangle& triangle : surface.triangles)
    for (Index& node : triangle) node = node_of_point[node];
  return surface;
}

/// A surface of polygon_files.hpp in mm. Throws InputError where it is none.
Surface checked_polygons(Surface surface, Real millimetres, const std::string& where) {
  if (surface.triangles.empty()) throw InputError(fmt::format("{}: no triangles", where));
  for (Vector3& node : surface.nodes) {
    node = millimetres * node;
    if (!std::isfinite(norm(node)))
      throw InputError(fmt::format("{}: a point is at ({}, {}, {}) mm", where, node.x, node.y, node.z));
  }
  return surface;
}

bool is_polygon_file(const std::filesystem::path& file) {
  return suffix_of(file) == ".ply" || suffix_of(file) == ".obj";
}

Surface read_surface(const std::filesystem::path& file, LengthUnit unit, const std::string& where) {
  std::error_code absent;
  const std::uintmax_t bytes = std::filesystem::file_size(file, absent);
  return read_in_own_process(where, limits_for(absent ? 0 : bytes), [&] {
    const Real millimetres = millimetres_per(unit);
    if (is_polygon_file(file)) return checked_polygons(read_polygon_file(file, where), millimetres, where);
    return surface_from(*read_polygons(file, where), millimetres, where);
  });
}

/// Makes one point of those at one place, and leaves out what no triangle uses.
void join_points(Surface& surface) {
  Real shortest = std::numeric_limits<Real>::max();
  const auto at = [&](Index node) { return surface.nodes[static_cast<std::size_t>(node)]; };
  for (const auto& [a, b, c] : surface.triangles)
    shortest = std::min({shortest, norm(at(a) - at(b)), norm(at(b) - at(c)), norm(at(c) - at(a))});
  constexpr Real share_of_shortest_edge = 1e-3;
  if (shortest > 0) merge_coinciding_nodes(surface, share_of_shortest_edge * shortest);
  constexpr Index unused = -1;
  std::vector<Index> number(surface.nodes.size(), unused);
  for (const Triangle& triangle : surface.triangles)
    for (const Index node : triangle) number[static_cast<std::size_t>(node)] = 0;
  std::vector<Vector3> used;
  for (std::size_t node = 0; node < number.size(); ++node)
    if (number[node] != unused) {
      number[node] = static_cast<Index>(used.size());
      used.push_back(surface.nodes[node]);
    }
  surface.nodes = std::move(used);
  for (Triangle& triangle : surface.triangles)
    for (Index& node : triangle) node = number[static_cast<std::size_t>(node)];
}

}  // namespace

Surface read_surfaces(std::span<const std::filesystem::path> files, LengthUnit unit, const std::string& where) {
  if (files.size() == 1) {
    Surface surface = read_surface(files[0], unit, where);
    if (is_polygon_file(files[0])) join_points(surface);
    return surface;
  }
  Surface joined;
  for (const std::filesystem::path& file : files) {
    const Surface surface = read_surface(file, unit, "mesh fill " + file.string());
    const auto before = static_cast<Index>(joined.nodes.size());
    const int tag = 1 + static_cast<int>(joined.surface_names.size());
    if (!joined.surface_names.emplace(file.stem().string(), tag).second)
      throw InputError(fmt::format("{}: two files give the surface the name '{}': expected different names", where,
                                   file.stem().string()));
    if (surface.nodes.size() > static_cast<std::size_t>(std::numeric_limits<Index>::max() - before))
      throw InputError(fmt::format("{}: more than {} points", where, std::numeric_limits<Index>::max()));
    joined.nodes.insert(joined.nodes.end(), surface.nodes.begin(), surface.nodes.end());
    for (const auto& [a, b, c] : surface.triangles) joined.triangles.push_back({a + before, b + before, c + before});
    joined.triangle_tags.resize(joined.triangles.size(), tag);
  }
  join_points(joined);
  return joined;
}

}  // namespace cardiowarp
