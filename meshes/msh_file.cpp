#include "meshes/msh_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fem/input_error.hpp"
#include "kernels/backend/thread_team.hpp"
#include "meshes/mapped_file.hpp"
#include "meshes/tagged_cells.hpp"
#include "meshes/text_cursor.hpp"

namespace cardiowarp {
namespace {

struct ElementType {
  int dimension;
  std::size_t nodes;
  const char* name;
};

/// Gmsh's element types 1 to 19; 0 is no type.
constexpr std::array<ElementType, 20> element_types = {{{-1, 0, ""},
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
constexpr std::size_t most_nodes = 27;

using DimensionAndTag = std::pair<int, int>;

/// Gmsh gives each partition of a physical group a group of its own, with a name like "_part{2}_physical{7}_dim{3}".
/// Returns the group that was partitioned (0: none), and nothing for any other name.
std::optional<int> group_of_partition(const std::string& name) {
  int group = 0, end = 0;
  std::sscanf(name.c_str(), "_part{%*[0-9,]}_physical{%9d}_dim{%*1[0-3]}%n", &group, &end);
  if (end == 0 || static_cast<std::size_t>(end) != name.size()) return {};
  return std::abs(group);
}

class MshReader {
 public:
  MshReader(const std::string& file, std::string_view text) : file_(file), cursor_(file, text) {}

  Mesh read() {
    header();
    while (!cursor_.at_end()) {
      const std::string_view name = cursor_.word();
      if (!name.starts_with('$') || name.starts_with("$End"))
        fail(fmt::format("expected the next section, got '{}'", printable(name)));
      section(name);
      end_of(name);
    }
    if (!read_.contains("$Nodes")) fail("the file has no $Nodes section (truncated?)");
    if (!read_.contains("$Elements")) fail("the file has no $Elements section (truncated?)");
    return mesh();
  }

 private:
  void header() {
    std::string_view first = cursor_.word();
    while (first == "$Comments") {
      pass_over(first);
      end_of(first);
      first = cursor_.word();
    }
    if (first == "$NOD") unsupported_version("1");
    if (first != "$MeshFormat") fail("is not a Gmsh mesh: expected $MeshFormat");
    const std::string_view version = cursor_.word();
    if (version != "2.2" && version != "4.1") unsupported_version(version);
    version_2_ = version == "2.2";
    const int kind = cursor_.number<int>("0 for ASCII or 1 for binary"), bytes = cursor_.number<int>("the data size 8");
    if ((kind != 0 && kind != 1) || bytes != 8) fail(fmt::format("expected '{} 0 8' or '{} 1 8'", version, version));
    if (kind == 1) {
      cursor_.rest_of_line();
      binary_ = true;
      if (binary_value<std::int32_t>() != 1) fail("binary numbers have the byte order of another machine");
    }
    end_of("$MeshFormat");
  }

  void section(std::string_view name) {
    if (name == "$NodeData" || name == "$ElementData" || name == "$ElementNodeData") return data(name);
    const bool groups = name == "$PhysicalNames" || name == "$Entities" || name == "$PartitionedEntities";
    if (!groups && name != "$Nodes" && name != "$Elements" && name != "$MeshFormat") return pass_over(name);
    if (name == "$MeshFormat" || !read_.insert(name).second) fail(fmt::format("the section {} is given twice", name));
    if (name == "$PhysicalNames") return physical_names();
    if (name == "$Nodes") return version_2_ ? nodes_2() : nodes_4();
    if (groups) {
      if (version_2_) fail(fmt::format("the section {} has no place in version 2.2", name));
      if (read_.contains("$Elements")) fail(fmt::format("expected the section {} before $Elements", name));
      if (binary_) cursor_.rest_of_line();
      return name == "$Entities" ? entities_4() : partitioned_entities_4();
    }
    if (!read_.contains("$Nodes")) fail("expected the section $Nodes before $Elements");
    return version_2_ ? elements_2() : elements_4();
  }

  /// Text in binary files too.
  void physical_names() {
    const auto count = cursor_.number<std::size_t>("the number of physical names");
    for (std::size_t i = 0; i < count; ++i) {
      const int dimension = cursor_.number<int>("the dimension of a physical group");
      if (dimension < 0 || dimension > 3) fail(fmt::format("physical dimension {}: expected 0 to 3", dimension));
      const int tag = cursor_.number<int>("the tag of a physical group");
      const std::string_view line = cursor_.rest_of_line();
      const std::size_t begin = line.find('"'), end = line.rfind('"');
      if (begin == std::string_view::npos || begin == end)
        fail(fmt::format("physical group {}: expected a name in double quotes, got '{}'", tag, printable(line)));
      const std::string_view name = line.substr(begin + 1, end - begin - 1);
      const auto [known, added] = names_.emplace(DimensionAndTag(dimension, tag), name);
      if (!added && known->second != name)
        fail(fmt::format("physical group {} of dimension {} has two names, '{}' and '{}'", tag, dimension,
                         known->second, name));
    }
  }

  void nodes_2() {
    const std::size_t nodes = counted_line("the number of nodes");
    reserve_nodes(nodes);
    for (std::size_t i = 0; i < nodes; ++i) {
      const auto tag = value<std::int32_t>("a node number");
      if (tag < 1) fail(fmt::format("node number {}: expected 1 or more", tag));
      nodes_.tags.push_back(static_cast<std::size_t>(tag));
      point();
    }
    sort_nodes();
  }

  void nodes_4() {
    if (binary_) cursor_.rest_of_line();
    const auto blocks = value<std::size_t>("the number of blocks");
    const auto nodes = value<std::size_t>("the number of nodes");
    const auto lowest = value<std::size_t>("the lowest node tag"), highest = value<std::size_t>("the highest node tag");
    reserve_nodes(nodes);
    for (std::size_t block = 0; block < blocks; ++block) {
      const auto dimension = value<std::int32_t>("an entity dimension");
      value<std::int32_t>("an entity tag");
      const auto parametric = value<std::int32_t>("0 or 1");
      const auto size = value<std::size_t>("a number of nodes");
      if (dimension < 0 || dimension > 3) fail(fmt::format("entity dimension {}: expected 0 to 3", dimension));
      if (parametric != 0 && parametric != 1)
        fail(fmt::format("expected 0, or 1 for nodes with parameters, got {}", parametric));
      if (binary_ && parametric == 0 && copy_nodes(size)) continue;
      for (std::size_t i = 0; i < size; ++i) {
        const auto tag = value<std::size_t>("a node tag");
        if (tag < 1) fail(fmt::format("node tag {}: expected 1 or more", tag));
        nodes_.tags.push_back(tag);
      }
      for (std::size_t i = 0; i < size; ++i) {
        point();
        if (parametric == 1) skip<double>(static_cast<std::size_t>(dimension), "a parameter");
      }
    }
    if (nodes_.tags.size() != nodes) fail(fmt::format("expected {} nodes, got {}", nodes, nodes_.tags.size()));
    sort_nodes();
    if (nodes > 0 && (lowest != nodes_.tags.front() || highest != nodes_.tags.back()))
      fail(fmt::format("expected node tags {} to {}, got {} to {}", lowest, highest, nodes_.tags.front(),
                       nodes_.tags.back()));
  }

  /// A whole binary block at once; nothing, and false, where something is wrong with it.
  bool copy_nodes(std::size_t size) {
    static_assert(sizeof(Vector3) == 3 * sizeof(double));
    if (size > bytes_left() / (sizeof(std::size_t) + sizeof(Vector3))) return false;
    const std::size_t before = nodes_.tags.size();
    nodes_.tags.resize(before + size);
    copy_binary(nodes_.tags.data() + before, size);
    if (std::find(nodes_.tags.begin() + static_cast<std::ptrdiff_t>(before), nodes_.tags.end(), 0) !=
        nodes_.tags.end()) {
      nodes_.tags.resize(before);
      cursor_.move_to(cursor_.position() - size * sizeof(std::size_t));
      return false;
    }
    nodes_.points.resize(before + size);
    copy_binary(nodes_.points.data() + before, size);
    return true;
  }

  void point() {
    const double x = value<double>("a coordinate"), y = value<double>("a coordinate"),
                 z = value<double>("a coordinate");
    nodes_.points.push_back({x, y, z});
  }

  /// No more than the rest of the file can hold, whatever it declares.
  void reserve_nodes(std::size_t declared) {
    constexpr std::size_t shortest_node = 8;  // "1 0 0 0\n"
    const std::size_t nodes = std::min(declared, bytes_left() / shortest_node);
    nodes_.tags.reserve(nodes);
    nodes_.points.reserve(nodes);
  }

  void sort_nodes() {
    try {
      nodes_.sort();
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}: {}", file_, error.what()));
    }
  }

  void entities_4() {
    const auto counts = entity_counts();
    for (int dimension = 0; dimension < 4; ++dimension)
      for (std::size_t i = 0; i < counts[static_cast<std::size_t>(dimension)]; ++i) {
        const auto tag = value<std::int32_t>("an entity tag");
        note_entity(dimension, tag, rest_of_entity(dimension));
      }
  }

  /// A partition has the group of the entity that was partitioned. What lies between two partitions is of a lower
  /// dimension than its parent, and in no group.
  void partitioned_entities_4() {
    value<std::size_t>("the number of partitions");
    const auto ghosts = value<std::size_t>("the number of ghost entities");
    skip<std::int32_t>(ghosts, 2, "a ghost entity");
    const auto counts = entity_counts();
    for (int dimension = 0; dimension < 4; ++dimension)
      for (std::size_t i = 0; i < counts[static_cast<std::size_t>(dimension)]; ++i) {
        const auto tag = value<std::int32_t>("an entity tag");
        const auto parent_dimension = value<std::int32_t>("the dimension of a parent entity");
        const auto parent = value<std::int32_t>("the tag of a parent entity");
        skip<std::int32_t>(value<std::size_t>("a number of partitions"), "a partition");
        int group = rest_of_entity(dimension);
        if (parent_dimension > dimension) group = 0;
        if (parent_dimension == dimension) group = group_of_entity(dimension, parent);
        note_entity(dimension, tag, group);
      }
  }

  std::array<std::size_t, 4> entity_counts() {
    std::array<std::size_t, 4> counts{};
    for (std::size_t& count : counts) count = value<std::size_t>("a number of entities");
    return counts;
  }

  /// Returns the lowest of the physical groups, whose sign is an orientation; 0 where there is none.
  int rest_of_entity(int dimension) {
    skip<double>(dimension == 0 ? 3 : 6, "a bounding box");
    const auto groups = value<std::size_t>("a number of physical groups");
    require(groups, binary_ ? sizeof(std::int32_t) : 1);
    int lowest = 0;
    for (std::size_t i = 0; i < groups; ++i) {
      const auto group = value<std::int32_t>("a physical tag");
      if (group == std::numeric_limits<std::int32_t>::min()) fail(fmt::format("physical tag {} is too low", group));
      if (lowest == 0 || std::abs(group) < lowest) lowest = std::abs(group);
    }
    if (dimension > 0) skip<std::int32_t>(value<std::size_t>("a number of boundaries"), "a boundary tag");
    return lowest;
  }

  void note_entity(int dimension, int tag, int group) {
    if (!group_of_entity_.emplace(DimensionAndTag(dimension, tag), group).second)
      fail(fmt::format("entity {} of dimension {} is given twice", tag, dimension));
  }

  /// A file that lists no entities has no groups.
  int group_of_entity(int dimension, int tag) {
    if (group_of_entity_.empty()) return 0;
    const auto found = group_of_entity_.find({dimension, tag});
    if (found == group_of_entity_.end())
      fail(fmt::format("entity {} of dimension {} is not among the $Entities", tag, dimension));
    return found->second;
  }

  void elements_2() {
    const std::size_t elements = counted_line("the number of elements");
    reserve_elements(elements);
    for (std::size_t found = 0; found < elements;) {
      // A binary block holds `size` elements behind a common head, an ASCII line one element with its number in front.
      const auto number = binary_ ? 0 : value<std::int32_t>("an element number");
      const ElementType& type = element_type();
      const auto size = binary_ ? value<std::int32_t>("a number of elements") : 1;
      const auto tags = value<std::int32_t>("a number of tags");
      if (size < 1 || tags < 0) fail("element block with a negative size");
      found += static_cast<std::size_t>(size);
      if (found > elements) fail(fmt::format("expected {} elements, got more", elements));
      for (std::int32_t i = 0; i < size; ++i)
        element_2(type, binary_ ? value<std::int32_t>("an element number") : number, static_cast<std::size_t>(tags),
                  elements);
    }
  }

  /// The tags are the physical group, the elementary entity and, in partitioned files, the number of partitions and
  /// these, of which the ones that see the element as a ghost are negative.
  void element_2(const ElementType& type, std::int32_t number, std::size_t tags, std::size_t elements) {
    if (number < 0) fail(fmt::format("element number {}: expected 0 or more", number));
    std::array<std::int32_t, 3> head{};
    for (std::size_t i = 0; i < std::min(tags, head.size()); ++i) head[i] = value<std::int32_t>("an element tag");
    if (type.dimension > 1 && head[0] < 0) fail(fmt::format("physical tag {}: expected 0 or more", head[0]));
    const std::size_t partitions = tags < 4 ? 0 : tags - 3;
    if (partitions > 0 && (head[2] < 0 || std::cmp_greater(head[2], partitions)))
      fail(fmt::format("element {}: expected 0 to {} partitions, got {}", number, partitions, head[2]));
    require(partitions, binary_ ? sizeof(std::int32_t) : 1);
    for (std::size_t i = 0; i < partitions; ++i) {
      const auto partition = value<std::int32_t>("a partition");
      if (std::cmp_less(i, head[2]) &&
          (partition == 0 || std::cmp_greater(std::abs(std::int64_t{partition}), elements)))
        fail(fmt::format("element {}: partition {}: expected 1 to at most {}, the number of elements", number,
                         partition, elements));
    }
    const bool is_in_one = partitions > 0 && head[2] > 0;
    if (type.dimension == 2)
      (type.nodes == 3 ? partition_of_triangle_ : partition_of_quadratic_triangle_).push_back(is_in_one);
    partitioned_2_ = partitioned_2_ || is_in_one;
    element<std::int32_t>(type, static_cast<std::size_t>(number), head[0]);
  }

  void elements_4() {
    if (binary_) cursor_.rest_of_line();
    const auto blocks = value<std::size_t>("the number of blocks");
    const auto elements = value<std::size_t>("the number of elements");
    skip<std::size_t>(2, "an element tag");
    reserve_elements(elements);
    std::size_t found = 0;
    for (std::size_t block = 0; block < blocks; ++block) {
      const auto dimension = value<std::int32_t>("an entity dimension"), entity = value<std::int32_t>("an entity tag");
      const ElementType& type = element_type();
      const auto size = value<std::size_t>("a number of elements");
      if (dimension != type.dimension)
        fail(fmt::format("elements of type '{}' are in an entity of dimension {}: expected {}", type.name, dimension,
                         type.dimension));
      const int group = group_of_entity(dimension, entity);
      std::size_t done = 0;
      if (binary_ && dimension == 3 && type.nodes == 4) done = copy_elements(tetrahedra_, size, group);
      if (binary_ && dimension == 3 && type.nodes == 10) done = copy_elements(quadratic_tetrahedra_, size, group);
      if (binary_ && dimension == 2 && type.nodes == 3) done = copy_elements(triangles_, size, group);
      if (binary_ && dimension == 2 && type.nodes == 6) done = copy_elements(quadratic_triangles_, size, group);
      for (; done < size; ++done) element<std::size_t>(type, value<std::size_t>("an element tag"), group);
      found += size;
    }
    if (found != elements) fail(fmt::format("expected {} elements, got {}", elements, found));
  }

  /// No more than the rest of the file can hold, whatever it declares.
  void reserve_elements(std::size_t declared) {
    constexpr std::size_t shortest_tetrahedron = 10;  // "1 1 2 3 4\n"
    const std::size_t tetrahedra = std::min(declared, bytes_left() / shortest_tetrahedron);
    tetrahedra_.corners.reserve(tetrahedra);
    tetrahedra_.groups.reserve(tetrahedra);
    tetrahedra_.tags.reserve(tetrahedra);
  }

  const ElementType& element_type() {
    const auto type = value<std::int32_t>("an element type");
    if (type < 1 || type >= static_cast<std::int32_t>(element_types.size()))
      fail(fmt::format("element type {} is not supported: expected 4 or 11 (tetrahedra) and 2 or 9 (triangles)", type));
    const ElementType& found = element_types[static_cast<std::size_t>(type)];
    const bool linear = found.nodes == (found.dimension == 3 ? 4U : 3U);
    const bool quadratic = found.nodes == (found.dimension == 3 ? 10U : 6U);
    if (found.dimension >= 2 && !linear && !quadratic)
      throw InputError(
          fmt::format("{}: elements of type '{}' are not supported: expected 4-node or 10-node tetrahedra and, on "
                      "surfaces, 3-node or 6-node triangles",
                      file_, found.name));
    return found;
  }

  template <class Tag>
  void element(const ElementType& type, std::size_t number, int group) {
    std::array<Index, most_nodes> nodes;
    for (std::size_t i = 0; i < type.nodes; ++i) {
      const auto tag = value<Tag>("a node tag");
      const auto node = nodes_.index_of(static_cast<std::size_t>(tag));
      if (!node) missing_node(tag);
      nodes[i] = *node;
    }
    if (type.dimension == 3 && type.nodes == 4) add(tetrahedra_, number, group, nodes);
    if (type.dimension == 3 && type.nodes == 10) add(quadratic_tetrahedra_, number, group, nodes);
    if (type.dimension == 2 && type.nodes == 3) add(triangles_, number, group, nodes);
    if (type.dimension == 2 && type.nodes == 6) add(quadratic_triangles_, number, group, nodes);
  }

  template <std::size_t Corners>
  static void add(TaggedCells<Corners>& cells, std::size_t number, int group,
                  const std::array<Index, most_nodes>& nodes) {
    std::copy_n(nodes.begin(), Corners, cells.corners.emplace_back().begin());
    cells.groups.push_back(group);
    cells.tags.push_back(number);
  }

  /// The elements of a binary block up to the first that has a missing node or is not whole: how many. None where the
  /// tags of the nodes have gaps.
  template <std::size_t Corners>
  std::size_t copy_elements(TaggedCells<Corners>& cells, std::size_t size, int group) {
    if (!nodes_.without_gaps()) return 0;
    using Element = std::array<std::size_t, 1 + Corners>;
    const std::size_t lowest = nodes_.tags.front(), nodes = nodes_.tags.size();
    const char* const bytes = cursor_.text().data() + cursor_.position();
    const auto element = [&](std::int64_t i) {
      Element of_file;
      std::memcpy(of_file.data(), bytes + static_cast<std::size_t>(i) * sizeof of_file, sizeof of_file);
      return of_file;
    };
    const auto whole = static_cast<std::int64_t>(std::min(size, bytes_left() / sizeof(Element)));
    const std::int64_t done = first_index(whole, [&](std::int64_t i) {
      const Element of_file = element(i);
      return std::any_of(of_file.begin() + 1, of_file.end(),
                         [&](std::size_t tag) { return tag - lowest >= nodes; });  // a lower tag becomes large
    });
    const std::size_t before = cells.add(static_cast<std::size_t>(done), group);
    parallel_for(static_cast<std::size_t>(done), [&](std::size_t i) {
      const Element of_file = element(static_cast<std::int64_t>(i));
      for (std::size_t k = 0; k < Corners; ++k)
        cells.corners[before + i][k] = static_cast<Index>(of_file[1 + k] - lowest);
      cells.tags[before + i] = of_file[0];
    });
    cursor_.move_to(cursor_.position() + static_cast<std::size_t>(done) * sizeof(Element));
    return static_cast<std::size_t>(done);
  }

  template <class Tag>
  [[noreturn]] void missing_node(Tag tag) {
    const auto& tags = nodes_.tags;
    if (tags.empty()) fail(fmt::format("an element refers to node {}: the file has no nodes", tag));
    if (std::cmp_less(tag, tags.front()) || std::cmp_greater(tag, tags.back()))
      fail(fmt::format("an element refers to node {}: the file has nodes {} to {}", tag, tags.front(), tags.back()));
    fail(fmt::format("an element refers to the missing node {}", tag));
  }

  /// Results, which are not read; their numbers must be there. The head is text in binary files too.
  void data(std::string_view name) {
    const auto strings = cursor_.number<std::size_t>("the number of string tags");
    cursor_.rest_of_line();
    for (std::size_t i = 0; i < strings && bytes_left() > 0; ++i) cursor_.rest_of_line();
    const auto reals = cursor_.number<std::size_t>("the number of real tags");
    for (std::size_t i = 0; i < reals; ++i) cursor_.number<double>("a real tag");
    const auto integers = cursor_.number<std::size_t>("the number of integer tags");
    std::array<std::int32_t, 3> head{};  // time step, components, rows
    for (std::size_t i = 0; i < integers; ++i) {
      const auto tag = cursor_.number<std::int32_t>("an integer tag");
      if (i < head.size()) head[i] = tag;
    }
    if (binary_) cursor_.rest_of_line();
    if (integers < head.size() || head[1] < 1 || head[2] < 0)
      fail(fmt::format("{}: expected a time step, a number of components and a number of rows", name));
    const auto components = static_cast<std::size_t>(head[1]);
    for (std::int32_t row = 0; row < head[2]; ++row) {
      value<std::int32_t>("the tag of a row");
      const auto nodes = name == "$ElementNodeData" ? value<std::int32_t>("a number of nodes") : 1;
      if (nodes < 0) fail(fmt::format("expected a number of nodes, got {}", nodes));
      skip<double>(static_cast<std::size_t>(nodes), components, "a value");
    }
  }

  Mesh mesh() {
    Mesh mesh;
    if (version_2_) resolve_partitions_2();
    std::erase_if(names_, [](const auto& name) { return name.second.empty(); });
    const bool quadratic = !quadratic_tetrahedra_.tags.empty();
    if (quadratic && !tetrahedra_.tags.empty())
      throw InputError(
          fmt::format("{}: has both linear (4-node) and quadratic (10-node) tetrahedra, {} and {}: expected one kind",
                      file_, tetrahedra_.tags.size(), quadratic_tetrahedra_.tags.size()));
    leave_out_triangles_of_no_group(triangles_);
    leave_out_triangles_of_no_group(quadratic_triangles_);
    const bool has_tetrahedra = quadratic || !tetrahedra_.tags.empty();  // else that they are missing is said elsewhere
    const std::size_t others = quadratic ? triangles_.tags.size() : quadratic_triangles_.tags.size();
    if (has_tetrahedra && others > 0)
      throw InputError(fmt::format("{}: has {} {}-node triangles on {}-node tetrahedra: expected {}-node triangles",
                                   file_, others, quadratic ? 3 : 6, quadratic ? 10 : 4, quadratic ? 6 : 3));
    if (quadratic) return quadratic_mesh();
    mesh.volume_names = names_of(3, tetrahedra_.groups);
    mesh.surface_names = names_of(2, triangles_.groups);
    tetrahedra_.sort();
    triangles_.sort();
    mesh.nodes = std::move(nodes_.points);
    mesh.tetrahedra = std::move(tetrahedra_.corners);
    mesh.element_tags = std::move(tetrahedra_.groups);
    mesh.triangles = std::move(triangles_.corners);
    mesh.triangle_tags = std::move(triangles_.groups);
    return mesh;
  }

  /// Gmsh has the nodes on the edges 23 and 13 in this order.
  Mesh quadratic_mesh() {
    Mesh mesh;
    mesh.volume_names = names_of(3, quadratic_tetrahedra_.groups);
    mesh.surface_names = names_of(2, quadratic_triangles_.groups);
    quadratic_tetrahedra_.sort();
    quadratic_triangles_.sort();
    mesh.nodes = std::move(nodes_.points);
    for (const auto& [a, b, c, d, ab, bc, ac, ad, cd, bd] : quadratic_tetrahedra_.corners) {
      mesh.tetrahedra.push_back({a, b, c, d});
      mesh.edge_nodes.push_back({ab, bc, ac, ad, bd, cd});
    }
    for (const auto& [a, b, c, ab, bc, ac] : quadratic_triangles_.corners) {
      mesh.triangles.push_back({a, b, c});
      mesh.triangle_edge_nodes.push_back({ab, bc, ac});
    }
    mesh.element_tags = std::move(quadratic_tetrahedra_.groups);
    mesh.triangle_tags = std::move(quadratic_triangles_.groups);
    return mesh;
  }

  /// In version 2.2 nothing but its name says which group a partition's group comes from, and nothing but the missing
  /// partition number that a triangle lies between two partitions.
  void resolve_partitions_2() {
    const auto resolve = [this](int dimension, std::vector<int>& groups) {
      std::map<int, int> group_of;
      for (const auto& [key, name] : names_)
        if (const auto group = group_of_partition(name); group && key.first == dimension) group_of[key.second] = *group;
      if (group_of.empty()) return;
      for (int& group : groups)
        if (const auto found = group_of.find(group); found != group_of.end()) group = found->second;
    };
    resolve(3, tetrahedra_.groups);
    resolve(3, quadratic_tetrahedra_.groups);
    resolve(2, triangles_.groups);
    resolve(2, quadratic_triangles_.groups);
    if (!partitioned_2_) return;
    for (std::size_t i = 0; i < triangles_.groups.size(); ++i)
      if (!partition_of_triangle_[i]) triangles_.groups[i] = 0;
    for (std::size_t i = 0; i < quadratic_triangles_.groups.size(); ++i)
      if (!partition_of_quadratic_triangle_[i]) quadratic_triangles_.groups[i] = 0;
  }

  template <std::size_t Nodes>
  static void leave_out_triangles_of_no_group(TaggedCells<Nodes>& triangles) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < triangles.groups.size(); ++i) {
      if (triangles.groups[i] == 0) continue;
      triangles.corners[kept] = triangles.corners[i];
      triangles.groups[kept] = triangles.groups[i];
      triangles.tags[kept] = triangles.tags[i];
      ++kept;
    }
    triangles.corners.resize(kept);
    triangles.groups.resize(kept);
    triangles.tags.resize(kept);
  }

  /// The names of those groups that have elements.
  std::map<std::string, int> names_of(int dimension, const std::vector<int>& groups) const {
    std::set<int> used;
    for (std::size_t i = 0; i < groups.size(); ++i)
      if (i == 0 || groups[i] != groups[i - 1]) used.insert(groups[i]);
    std::map<std::string, int> result;
    for (const int group : used) {
      const auto name = names_.find({dimension, group});
      if (name == names_.end()) continue;
      const auto [known, added] = result.emplace(name->second, group);
      if (!added)
        throw InputError(fmt::format("{}: physical groups {} and {} have the same name '{}'", file_, known->second,
                                     group, name->second));
    }
    return result;
  }

  void pass_over(std::string_view section) {
    const std::string end = fmt::format("\n$End{}", section.substr(1));
    const std::size_t found = cursor_.text().find(end, cursor_.position());
    if (found == std::string_view::npos)
      fail(fmt::format("section {} has no end (truncated file?)", printable(section)));
    cursor_.move_to(found);
  }

  void end_of(std::string_view section) {
    const std::string end = fmt::format("$End{}", section.substr(1));
    const std::string_view found = cursor_.word();
    if (found != end)
      fail(fmt::format("expected {}, got '{}'{}", printable(end), printable(found),
                       found.empty() ? " (truncated file?)" : ""));
  }

  /// A count on a line of its own, which is text in binary 2.2 files too.
  std::size_t counted_line(std::string_view what) {
    const auto count = cursor_.number<std::size_t>(what);
    if (binary_) cursor_.rest_of_line();
    if (count > cursor_.text().size()) fail(fmt::format("{} is {}, more than the file can hold", what, count));
    return count;
  }

  template <class Value>
  Value binary_value() {
    Value result;
    require(1, sizeof(Value));
    std::memcpy(&result, cursor_.text().data() + cursor_.position(), sizeof(Value));
    cursor_.move_to(cursor_.position() + sizeof(Value));
    return result;
  }

  /// Copies `count` values from the file. The caller has made sure that the file has so many left.
  template <class Value>
  void copy_binary(Value* values, std::size_t count) {
    if (count == 0) return;  // there may be no memory behind `values`
    std::memcpy(values, cursor_.text().data() + cursor_.position(), count * sizeof(Value));
    cursor_.move_to(cursor_.position() + count * sizeof(Value));
  }

  template <class Value>
  Value value(std::string_view what) {
    return binary_ ? binary_value<Value>() : cursor_.number<Value>(what);
  }

  template <class Value>
  void skip(std::size_t count, std::string_view what) {
    require(count, binary_ ? sizeof(Value) : 1);
    if (binary_)
      cursor_.move_to(cursor_.position() + count * sizeof(Value));
    else
      for (std::size_t i = 0; i < count; ++i) cursor_.number<Value>(what);
  }

  template <class Value>
  void skip(std::size_t rows, std::size_t columns, std::string_view what) {
    if (rows > bytes_left() / columns)
      fail(fmt::format("expected {} more rows of {} values, got the end of the file (truncated?)", rows, columns));
    skip<Value>(rows * columns, what);
  }

  std::size_t bytes_left() const { return cursor_.text().size() - cursor_.position(); }

  /// Fails when fewer than `count` times `bytes` bytes are left; also keeps damaged counts from overflowing.
  void require(std::size_t count, std::size_t bytes) {
    if (count > bytes_left() / bytes)
      fail(fmt::format("expected {} more values of {} bytes, got the end of the file (truncated?)", count, bytes));
  }

  static std::string printable(std::string_view text) {
    std::string result(text.substr(0, 40));
    for (char& c : result)
      if (c < ' ' || c > '~') c = '?';
    return result;
  }

  [[noreturn]] void unsupported_version(std::string_view version) {
    fail(fmt::format("Gmsh format '{}' is not supported: expected 2.2 or 4.1 (open and save the file with Gmsh)",
                     printable(version)));
  }

  [[noreturn]] void fail(const std::string& message) {
    if (binary_) throw InputError(fmt::format("{}: byte {}: {}", file_, cursor_.position(), message));
    cursor_.fail(message);
  }

  std::string file_;
  TextCursor cursor_;
  bool version_2_ = false;  ///< otherwise 4.1
  bool binary_ = false;
  std::set<std::string_view> read_;  ///< sections, of those that may stand once
  std::map<DimensionAndTag, std::string> names_;
  std::map<DimensionAndTag, int> group_of_entity_;
  TaggedNodes nodes_;
  TaggedCells<4> tetrahedra_;
  TaggedCells<3> triangles_;
  TaggedCells<10> quadratic_tetrahedra_;
  TaggedCells<6> quadratic_triangles_;
  bool partitioned_2_ = false;               ///< some element of a 2.2 file has a partition
  std::vector<bool> partition_of_triangle_;  ///< [triangles] of a 2.2 file: whether it has one
  std::vector<bool> partition_of_quadratic_triangle_;
};

}  // namespace

Mesh read_msh_file(const std::filesystem::path& file) {
  const MappedFile content(file);
  return read_msh_text(file.string(), content.text());
}

Mesh read_msh_text(const std::string& file, std::string_view text) { return MshReader(file, text).read(); }

}  // namespace cardiowarp
