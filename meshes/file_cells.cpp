#include "meshes/file_cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "fem/input_error.hpp"
#include "meshes/cut_cells.hpp"

namespace cardiowarp {
namespace {

/// Turns all tetrahedra where none is positive.
void orient(Mesh& mesh) {
  const auto at = [&](Index node) { return mesh.nodes[static_cast<std::size_t>(node)]; };
  const auto is_positive = [&](const Tetrahedron& nodes) {
    const Vector3 origin = at(nodes[0]);
    return dot(cross(at(nodes[1]) - origin, at(nodes[2]) - origin), at(nodes[3]) - origin) > 0;
  };
  if (mesh.is_quadratic() || std::ranges::any_of(mesh.tetrahedra, is_positive)) return;
  for (Tetrahedron& nodes : mesh.tetrahedra) std::swap(nodes[2], nodes[3]);
}

}  // namespace

bool FileCells::has_kind(int dimension, std::size_t nodes) {
  if (dimension == 2) return nodes == 3 || nodes == 4 || nodes == 6;
  return nodes == 4 || nodes == 5 || nodes == 6 || nodes == 8 || nodes == 10;
}

void FileCells::add(int dimension, std::span<const Index> nodes, int tag, Index further) {
  cells_.push_back({tag, further, static_cast<char>(dimension), static_cast<char>(nodes.size())});
  nodes_.insert(nodes_.end(), nodes.begin(), nodes.end());
}

Mesh FileCells::take_mesh(std::vector<Vector3> nodes, const std::string& where,
                          const std::vector<std::vector<int>>& sets_of_further_tags) {
  Mesh mesh;
  mesh.nodes = std::move(nodes);
  add_to(mesh, where);
  orient(mesh);
  for (FurtherTags* further : {&mesh.further_element_tags, &mesh.further_triangle_tags}) {
    const bool has_any = std::ranges::any_of(further->set_of_cell, [](Index set) { return set != 0; });
    *further = has_any ? FurtherTags{std::move(further->set_of_cell), sets_of_further_tags} : FurtherTags{};
  }
  nodes_.clear();
  cells_.clear();
  return mesh;
}

void FileCells::add_to(Mesh& mesh, const std::string& where) {
  CellCutter cutter(mesh.nodes);
  std::size_t linear = 0;
  const Index* at = nodes_.data();
  for (const auto& [tag, further, dimension, size] : cells_) {
    const std::span<const Index> corners(at, static_cast<std::size_t>(size));
    at += size;
    if (dimension == 3 && size == 10) {
      mesh.tetrahedra.push_back({corners[0], corners[1], corners[2], corners[3]});
      mesh.edge_nodes.push_back({corners[4], corners[5], corners[6], corners[7], corners[8], corners[9]});
    } else if (dimension == 2 && size == 6) {
      mesh.triangles.push_back({corners[0], corners[1], corners[2]});
      mesh.triangle_edge_nodes.push_back({corners[3], corners[4], corners[5]});
    } else {
      ++linear;
      if (dimension == 3 && size == 4)
        mesh.tetrahedra.push_back({corners[0], corners[1], corners[2], corners[3]});
      else if (dimension == 3)
        cutter.cut(corners, mesh.tetrahedra);
      else if (size == 3)
        mesh.triangles.push_back({corners[0], corners[1], corners[2]});
      else
        cutter.cut({corners[0], corners[1], corners[2], corners[3]}, mesh.triangles);
    }
    mesh.element_tags.resize(mesh.tetrahedra.size(), tag);
    mesh.triangle_tags.resize(mesh.triangles.size(), tag);
    mesh.further_element_tags.set_of_cell.resize(mesh.tetrahedra.size(), further);
    mesh.further_triangle_tags.set_of_cell.resize(mesh.triangles.size(), further);
  }
  const std::size_t quadratic = cells_.size() - linear;
  if (linear > 0 && quadratic > 0)
    throw InputError(
        fmt::format("{}: has both linear and quadratic cells, {} and {}: expected one kind", where, linear, quadratic));
  mesh.remarks = cutter.remarks();
}

void FileNames::add(int tag, const std::string& name) { name_of_[tag] = name; }

std::map<std::string, int> FileNames::of_cells(std::vector<int>& tags) const {
  std::map<std::string, int> lowest;
  for (const int tag : std::set<int>(tags.begin(), tags.end()))
    if (const auto named = name_of_.find(tag); named != name_of_.end()) lowest.emplace(named->second, tag);
  for (int& tag : tags)
    if (const auto named = name_of_.find(tag); named != name_of_.end()) tag = lowest.at(named->second);
  return lowest;
}

}  // namespace cardiowarp
