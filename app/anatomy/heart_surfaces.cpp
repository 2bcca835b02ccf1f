#include "app/anatomy/heart_surfaces.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <string_view>
#include <utility>

#include "app/config/where.hpp"
#include "app/simulation/selection.hpp"
#include "fem/anatomy/boundary_faces.hpp"
#include "fem/components.hpp"
#include "fem/input_error.hpp"
#include "fem/mesh.hpp"
#include "fem/quadratic_tetrahedron.hpp"
#include "meshes/suffix.hpp"

namespace cardiowarp {
namespace {

using Nodes = std::vector<Index>;

/// A name in small letters, without anything but letters and digits.
std::string plain(std::string_view name) {
  std::string letters;
  for (const unsigned char c : name)
    if (std::isalnum(c) != 0) letters += static_cast<char>(std::tolower(c));
  return letters;
}

/// Names that programs give a surface, as plain() has them.
std::vector<std::string_view> usual_names(HeartSurface surface) {
  switch (surface) {
    case HeartSurface::endo_lv:
      return {"endolv", "lvendo",     "lvendocardium", "endocardiumlv", "leftendocardium", "leftventricleendocardium",
              "endo",   "endocardium"};
    case HeartSurface::endo_rv:
      return {"endorv", "rvendo", "rvendocardium", "endocardiumrv", "rightendocardium", "rightventricleendocardium"};
    case HeartSurface::epi:
      return {"epi", "epicardium", "leftventricleepicardium", "rightventricleepicardium", "epilv", "epirv"};
    case HeartSurface::base:
      return {"base", "basal", "baseplane"};
    default:
      return {"apex", "epiapex", "apexepi"};
  }
}

Nodes joined(const Nodes& a, const Nodes& b) {
  Nodes both;
  std::ranges::set_union(a, b, std::back_inserter(both));
  return both;
}

std::string surfaces_in_words(const Mesh& mesh) {
  std::vector<std::string> names;
  for (const auto& [name, tag] : mesh.surface_names) names.push_back(fmt::format("{} ({})", name, tag));
  return names.empty() ? "names no surfaces" : fmt::format("has the surfaces {}", fmt::join(names, ", "));
}

/// The nodes on the edges of faces whose corners are all in a surface, for quadratic meshes; otherwise the corners.
Nodes nodes_of_faces(const Mesh& mesh, const std::vector<Triangle>& faces) {
  std::vector<char> is_in(mesh.nodes.size(), 0);
  std::vector<std::pair<Index, Index>> edges;
  for (const Triangle& face : faces)
    for (int k = 0; k < 3; ++k) {
      is_in[face[k]] = 1;
      if (mesh.is_quadratic()) edges.push_back(std::minmax({face[k], face[(k + 1) % 3]}));
    }
  std::ranges::sort(edges);
  for (std::size_t element = 0; element < mesh.edge_nodes.size(); ++element)
    for (std::size_t k = 0; k < mesh.edge_nodes[element].size(); ++k) {
      const auto& [a, b] = edge_corners[k];
      const Tetrahedron& corners = mesh.tetrahedra[element];
      if (std::ranges::binary_search(edges, std::minmax({corners[a], corners[b]})))
        is_in[mesh.edge_nodes[element][k]] = 1;
    }
  Nodes nodes;
  for (std::size_t node = 0; node < is_in.size(); ++node)
    if (is_in[node] != 0) nodes.push_back(static_cast<Index>(node));
  return nodes;
}

class Finder {
 public:
  Finder(const Mesh& mesh, const SurfacesWanted& wanted) : mesh_(mesh), wanted_(wanted) {
    result_.boundary = boundary_faces(mesh);
  }

  HeartSurfaces find() {
    bool is_known = false;
    for (const HeartSurface surface : heart_surfaces) {
      take_named(surface);
      is_known = is_known || !result_.nodes[surface].empty();
    }
    if (!is_known) find_by_geometry();
    require(HeartSurface::endo_lv);
    require(HeartSurface::epi);
    if (result_.nodes[HeartSurface::base].empty()) take_rest_as_base();
    for (const HeartSurface surface : heart_surfaces) require_on_boundary(surface);
    share_out();
    require_in_each_part();
    return std::move(result_);
  }

 private:
  /// The place in the YAML text of a surface, or of who asks for it.
  const std::string& place_of(HeartSurface surface) const {
    const bool is_given = wanted_.named && !(*wanted_.named)[surface].place.empty();
    return is_given ? (*wanted_.named)[surface].place : wanted_.place;
  }

  void take_named(HeartSurface surface) {
    std::vector<std::string> names;
    if (wanted_.named) names = (*wanted_.named)[surface].names;
    if (names.empty()) {
      const auto usual = usual_names(surface);
      for (const auto& [name, tag] : mesh_.surface_names)
        if (std::ranges::find(usual, plain(name)) != usual.end()) names.push_back(name);
    }
    for (const std::string& name : names) {
      Where where{Surface{name}, place_of(surface)};
      if (suffix_of(name) == ".vtx") where.region = NodeFile{name};
      result_.nodes[surface] = joined(result_.nodes[surface], select_nodes(mesh_, where));
    }
    if (!names.empty()) result_.origin[surface] = fmt::format("surface {}", fmt::join(names, ", "));
  }

  void find_by_geometry() {
    FoundSurfaces found = find_surfaces(mesh_, result_.boundary);
    if (!found.problem.empty())
      throw InputError(fmt::format(
          "{}: {}, but the mesh {} that a rule could go by, and {}: expected {}, or surfaces endo_lv, endo_rv, epi and "
          "base in the mesh",
          wanted_.place, wanted_.what, surfaces_in_words(mesh_), found.problem, wanted_.key));
    for (const HeartSurface surface : heart_surfaces) {
      std::vector<Triangle> own;
      for (std::size_t face = 0; face < result_.boundary.size(); ++face)
        if (found.of_face[face] == surface) own.push_back(result_.boundary[face]);
      if (own.empty()) continue;
      result_.nodes[surface] = nodes_of_faces(mesh_, own);
      result_.origin[surface] = fmt::format("found by geometry, {:.3g} cm²", found.area_mm2[surface] / 100);
    }
    result_.found = std::move(found);
  }

  void require(HeartSurface surface) const {
    if (!result_.nodes[surface].empty()) return;
    throw InputError(fmt::format(
        "{}: {}, but nothing says what {} is: expected {}.{} or a surface {} in the mesh, which {}", place_of(surface),
        wanted_.what, name_of(surface), wanted_.key, name_of(surface), name_of(surface), surfaces_in_words(mesh_)));
  }

  /// [nodes] whether a node is in a surface.
  std::vector<char> marks(std::initializer_list<HeartSurface> surfaces) const {
    std::vector<char> is_in(mesh_.nodes.size(), 0);
    for (const HeartSurface surface : surfaces)
      for (const Index node : result_.nodes[surface]) is_in[node] = 1;
    return is_in;
  }

  static bool has_all(const std::vector<char>& is_in, const Triangle& face) {
    return std::ranges::all_of(face, [&](Index node) { return is_in[node] != 0; });
  }

  void take_rest_as_base() {
    const std::vector<char> is_wall = marks({HeartSurface::endo_lv, HeartSurface::endo_rv, HeartSurface::epi});
    std::vector<Triangle> rest;
    for (const Triangle& face : result_.boundary)
      if (!has_all(is_wall, face)) rest.push_back(face);
    if (rest.empty())
      throw InputError(
          fmt::format("{}: {}, but the endocardia and the epicardium cover the whole boundary of the mesh: expected "
                      "{}.base, where the heart is cut off above",
                      place_of(HeartSurface::base), wanted_.what, wanted_.key));
    result_.nodes[HeartSurface::base] = nodes_of_faces(mesh_, rest);
    result_.origin[HeartSurface::base] = "the boundary beside the others";
  }

  void require_on_boundary(HeartSurface surface) const {
    const Nodes& nodes = result_.nodes[surface];
    if (nodes.empty() || surface == HeartSurface::apex) return;
    const std::vector<char> is_in = marks({surface});
    if (std::ranges::any_of(result_.boundary, [&](const Triangle& face) { return has_all(is_in, face); })) return;
    throw InputError(fmt::format(
        "{}: {} touches nothing: its {} nodes make none of the {} faces of the mesh's boundary (the first is node {})",
        place_of(surface), name_of(surface), nodes.size(), result_.boundary.size(), nodes.front()));
  }

  /// Leaves each node in the first of the surfaces that have it.
  void share_out() {
    const auto take_from = [&](HeartSurface later, std::initializer_list<HeartSurface> earlier) {
      const std::vector<char> is_taken = marks(earlier);
      result_.shared[later] = std::erase_if(result_.nodes[later], [&](Index node) { return is_taken[node] != 0; });
    };
    take_from(HeartSurface::endo_rv, {HeartSurface::endo_lv});
    take_from(HeartSurface::epi, {HeartSurface::endo_lv, HeartSurface::endo_rv});
    take_from(HeartSurface::base, {HeartSurface::apex});
    for (const HeartSurface surface : {HeartSurface::epi, HeartSurface::base})
      if (result_.nodes[surface].empty())
        throw InputError(
            fmt::format("{}: all nodes of {} are in another surface, too", place_of(surface), name_of(surface)));
  }

  void require_in_each_part() const {
    const Components components = connected_components(mesh_);
    const auto has = [&](std::initializer_list<HeartSurface> surfaces) {
      std::vector<char> has_one(components.all.size(), 0);
      for (const HeartSurface surface : surfaces)
        for (const Index node : result_.nodes[surface]) has_one[components.component_of_node[node]] = 1;
      return has_one;
    };
    const std::array<std::pair<const char*, std::vector<char>>, 3> needed{
        {{"endocardium", has({HeartSurface::endo_lv, HeartSurface::endo_rv})},
         {"epicardium", has({HeartSurface::epi})},
         {"base", has({HeartSurface::base})}}};
    for (const auto& [name, has_one] : needed)
      for (std::size_t k = 0; k < has_one.size(); ++k) {
        if (has_one[k] != 0) continue;
        const auto& [nodes, centre] = components.all[k];
        throw InputError(fmt::format(
            "{}: {}, but connected part {} of {} of the mesh, {} nodes around ({:.3g}, {:.3g}, {:.3g}) mm, has no {}",
            wanted_.place, wanted_.what, k + 1, has_one.size(), nodes, centre.x, centre.y, centre.z, name));
      }
  }

  const Mesh& mesh_;
  const SurfacesWanted& wanted_;
  HeartSurfaces result_;
};

}  // namespace

HeartSurfaces surfaces_of_heart(const Mesh& mesh, const SurfacesWanted& wanted) { return Finder(mesh, wanted).find(); }

std::vector<Triangle> faces_of(const Mesh& mesh, const HeartSurfaces& surfaces, HeartSurface surface) {
  std::vector<char> is_in(mesh.nodes.size(), 0);
  for (const Index node : surfaces.nodes[surface]) is_in[node] = 1;
  std::vector<Triangle> faces;
  for (const Triangle& face : surfaces.boundary)
    if (std::ranges::all_of(face, [&](Index node) { return is_in[node] != 0; })) faces.push_back(face);
  return faces;
}

FaceGeometry geometry_of(const Mesh& mesh, const HeartSurfaces& surfaces, HeartSurface surface) {
  FaceGeometry all;
  for (const Triangle& face : faces_of(mesh, surfaces, surface)) {
    const FaceGeometry own = face_geometry(mesh, face);
    all.area += own.area;
    all.center = all.center + own.area * own.center;
    all.normal = all.normal + own.area * own.normal;
  }
  all.center = (1 / all.area) * all.center;
  if (const Real length = norm(all.normal); length > 0) all.normal = (1 / length) * all.normal;
  return all;
}

std::vector<std::string> in_words(const HeartSurfaces& surfaces) {
  std::vector<std::string> lines;
  for (const HeartSurface surface : heart_surfaces) {
    const std::size_t nodes = surfaces.nodes[surface].size(), shared = surfaces.shared[surface];
    if (nodes == 0) continue;
    lines.push_back(fmt::format("  {}: {} nodes ({}){}", name_of(surface), nodes, surfaces.origin[surface],
                                shared == 0 ? "" : fmt::format("; {} more are in an earlier surface", shared)));
  }
  return lines;
}

}  // namespace cardiowarp
