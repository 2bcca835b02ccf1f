#include "meshes/msh_outline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "fem/input_error.hpp"
#include "meshes/mapped_file.hpp"
#include "meshes/text_cursor.hpp"

namespace cardiowarp {
namespace {

constexpr int tetrahedron_type = 4;

/// Nodes of Gmsh's element types 1 to 19 (lines to second-order pyramids); 0 is no type.
constexpr std::array<std::size_t, 20> nodes_of_type = {0, 2,  3,  4,  4,  8, 6, 5,  3,  6,
                                                       9, 10, 27, 18, 14, 1, 8, 20, 15, 13};

class MshWalk {
 public:
  MshWalk(const std::string& file, std::string_view text) : file_(file), cursor_(file, text) {}

  MshOutline outline() {
    header();
    bool nodes_seen = false, elements_seen = false;
    while (!cursor_.at_end()) {
      const std::string_view section = cursor_.word();
      if (section == "$Nodes" && !nodes_seen) {
        nodes_seen = true;
        outline_.version_2 ? nodes_2() : nodes_4();
      } else if (section == "$Elements" && !elements_seen) {
        if (!nodes_seen) fail("expected the section $Nodes before $Elements");
        elements_seen = true;
        outline_.version_2 ? elements_2() : elements_4();
      } else if (section == "$Entities" && !outline_.version_2) {
        entities_4();
      } else if (section.starts_with('$') && section != "$Nodes" && section != "$Elements") {
        skip_section(section);
      } else {
        fail(fmt::format("expected the next section, got '{}'", printable(section)));
      }
      end_of(section);
    }
    if (!nodes_seen) fail("the file has no $Nodes section (truncated?)");
    if (!elements_seen) fail("the file has no $Elements section (truncated?)");
    return std::move(outline_);
  }

 private:
  void header() {
    if (cursor_.word() != "$MeshFormat") fail("is not a Gmsh mesh: expected $MeshFormat");
    const std::string_view version = cursor_.word();
    if (version != "2.2" && version != "4.1")
      fail(fmt::format("Gmsh format '{}' is not supported: expected 2.2 or 4.1 (open and save the file with Gmsh)",
                       printable(version)));
    outline_.version_2 = version == "2.2";
    const int kind = cursor_.number<int>("0 for ASCII or 1 for binary"), bytes = cursor_.number<int>("the data size 8");
    if ((kind != 0 && kind != 1) || bytes != 8) fail(fmt::format("expected '{} 0 8' or '{} 1 8'", version, version));
    if (kind == 1) {
      cursor_.rest_of_line();
      binary_ = true;
      if (binary_value<std::int32_t>() != 1) fail("binary numbers have the byte order of another machine");
    }
    end_of("$MeshFormat");
  }

  void nodes_2() {
    outline_.nodes = counted_line("the number of nodes");
    outline_.node_tags.reserve(outline_.nodes);
    outline_.points.reserve(outline_.nodes);
    for (std::size_t i = 0; i < outline_.nodes; ++i) {
      const auto tag = value<std::int32_t>("a node number");
      if (tag < 1) fail(fmt::format("node number {}: expected 1 or more", tag));
      note_node(static_cast<std::size_t>(tag));
      outline_.node_tags.push_back(static_cast<std::size_t>(tag));
      const double x = value<double>("a coordinate"), y = value<double>("a coordinate"),
                   z = value<double>("a coordinate");
      outline_.points.push_back({x, y, z});
    }
  }

  void elements_2() {
    const std::size_t elements = counted_line("the number of elements");
    for (std::size_t found = 0; found < elements;) {
      // A binary block holds `size` elements behind a common head, an ASCII line one element with its number in front.
      if (!binary_) value<std::int32_t>("an element number");
      const auto type = value<std::int32_t>("an element type");
      const auto size = binary_ ? value<std::int32_t>("a number of elements") : 1;
      const auto tags = value<std::int32_t>("a number of tags");
      if (size < 1 || tags < 0) fail("element block with a negative size");
      const std::size_t head = static_cast<std::size_t>(tags) + (binary_ ? 1 : 0), corners = nodes_of(type);
      for (std::int32_t i = 0; i < size; ++i) {
        skip<std::int32_t>(head, "an element number or tag");
        check_corners<std::int32_t>(corners);
      }
      if (type == tetrahedron_type) outline_.tetrahedra += static_cast<std::size_t>(size);
      found += static_cast<std::size_t>(size);
      if (found > elements) fail(fmt::format("expected {} elements, got more", elements));
    }
  }

  void entities_4() {
    if (binary_) cursor_.rest_of_line();
    std::array<std::size_t, 4> entities;
    for (std::size_t& count : entities) count = value<std::size_t>("a number of entities");
    for (std::size_t dimension = 0; dimension < 4; ++dimension)
      for (std::size_t i = 0; i < entities[dimension]; ++i) {
        value<std::int32_t>("an entity tag");
        skip<double>(dimension == 0 ? 3 : 6, "a bounding box");
        skip<std::int32_t>(value<std::size_t>("a number of physical groups"), "a physical tag");
        if (dimension > 0) skip<std::int32_t>(value<std::size_t>("a number of boundaries"), "a boundary tag");
      }
  }

  void nodes_4() {
    if (binary_) cursor_.rest_of_line();
    const auto blocks = value<std::size_t>("the number of blocks");
    outline_.nodes = value<std::size_t>("the number of nodes");
    const auto lowest = value<std::size_t>("the lowest node tag"), highest = value<std::size_t>("the highest node tag");
    std::size_t found = 0;
    for (std::size_t block = 0; block < blocks; ++block) {
      const auto dimension = value<std::int32_t>("an entity dimension");
      value<std::int32_t>("an entity tag");
      const auto parametric = value<std::int32_t>("0 or 1");
      const auto size = value<std::size_t>("a number of nodes");
      if (dimension < 0 || dimension > 3) fail(fmt::format("entity dimension {}: expected 0 to 3", dimension));
      for (std::size_t i = 0; i < size; ++i) note_node(value<std::size_t>("a node tag"));
      skip<double>(size, 3 + static_cast<std::size_t>(parametric != 0 ? dimension : 0), "a coordinate");
      found += size;
    }
    if (found != outline_.nodes) fail(fmt::format("expected {} nodes, got {}", outline_.nodes, found));
    // Gmsh crashes where these are wrong.
    if (found > 0 && (lowest != lowest_node_ || highest != highest_node_))
      fail(fmt::format("expected node tags {} to {}, got {} to {}", lowest, highest, lowest_node_, highest_node_));
  }

  void elements_4() {
    if (binary_) cursor_.rest_of_line();
    const auto blocks = value<std::size_t>("the number of blocks");
    const auto elements = value<std::size_t>("the number of elements");
    skip<std::size_t>(2, "an element tag");
    std::size_t found = 0;
    for (std::size_t block = 0; block < blocks; ++block) {
      skip<std::int32_t>(2, "an entity dimension or tag");
      const auto type = value<std::int32_t>("an element type");
      const auto size = value<std::size_t>("a number of elements");
      const std::size_t corners = nodes_of(type);
      for (std::size_t i = 0; i < size; ++i) {
        value<std::size_t>("an element tag");
        check_corners<std::size_t>(corners);
      }
      if (type == tetrahedron_type) outline_.tetrahedra += size;
      found += size;
    }
    if (found != elements) fail(fmt::format("expected {} elements, got {}", elements, found));
  }

  void note_node(std::size_t tag) {
    lowest_node_ = std::min(lowest_node_, tag);
    highest_node_ = std::max(highest_node_, tag);
  }

  /// Gmsh crashes on node tags out of range; it names missing ones in between.
  template <class Value>
  void check_corners(std::size_t corners) {
    for (std::size_t i = 0; i < corners; ++i) {
      const auto tag = value<Value>("a node tag");
      if (std::cmp_less(tag, lowest_node_) || std::cmp_greater(tag, highest_node_))
        fail(
            fmt::format("an element refers to node {}: the file has nodes {} to {}", tag, lowest_node_, highest_node_));
    }
  }

  void skip_section(std::string_view section) {
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
      fail(fmt::format("expected {}, got '{}'{}", end, printable(found), found.empty() ? " (truncated file?)" : ""));
  }

  /// A count on a line of its own, which is text in binary 2.2 files too.
  std::size_t counted_line(std::string_view what) {
    const auto count = cursor_.number<std::size_t>(what);
    if (binary_) cursor_.rest_of_line();
    if (count > cursor_.text().size()) fail(fmt::format("{} is {}, more than the file can hold", what, count));
    return count;
  }

  std::size_t nodes_of(std::int32_t type) {
    if (type < 1 || type >= static_cast<std::int32_t>(nodes_of_type.size()))
      fail(fmt::format("element type {} is not supported: expected 4 (tetrahedra) and 2 (triangles)", type));
    return nodes_of_type[static_cast<std::size_t>(type)];
  }

  template <class Value>
  Value binary_value() {
    Value result;
    require(1, sizeof(Value));
    std::memcpy(&result, cursor_.text().data() + cursor_.position(), sizeof(Value));
    cursor_.move_to(cursor_.position() + sizeof(Value));
    return result;
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
    require(rows, columns);
    skip<Value>(rows * columns, what);
  }

  /// Fails when fewer than `count` times `bytes` bytes are left; also keeps damaged counts from overflowing.
  void require(std::size_t count, std::size_t bytes) {
    if (count > (cursor_.text().size() - cursor_.position()) / bytes)
      fail(fmt::format("expected {} more values of {} bytes, got the end of the file (truncated?)", count, bytes));
  }

  static std::string printable(std::string_view text) {
    std::string result(text.substr(0, 40));
    for (char& c : result)
      if (c < ' ' || c > '~') c = '?';
    return result;
  }

  [[noreturn]] void fail(const std::string& message) {
    if (binary_) throw InputError(fmt::format("{}: byte {}: {}", file_, cursor_.position(), message));
    cursor_.fail(message);
  }

  std::string file_;
  TextCursor cursor_;
  MshOutline outline_;
  bool binary_ = false;
  std::size_t lowest_node_ = std::numeric_limits<std::size_t>::max(), highest_node_ = 0;
};

}  // namespace

MshOutline outline_msh(const std::filesystem::path& file) {
  const MappedFile content(file);
  return MshWalk(file.string(), content.text()).outline();
}

}  // namespace cardiowarp
