#include "app/simulation/selection.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <limits>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

#include "app/config/coordinates_keys.hpp"
#include "app/config/where.hpp"
#include "app/simulation/mesh_arrays.hpp"
#include "fem/further_tags.hpp"
#include "fem/input_error.hpp"
#include "fem/mesh.hpp"
#include "fem/nearest_name.hpp"
#include "meshes/byte_order_mark.hpp"
#include "meshes/file_kind.hpp"

namespace cardiowarp {
namespace {

constexpr Real tolerance_mm = 1e-9;

std::string text(Vector3 p) { return fmt::format("[{:.6g}, {:.6g}, {:.6g}]", p.x, p.y, p.z); }

template <class Number>
std::optional<Number> parse(std::string_view word) {
  Number number{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return number;
}

bool contains(const Box& box, Vector3 p) {
  const auto between = [](Real least, Real value, Real most) {
    return value >= least - tolerance_mm && value <= most + tolerance_mm;
  };
  return between(box.min.x, p.x, box.max.x) && between(box.min.y, p.y, box.max.y) && between(box.min.z, p.z, box.max.z);
}

bool contains(const Sphere& sphere, Vector3 p) { return norm(p - sphere.center) <= sphere.radius_mm + tolerance_mm; }

std::string describe(const Box& box) { return fmt::format("the box from {} to {}", text(box.min), text(box.max)); }
std::string describe(const Sphere& sphere) {
  return fmt::format("the sphere of radius {:.6g} mm around {}", sphere.radius_mm, text(sphere.center));
}

Vector3 centroid(const Mesh& mesh, const Tetrahedron& nodes) {
  Vector3 sum;
  for (const Index node : nodes) sum = sum + mesh.nodes[node];
  return 0.25 * sum;
}

/// Indices below `count` that fulfil `selected`.
template <class Predicate>
std::vector<Index> indices_where(std::size_t count, Predicate selected) {
  std::vector<Index> indices;
  for (Index index = 0; index < static_cast<Index>(count); ++index)
    if (selected(index)) indices.push_back(index);
  return indices;
}

std::vector<Index> all_of(std::size_t count) {
  return indices_where(count, [](Index) { return true; });
}

/// Nodes of those tetrahedra or triangles that have a tag.
template <class Cell>
std::vector<Index> nodes_of(const Mesh& mesh, const std::vector<Cell>& cells, const HasTag& has_tag) {
  std::vector<char> selected(mesh.nodes.size(), 0);
  for (std::size_t cell = 0; cell < cells.size(); ++cell)
    if (has_tag(cell))
      for (const Index node : cells[cell]) selected[node] = 1;
  return indices_where(mesh.nodes.size(), [&](Index node) { return selected[node] != 0; });
}

/// Nodes of those tetrahedra or triangles of a quadratic mesh that have a tag, also the nodes on their edges.
template <class Cell, class EdgesOfCell>
std::vector<Index> nodes_of(const Mesh& mesh, const std::vector<Cell>& cells, const std::vector<EdgesOfCell>& edges,
                            const HasTag& has_tag) {
  std::vector<Index> nodes = nodes_of(mesh, cells, has_tag);
  if (edges.empty()) return nodes;
  const std::vector<Index> on_edges = nodes_of(mesh, edges, has_tag);
  std::vector<Index> all;
  std::ranges::set_union(nodes, on_edges, std::back_inserter(all));
  return all;
}

HasTag element_has(const Mesh& mesh, int tag) { return {mesh.element_tags, mesh.further_element_tags, tag}; }
HasTag triangle_has(const Mesh& mesh, int tag) { return {mesh.triangle_tags, mesh.further_triangle_tags, tag}; }

std::vector<Index> nodes_of_surface(const Mesh& mesh, int tag) {
  return nodes_of(mesh, mesh.triangles, mesh.triangle_edge_nodes, triangle_has(mesh, tag));
}

bool is_in_use(const std::vector<int>& tags, const FurtherTags& further, int tag) {
  const HasTag has_tag(tags, further, tag);
  for (std::size_t cell = 0; cell < tags.size(); ++cell)
    if (has_tag(cell)) return true;
  return false;
}

/// `epi (3), 7`: names with their numbers, then the numbers in use that have no name.
std::string list_tags(const std::map<std::string, int>& names, const std::vector<int>& tags,
                      const FurtherTags& further) {
  std::set<int> unnamed;
  for (const auto& [tag, cells] : cells_of_tags(tags, further)) unnamed.insert(tag);
  std::vector<std::string> entries;
  for (const auto& [name, tag] : names) {
    entries.push_back(fmt::format("{} ({})", name, tag));
    unnamed.erase(tag);
  }
  for (const int tag : unnamed) entries.push_back(std::to_string(tag));
  return fmt::format("{}", fmt::join(entries, ", "));
}

std::string list_tags(const Mesh& mesh) {
  const std::string volumes = list_tags(mesh.volume_names, mesh.element_tags, mesh.further_element_tags);
  const std::string surfaces = list_tags(mesh.surface_names, mesh.triangle_tags, mesh.further_triangle_tags);
  return "the mesh has " + volumes + (surfaces.empty() ? "" : "; surfaces " + surfaces);
}

std::string nearest_tag_name(const Mesh& mesh, std::string_view wrong) {
  std::vector<std::string> names;
  for (const auto& entry : mesh.volume_names) names.push_back(entry.first);
  for (const auto& entry : mesh.surface_names) names.push_back(entry.first);
  return nearest_name(wrong, names);
}

enum class TagKind { volume, surface };
struct ResolvedTag {
  TagKind kind;
  int tag;
};

/// A number or name of both a volume and a surface is refused: Gmsh numbers its groups per dimension.
ResolvedTag resolve(const Mesh& mesh, const Tag& wanted, bool surfaces_too, const std::string& place) {
  const auto tag_of = [&](const std::map<std::string, int>& names, const std::vector<int>& tags,
                          const FurtherTags& further) {
    const auto named = names.find(wanted.name);
    if (named != names.end()) return std::optional<int>(named->second);
    const std::optional<int> number = parse<int>(wanted.name);
    return number && is_in_use(tags, further, *number) ? number : std::nullopt;
  };
  const std::optional<int> volume = tag_of(mesh.volume_names, mesh.element_tags, mesh.further_element_tags);
  const std::optional<int> surface = tag_of(mesh.surface_names, mesh.triangle_tags, mesh.further_triangle_tags);
  if (volume && surface && surfaces_too)
    throw InputError(fmt::format("{}: tag '{}' is a volume and a surface: expected one by its name; {}", place,
                                 wanted.name, list_tags(mesh)));
  if (volume) return {TagKind::volume, *volume};
  if (surface) return {TagKind::surface, *surface};
  const std::string nearest = nearest_tag_name(mesh, wanted.name);
  throw InputError(fmt::format("{}: unknown tag '{}': {}{}{}", place, wanted.name, list_tags(mesh),
                               nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest),
                               where_tags_may_be(mesh)));
}

/// The number of a surface that is named, or whose number is given. Throws InputError at `place` with those there are.
int resolve_surface(const Mesh& mesh, const Surface& wanted, const std::string& place) {
  const auto named = mesh.surface_names.find(wanted.name);
  if (named != mesh.surface_names.end()) return named->second;
  const std::optional<int> number = parse<int>(wanted.name);
  if (number && is_in_use(mesh.triangle_tags, mesh.further_triangle_tags, *number)) return *number;
  const std::string surfaces = list_tags(mesh.surface_names, mesh.triangle_tags, mesh.further_triangle_tags);
  std::vector<std::string> names;
  for (const auto& entry : mesh.surface_names) names.push_back(entry.first);
  const std::string nearest = nearest_name(wanted.name, names);
  throw InputError(fmt::format("{}: unknown surface '{}': the mesh has {}{}", place, wanted.name,
                               surfaces.empty() ? "no surfaces" : "the surfaces " + surfaces,
                               nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest)));
}

/// Index in `mesh.nodes` of the node at `position` of the mesh file's own list; absent when it was dropped.
std::optional<Index> node_at(const Mesh& mesh, std::int64_t position) {
  if (mesh.node_in_file.empty()) return static_cast<Index>(position);
  const auto found = std::ranges::lower_bound(mesh.node_in_file, position);
  if (found == mesh.node_in_file.end() || *found != position) return std::nullopt;
  return static_cast<Index>(found - mesh.node_in_file.begin());
}

std::string_view trimmed(std::string_view line) {
  constexpr std::string_view blanks = " \t\r";
  const std::size_t first = line.find_first_not_of(blanks);
  return first == line.npos ? std::string_view() : line.substr(first, line.find_last_not_of(blanks) - first + 1);
}

/// openCARP .vtx: the number of nodes, `intra` or `extra` (may be absent), then one node a line.
std::vector<Index> read_vtx(const Mesh& mesh, const std::filesystem::path& path, const std::string& place) {
  std::string reason = why_no_regular_file(path);
  std::ifstream file;
  errno = 0;
  if (reason.empty()) file.open(path);
  if (reason.empty() && !file) reason = std::generic_category().message(errno);
  if (!reason.empty()) throw InputError(fmt::format("{}: cannot read '{}': {}", place, path.string(), reason));

  std::optional<std::int64_t> expected;
  std::vector<Index> nodes;
  std::int64_t line_number = 0;
  const auto fail = [&](const std::string& what) {
    throw InputError(fmt::format("{}:{}: {}", path.string(), line_number, what));
  };
  for (std::string line; std::getline(file, line);) {
    ++line_number;
    const std::string_view word = trimmed(line_number == 1 ? without_byte_order_mark(line) : line);
    if (word.empty()) continue;
    const std::optional<std::int64_t> number = parse<std::int64_t>(word);
    if (!expected) {
      if (!number || *number < 0) fail(fmt::format("expected the number of nodes, got '{}'", word));
      expected = number;
    } else if (nodes.empty() && (word == "intra" || word == "extra")) {
      continue;
    } else if (!number) {
      fail(fmt::format("expected a node index, got '{}'", word));
    } else if (*number < 0 || (mesh.node_in_file.empty() && *number >= static_cast<std::int64_t>(mesh.nodes.size()))) {
      fail(fmt::format("expected a node index from 0 to {}, got {}", mesh.nodes.size() - 1, *number));
    } else if (const std::optional<Index> node = node_at(mesh, *number)) {
      nodes.push_back(*node);
    } else {
      fail(fmt::format("node {} is in no tetrahedron of the mesh", *number));
    }
  }
  if (!expected) fail("expected the number of nodes, got the end of the file");
  if (*expected != static_cast<std::int64_t>(nodes.size()))
    fail(fmt::format("expected {} nodes as line 1 says, got {}", *expected, nodes.size()));
  std::ranges::sort(nodes);
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

/// Throws when a geometric region selects nothing, with the extent of the mesh to compare with.
[[noreturn]] void throw_selects_nothing(const Mesh& mesh, const std::string& place, const std::string& region,
                                        const char* what) {
  constexpr Real huge = std::numeric_limits<Real>::max();
  Box extent{{huge, huge, huge}, {-huge, -huge, -huge}};
  for (const Vector3 p : mesh.nodes) {
    extent.min = {std::min(extent.min.x, p.x), std::min(extent.min.y, p.y), std::min(extent.min.z, p.z)};
    extent.max = {std::max(extent.max.x, p.x), std::max(extent.max.y, p.y), std::max(extent.max.z, p.z)};
  }
  throw InputError(fmt::format("{}: {} selects no {}; the mesh lies from {} to {} (mm)", place, region, what,
                               text(extent.min), text(extent.max)));
}

struct NodeSelector {
  const Mesh& mesh;
  const std::string& place;

  template <class Shape>
  std::vector<Index> operator()(const Shape& shape) const {
    const std::vector<Index> nodes =
        indices_where(mesh.nodes.size(), [&](Index node) { return contains(shape, mesh.nodes[node]); });
    if (nodes.empty()) throw_selects_nothing(mesh, place, describe(shape), "node");
    return nodes;
  }
  std::vector<Index> operator()(const Everywhere&) const { return all_of(mesh.nodes.size()); }
  std::vector<Index> operator()(const Tag& wanted) const {
    const ResolvedTag found = resolve(mesh, wanted, true, place);
    const std::vector<Index> nodes =
        found.kind == TagKind::volume ? nodes_of(mesh, mesh.tetrahedra, mesh.edge_nodes, element_has(mesh, found.tag))
                                      : nodes_of_surface(mesh, found.tag);
    if (nodes.empty())
      throw InputError(fmt::format("{}: tag '{}' selects no node: nothing in the mesh carries it", place, wanted.name));
    return nodes;
  }
  std::vector<Index> operator()(const Surface& wanted) const {
    const int tag = resolve_surface(mesh, wanted, place);
    const std::vector<Index> nodes = nodes_of_surface(mesh, tag);
    if (nodes.empty())
      throw InputError(fmt::format("{}: surface '{}' selects no node: it has no triangles", place, wanted.name));
    return nodes;
  }
  std::vector<Index> operator()(const NodeFile& list) const {
    const std::vector<Index> nodes = read_vtx(mesh, list.file, place);
    if (nodes.empty()) throw InputError(fmt::format("{}: '{}' selects no node", place, list.file.string()));
    return nodes;
  }
};

struct ElementSelector {
  const Mesh& mesh;
  const std::string& place;

  template <class Shape>
  std::vector<Index> operator()(const Shape& shape) const {
    const std::vector<Index> elements = indices_where(mesh.tetrahedra.size(), [&](Index element) {
      return contains(shape, centroid(mesh, mesh.tetrahedra[element]));
    });
    if (elements.empty()) throw_selects_nothing(mesh, place, describe(shape), "element centroid");
    return elements;
  }
  std::vector<Index> operator()(const Everywhere&) const { return all_of(mesh.tetrahedra.size()); }
  std::vector<Index> operator()(const Tag& wanted) const {
    const ResolvedTag found = resolve(mesh, wanted, false, place);
    if (found.kind == TagKind::surface)
      throw InputError(fmt::format("{}: expected the tag of a volume, got the surface '{}': {}", place, wanted.name,
                                   list_tags(mesh)));
    const HasTag has_tag = element_has(mesh, found.tag);
    std::vector<Index> elements = indices_where(
        mesh.tetrahedra.size(), [&](Index element) { return has_tag(static_cast<std::size_t>(element)); });
    if (elements.empty())
      throw InputError(
          fmt::format("{}: tag '{}' selects no element: nothing in the mesh carries it", place, wanted.name));
    return elements;
  }
  std::vector<Index> operator()(const Surface& surface) const {
    throw InputError(fmt::format("{}: expected box, sphere or tag, got the surface '{}': it selects no elements", place,
                                 surface.name));
  }
  std::vector<Index> operator()(const NodeFile& list) const {
    throw InputError(fmt::format("{}: expected box, sphere or tag, got the node list '{}': it selects no elements",
                                 place, list.file.string()));
  }
};

/// Those of `all`, which `region` selects, that lie within the coordinates of the heart; `places` are those of nodes or
/// elements, of which the mesh may have pieces, `pieces` of one after the other.
std::vector<Index> within_heart(std::vector<Index> all, const Where& where, const std::vector<HeartPlace>& places,
                                std::size_t pieces) {
  std::erase_if(all, [&](Index i) { return !contains(where.within, places.at(static_cast<std::size_t>(i) / pieces)); });
  return all;
}

void require_part(const Where& where) {
  if (!where.heart) throw std::logic_error(where.place + ": the heart has no coordinates yet");
  if (where.heart->heart == HeartKind::two_ventricles || !where.within.part) return;
  if (*where.within.part == HeartPart::left_wall) return;
  throw InputError(fmt::format("{}: expected ventricle: lv, as the mesh has a left ventricle alone, got '{}'",
                               where.place, heart_range_text({.part = where.within.part})));
}

[[noreturn]] void throw_nothing_within(const Where& where, const char* what, std::size_t of) {
  throw InputError(fmt::format("{}: {} selects no {}: none of {} lies there", where.place,
                               heart_range_text(where.within), what, of));
}

}  // namespace

std::vector<Index> select_nodes(const Mesh& mesh, const Where& where) {
  std::vector<Index> nodes = std::visit(NodeSelector{mesh, where.place}, where.region);
  if (where.within.is_everything()) return nodes;
  require_part(where);
  const std::size_t before = nodes.size();
  nodes = within_heart(std::move(nodes), where, where.heart->nodes, 1);
  if (nodes.empty()) throw_nothing_within(where, "node", before);
  return nodes;
}

std::vector<Index> select_elements(const Mesh& mesh, const Where& where) {
  std::vector<Index> elements = elements_within(mesh, where);
  if (elements.empty()) throw_nothing_within(where, "element", mesh.tetrahedra.size());
  return elements;
}

std::vector<Index> elements_within(const Mesh& mesh, const Where& where) {
  std::vector<Index> elements = std::visit(ElementSelector{mesh, where.place}, where.region);
  if (where.within.is_everything()) return elements;
  require_part(where);
  const std::vector<HeartPlace>& places = where.heart->elements;
  return within_heart(std::move(elements), where, places, mesh.tetrahedra.size() / places.size());
}

bool selects_volume(const Mesh& mesh, const Where& where) {
  if (const Tag* tag = std::get_if<Tag>(&where.region))
    return resolve(mesh, *tag, true, where.place).kind == TagKind::volume;
  return !std::holds_alternative<NodeFile>(where.region) && !std::holds_alternative<Surface>(where.region);
}

}  // namespace cardiowarp
