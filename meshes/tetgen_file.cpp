#include "meshes/tetgen_file.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <optional>
#include <system_error>
#include <utility>

#include "fem/mesh.hpp"
#include "meshes/file_cells.hpp"
#include "meshes/mapped_file.hpp"
#include "meshes/text_rows.hpp"

namespace cardiowarp {
namespace {

struct Nodes {
  std::vector<Vector3> points;
  Index first = 0;  ///< the number of the first
};

/// A row begins with its number, and the numbers go on from the first.
void expect_row(TextCursor& cursor, std::int64_t expected, std::string_view what) {
  const auto number = cursor.number<std::int64_t>(what);
  if (number != expected) cursor.fail(fmt::format("expected row {}, got {}", expected, number));
}

std::size_t read_few(TextCursor& cursor, std::string_view what, std::size_t most) {
  const auto number = cursor.number<std::size_t>(what);
  if (number > most) cursor.fail(fmt::format("{}: expected 0 to {}, got {}", what, most, number));
  return number;
}

constexpr std::size_t most_attributes = 1000;

Nodes read_nodes(const NamedText& file) {
  TextCursor cursor = begin_rows(file);
  const std::size_t count = read_count(cursor, "the number of nodes");
  if (const auto dimension = cursor.number<int>("the dimension 3"); dimension != 3)
    cursor.fail(fmt::format("expected the dimension 3, got {}", dimension));
  const std::size_t others = read_few(cursor, "the number of attributes", most_attributes) +
                             read_few(cursor, "the number of boundary markers", 1);
  Nodes nodes;
  nodes.points.resize(count);
  for (std::size_t row = 0; row < count; ++row) {
    if (row == 0) {
      nodes.first = cursor.number<Index>("the number of the first node, 0 or 1");
      if (nodes.first != 0 && nodes.first != 1)
        cursor.fail(fmt::format("expected the number of the first node, 0 or 1, got {}", nodes.first));
    } else {
      expect_row(cursor, nodes.first + static_cast<std::int64_t>(row), "the number of a node");
    }
    nodes.points[row] = read_point(cursor);
    for (std::size_t k = 0; k < others; ++k) cursor.number<double>("an attribute");
  }
  expect_end(cursor, count, "nodes");
  return nodes;
}

/// The attribute of a region, which TetGen writes as a real.
int read_tag(TextCursor& cursor) {
  const std::string_view word = cursor.peek();
  const auto value = cursor.number<double>("the attribute of a region");
  if (!(std::trunc(value) == value && std::abs(value) <= std::numeric_limits<int>::max()))
    cursor.fail_at_word(word, "a whole number as the attribute of a region");
  return static_cast<int>(value);
}

void read_tetrahedra(const NamedText& file, const Nodes& nodes, FileCells& cells) {
  TextCursor cursor = begin_rows(file);
  const std::size_t count = read_count(cursor, "the number of tetrahedra");
  const auto corners = cursor.number<int>("the number of nodes of a tetrahedron, 4");
  if (corners != 4)
    cursor.fail(fmt::format("expected 4 nodes of a tetrahedron, got {}{}", corners,
                            corners == 10 ? " (made by tetgen -o2, whose nodes on edges are not read)" : ""));
  const std::size_t attributes = read_few(cursor, "the number of attributes", most_attributes);
  for (std::size_t row = 0; row < count; ++row) {
    expect_row(cursor, nodes.first + static_cast<std::int64_t>(row), "the number of a tetrahedron");
    const auto tetrahedron = read_corners<4>(cursor, nodes.first, nodes.points.size());
    const int tag = attributes > 0 ? read_tag(cursor) : 0;
    for (std::size_t k = 1; k < attributes; ++k) cursor.number<double>("an attribute");
    cells.add(3, tetrahedron, tag);
  }
  expect_end(cursor, count, "tetrahedra");
}

/// Behind the marker of a face some options of TetGen write the numbers of its neighbors.
void read_faces(const NamedText& file, const Nodes& nodes, FileCells& cells) {
  TextCursor cursor = begin_rows(file);
  const std::size_t count = read_count(cursor, "the number of faces");
  const std::size_t markers = read_few(cursor, "the number of boundary markers", 1);
  for (std::size_t row = 0; row < count; ++row) {
    expect_row(cursor, nodes.first + static_cast<std::int64_t>(row), "the number of a face");
    const auto face = read_corners<3>(cursor, nodes.first, nodes.points.size());
    const int tag = markers > 0 ? cursor.number<int>("a boundary marker") : 0;
    cursor.rest_of_line();
    if (tag != 0) cells.add(2, face, tag);
  }
  expect_end(cursor, count, "faces");
}

}  // namespace

Mesh read_tetgen_texts(const NamedText& nodes, const NamedText& elements, const NamedText* faces) {
  Nodes of_file = read_nodes(nodes);
  FileCells cells;
  read_tetrahedra(elements, of_file, cells);
  if (faces != nullptr) read_faces(*faces, of_file, cells);
  return cells.take_mesh(std::move(of_file.points), elements.name);
}

Mesh read_tetgen_files(const std::filesystem::path& file) {
  const auto beside = [&](const char* suffix) { return std::filesystem::path(file).replace_extension(suffix); };
  const MappedFile of_nodes(beside(".node")), of_elements(beside(".ele"));
  const NamedText nodes{beside(".node").string(), of_nodes.text()},
      elements{beside(".ele").string(), of_elements.text()};
  std::error_code ignored;
  if (std::filesystem::status(beside(".face"), ignored).type() == std::filesystem::file_type::not_found)
    return read_tetgen_texts(nodes, elements, nullptr);
  const MappedFile of_faces(beside(".face"));
  const NamedText faces{beside(".face").string(), of_faces.text()};
  return read_tetgen_texts(nodes, elements, &faces);
}

}  // namespace cardiowarp
