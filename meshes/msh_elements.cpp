#include "meshes/msh_elements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <utility>

#include "fem/input_error.hpp"
#include "kernels/backend/thread_team.hpp"

namespace cardiowarp {

/// Gmsh's element types 1 to 19; 0 is no type.
const std::array<MshElements::Type, 20> MshElements::types = {{{-1, 0, ""},
                                                               {1, 2, "Line 2"},
                                                               {2, 3, "Triangle 3"},
                                                               {2, 4, "Quadrilateral 4"},
                                                               {3, 4, "Tetrahedron 4"},
                                                               {3, 8, "Hexahedron 8"},
                                                               {3, 6, "Prism 6"},
                                                               {3, 5, "Pyramid 5"},
                                                               {1, 3, "Line 3"},
                                                               {2, 6, "Triangle 6"},
                                                               {2, 9, "Quadrilateral 9"},
                                                               {3, 10, "Tetrahedron 10"},
                                                               {3, 27, "Hexahedron 27"},
                                                               {3, 18, "Prism 18"},
                                                               {3, 14, "Pyramid 14"},
                                                               {0, 1, "Point"},
                                                               {2, 8, "Quadrilateral 8"},
                                                               {3, 20, "Hexahedron 20"},
                                                               {3, 15, "Prism 15"},
                                                               {3, 13, "Pyramid 13"}}};

void MshElements::read_2() {
  is_version_2_ = true;
  const std::size_t elements = in_.counted_line("the number of elements");
  reserve(elements);
  for (std::size_t found = 0; found < elements;) {
    // A binary block holds `size` elements behind a common head, an ASCII line one element with its number in front.
    const auto number = in_.is_binary() ? 0 : in_.value<std::int32_t>("an element number");
    const Type& type = next_type();
    const auto size = in_.is_binary() ? in_.value<std::int32_t>("a number of elements") : 1;
    const auto tags = in_.value<std::int32_t>("a number of tags");
    if (size < 1 || tags < 0) in_.fail("element block with a negative size");
    found += static_cast<std::size_t>(size);
    if (found > elements) in_.fail(fmt::format("expected {} elements, got more", elements));
    for (std::int32_t i = 0; i < size; ++i)
      read_element_2(type, in_.is_binary() ? in_.value<std::int32_t>("an element number") : number,
                     static_cast<std::size_t>(tags), elements);
  }
}

/// The tags are the physical group, whose sign is an orientation, the elementary entity and, in partitioned files, the
/// number of partitions and these, of which the ones that see the element as a ghost are negative.
void MshElements::read_element_2(const Type& type, std::int32_t number, std::size_t tags, std::size_t elements) {
  if (number < 0) in_.fail(fmt::format("element number {}: expected 0 or more", number));
  std::array<std::int32_t, 3> head{};
  for (std::size_t i = 0; i < std::min(tags, head.size()); ++i) head[i] = in_.value<std::int32_t>("an element tag");
  if (head[0] == std::numeric_limits<std::int32_t>::min()) in_.fail(fmt::format("physical tag {} is too low", head[0]));
  const std::size_t partitions = tags < 4 ? 0 : tags - 3;
  if (partitions > 0 && (head[2] < 0 || std::cmp_greater(head[2], partitions)))
    in_.fail(fmt::format("element {}: expected 0 to {} partitions, got {}", number, partitions, head[2]));
  in_.require(partitions, in_.is_binary() ? sizeof(std::int32_t) : 1);
  for (std::size_t i = 0; i < partitions; ++i) {
    const auto partition = in_.value<std::int32_t>("a partition");
    if (std::cmp_less(i, head[2]) && (partition == 0 || std::cmp_greater(std::abs(std::int64_t{partition}), elements)))
      in_.fail(fmt::format("element {}: partition {}: expected 1 to at most {}, the number of elements", number,
                           partition, elements));
  }
  const bool is_in_one = partitions > 0 && head[2] > 0;
  partitioned_2_ = partitioned_2_ || is_in_one;
  element<std::int32_t>(type, static_cast<std::size_t>(number), {std::abs(head[0]), 0});
  partition_of_triangle_.resize(triangles_.tags.size(), is_in_one);
  partition_of_quadratic_triangle_.resize(quadratic_triangles_.tags.size(), is_in_one);
}

void MshElements::read_4() {
  if (in_.is_binary()) in_.rest_of_line();
  const auto blocks = in_.value<std::size_t>("the number of blocks");
  const auto elements = in_.value<std::size_t>("the number of elements");
  in_.skip<std::size_t>(2, "an element tag");
  reserve(elements);
  std::size_t found = 0;
  for (std::size_t block = 0; block < blocks; ++block) {
    const auto dimension = in_.value<std::int32_t>("an entity dimension"),
               entity = in_.value<std::int32_t>("an entity tag");
    const Type& type = next_type();
    const auto size = in_.value<std::size_t>("a number of elements");
    if (dimension != type.dimension)
      in_.fail(fmt::format("elements of type '{}' are in an entity of dimension {}: expected {}", type.name, dimension,
                           type.dimension));
    const GroupsOfEntity groups = groups_.groups_of_entity(dimension, entity);
    std::size_t done = 0;
    if (in_.is_binary() && dimension == 3 && type.nodes == 4) done = copy_block(tetrahedra_, size, groups);
    if (in_.is_binary() && dimension == 3 && type.nodes == 10) done = copy_block(quadratic_tetrahedra_, size, groups);
    if (in_.is_binary() && dimension == 2 && type.nodes == 3) done = copy_block(triangles_, size, groups);
    if (in_.is_binary() && dimension == 2 && type.nodes == 6) done = copy_block(quadratic_triangles_, size, groups);
    for (; done < size; ++done) element<std::size_t>(type, in_.value<std::size_t>("an element tag"), groups);
    found += size;
  }
  if (found != elements) in_.fail(fmt::format("expected {} elements, got {}", elements, found));
}

/// No more than the rest of the file can hold, whatever it declares.
void MshElements::reserve(std::size_t declared) {
  constexpr std::size_t shortest_tetrahedron = 10;  // "1 1 2 3 4\n"
  const std::size_t tetrahedra = std::min(declared, in_.bytes_left() / shortest_tetrahedron);
  tetrahedra_.corners.reserve(tetrahedra);
  tetrahedra_.groups.reserve(tetrahedra);
  tetrahedra_.tags.reserve(tetrahedra);
}

/// Linear elements that are no tetrahedra and no triangles are cut.
bool MshElements::is_linear(const Type& type) {
  return type.dimension == 3 ? type.nodes <= 6 || type.nodes == 8 : type.nodes <= 4;
}

const MshElements::Type& MshElements::next_type() {
  const auto type = in_.value<std::int32_t>("an element type");
  if (type < 1 || type >= static_cast<std::int32_t>(types.size()))
    in_.fail(
        fmt::format("element type {} is not supported: expected 4 or 11 (tetrahedra) and 2 or 9 (triangles)", type));
  const Type& found = types[static_cast<std::size_t>(type)];
  const bool quadratic = found.nodes == (found.dimension == 3 ? 10U : 6U);
  if (found.dimension >= 2 && !is_linear(found) && !quadratic)
    throw InputError(
        fmt::format("{}: elements of type '{}' are not supported: expected 4-node or 10-node tetrahedra, or linear "
                    "hexahedra, prisms or pyramids and, on surfaces, 3-node or 6-node triangles or linear quadrangles",
                    in_.file(), found.name));
  return found;
}

template <class Tag>
void MshElements::element(const Type& type, std::size_t number, const GroupsOfEntity& groups) {
  std::array<Index, most_nodes> nodes;
  for (std::size_t i = 0; i < type.nodes; ++i) {
    const auto tag = in_.value<Tag>("a node tag");
    const auto node = nodes_.index_of(static_cast<std::size_t>(tag));
    if (!node) missing_node(tag);
    nodes[i] = *node;
  }
  if (type.dimension == 3 && type.nodes == 4) add(tetrahedra_, number, groups, nodes);
  if (type.dimension == 3 && type.nodes == 10) add(quadratic_tetrahedra_, number, groups, nodes);
  if (type.dimension == 2 && type.nodes == 3) add(triangles_, number, groups, nodes);
  if (type.dimension == 2 && type.nodes == 6) add(quadratic_triangles_, number, groups, nodes);
  if (type.dimension == 3 && type.nodes > 4 && is_linear(type))
    add_pieces(tetrahedra_, number, groups, std::span<const Index>(nodes.data(), type.nodes));
  if (type.dimension == 2 && type.nodes == 4)
    add_pieces(triangles_, number, groups, std::array{nodes[0], nodes[1], nodes[2], nodes[3]});
}

/// Adds what a cell is cut into, which has the number of the cell.
template <std::size_t Corners, class Cell>
void MshElements::add_pieces(TaggedCells<Corners>& cells, std::size_t number, const GroupsOfEntity& groups,
                             const Cell& corners) {
  const std::size_t before = cells.tags.size();
  cutter_.cut(corners, cells.corners);
  cells.groups.resize(cells.corners.size(), groups.lowest);
  cells.tags.resize(cells.corners.size(), number);
  cells.note_further(before, groups.further);
}

template <std::size_t Corners>
void MshElements::add(TaggedCells<Corners>& cells, std::size_t number, const GroupsOfEntity& groups,
                      const std::array<Index, most_nodes>& nodes) {
  std::copy_n(nodes.begin(), Corners, cells.corners.emplace_back().begin());
  cells.groups.push_back(groups.lowest);
  cells.tags.push_back(number);
  cells.note_further(cells.tags.size() - 1, groups.further);
}

/// The elements of a binary block up to the first that has a missing node or is not whole: how many. None where the
/// tags of the nodes have gaps.
template <std::size_t Corners>
std::size_t MshElements::copy_block(TaggedCells<Corners>& cells, std::size_t size, const GroupsOfEntity& groups) {
  if (!nodes_.without_gaps()) return 0;
  using Element = std::array<std::size_t, 1 + Corners>;
  const std::size_t lowest = nodes_.tags.front(), nodes = nodes_.tags.size();
  const char* const bytes = in_.text().data() + in_.position();
  const auto element = [&](std::int64_t i) {
    Element of_file;
    std::memcpy(of_file.data(), bytes + static_cast<std::size_t>(i) * sizeof of_file, sizeof of_file);
    return of_file;
  };
  const auto whole = static_cast<std::int64_t>(std::min(size, in_.bytes_left() / sizeof(Element)));
  const std::int64_t done = first_index(whole, [&](std::int64_t i) {
    const Element of_file = element(i);
    return std::any_of(of_file.begin() + 1, of_file.end(),
                       [&](std::size_t tag) { return tag - lowest >= nodes; });  // a lower tag becomes large
  });
  const std::size_t before = cells.add(static_cast<std::size_t>(done), groups.lowest);
  cells.note_further(before, groups.further);
  parallel_for(static_cast<std::size_t>(done), [&](std::size_t i) {
    const Element of_file = element(static_cast<std::int64_t>(i));
    for (std::size_t k = 0; k < Corners; ++k)
      cells.corners[before + i][k] = static_cast<Index>(of_file[1 + k] - lowest);
    cells.tags[before + i] = of_file[0];
  });
  in_.move_to(in_.position() + static_cast<std::size_t>(done) * sizeof(Element));
  return static_cast<std::size_t>(done);
}

template <class Tag>
void MshElements::missing_node(Tag tag) {
  const auto& tags = nodes_.tags;
  if (tags.empty()) in_.fail(fmt::format("an element refers to node {}: the file has no nodes", tag));
  if (std::cmp_less(tag, tags.front()) || std::cmp_greater(tag, tags.back()))
    in_.fail(fmt::format("an element refers to node {}: the file has nodes {} to {}", tag, tags.front(), tags.back()));
  in_.fail(fmt::format("an element refers to the missing node {}", tag));
}

Mesh MshElements::take_mesh() {
  Mesh mesh;
  mesh.remarks = cutter_.remarks();
  if (is_version_2_) resolve_partitions_2();
  const bool quadratic = !quadratic_tetrahedra_.tags.empty();
  if (quadratic && !tetrahedra_.tags.empty())
    throw InputError(
        fmt::format("{}: has both linear (4-node) and quadratic (10-node) tetrahedra, {} and {}: expected one kind",
                    in_.file(), tetrahedra_.tags.size(), quadratic_tetrahedra_.tags.size()));
  leave_out_triangles_of_no_group(triangles_);
  leave_out_triangles_of_no_group(quadratic_triangles_);
  const bool has_tetrahedra = quadratic || !tetrahedra_.tags.empty();  // else that they are missing is said elsewhere
  const std::size_t others = quadratic ? triangles_.tags.size() : quadratic_triangles_.tags.size();
  if (has_tetrahedra && others > 0)
    throw InputError(fmt::format("{}: has {} {}-node triangles on {}-node tetrahedra: expected {}-node triangles",
                                 in_.file(), others, quadratic ? 3 : 6, quadratic ? 10 : 4, quadratic ? 6 : 3));
  if (quadratic) return take_quadratic_mesh();
  take_groups(mesh, tetrahedra_, triangles_);
  mesh.nodes = std::move(nodes_.points);
  mesh.tetrahedra = std::move(tetrahedra_.corners);
  mesh.triangles = std::move(triangles_.corners);
  return mesh;
}

/// Puts the cells into the order of their tags.
template <std::size_t Corners, std::size_t TriangleCorners>
void MshElements::take_groups(Mesh& mesh, TaggedCells<Corners>& tetrahedra, TaggedCells<TriangleCorners>& triangles) {
  tetrahedra.sort();
  triangles.sort();
  mesh.element_tags = std::move(tetrahedra.groups);
  mesh.triangle_tags = std::move(triangles.groups);
  mesh.further_element_tags = tetrahedra.take_further(groups_.further_sets());
  mesh.further_triangle_tags = triangles.take_further(groups_.further_sets());
  mesh.volume_names = groups_.names_of(3, mesh.element_tags, mesh.further_element_tags);
  mesh.surface_names = groups_.names_of(2, mesh.triangle_tags, mesh.further_triangle_tags);
}

/// Gmsh has the nodes on the edges 23 and 13 in this order.
Mesh MshElements::take_quadratic_mesh() {
  Mesh mesh;
  take_groups(mesh, quadratic_tetrahedra_, quadratic_triangles_);
  mesh.nodes = std::move(nodes_.points);
  for (const auto& [a, b, c, d, ab, bc, ac, ad, cd, bd] : quadratic_tetrahedra_.corners) {
    mesh.tetrahedra.push_back({a, b, c, d});
    mesh.edge_nodes.push_back({ab, bc, ac, ad, bd, cd});
  }
  for (const auto& [a, b, c, ab, bc, ac] : quadratic_triangles_.corners) {
    mesh.triangles.push_back({a, b, c});
    mesh.triangle_edge_nodes.push_back({ab, bc, ac});
  }
  return mesh;
}

/// In versions 2 nothing but the missing partition number says that a triangle lies between two partitions.
void MshElements::resolve_partitions_2() {
  groups_.resolve_partitions(3, tetrahedra_.groups);
  groups_.resolve_partitions(3, quadratic_tetrahedra_.groups);
  groups_.resolve_partitions(2, triangles_.groups);
  groups_.resolve_partitions(2, quadratic_triangles_.groups);
  if (!partitioned_2_) return;
  for (std::size_t i = 0; i < triangles_.groups.size(); ++i)
    if (!partition_of_triangle_[i]) triangles_.groups[i] = 0;
  for (std::size_t i = 0; i < quadratic_triangles_.groups.size(); ++i)
    if (!partition_of_quadratic_triangle_[i]) quadratic_triangles_.groups[i] = 0;
}

template <std::size_t Nodes>
void MshElements::leave_out_triangles_of_no_group(TaggedCells<Nodes>& triangles) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < triangles.groups.size(); ++i) {
    if (triangles.groups[i] == 0) continue;
    triangles.corners[kept] = triangles.corners[i];
    triangles.groups[kept] = triangles.groups[i];
    triangles.tags[kept] = triangles.tags[i];
    if (!triangles.further.empty()) triangles.further[kept] = triangles.further[i];
    ++kept;
  }
  triangles.corners.resize(kept);
  triangles.groups.resize(kept);
  triangles.tags.resize(kept);
  if (!triangles.further.empty()) triangles.further.resize(kept);
}

}  // namespace cardiowarp
