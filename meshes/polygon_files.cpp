#include "meshes/polygon_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fem/mesh.hpp"
#include "meshes/mapped_file.hpp"
#include "meshes/msh_cursor.hpp"
#include "meshes/suffix.hpp"
#include "meshes/text_rows.hpp"

namespace cardiowarp {
namespace {

/// A type of numbers in a PLY file; each has two names.
struct PlyType {
  std::string_view name, other_name;
  std::size_t bytes;
  bool is_real, is_signed;
};
constexpr std::array<PlyType, 8> ply_types{{{"char", "int8", 1, false, true},
                                            {"uchar", "uint8", 1, false, false},
                                            {"short", "int16", 2, false, true},
                                            {"ushort", "uint16", 2, false, false},
                                            {"int", "int32", 4, false, true},
                                            {"uint", "uint32", 4, false, false},
                                            {"float", "float32", 4, true, true},
                                            {"double", "float64", 8, true, true}}};

struct PlyProperty {
  std::string_view name;
  const PlyType* type = nullptr;
  const PlyType* of_count = nullptr;  ///< of a list; null of a single number
};

struct PlyElement {
  std::string_view name;
  std::size_t count = 0;
  std::vector<PlyProperty> properties;
};

class PlyReader {
 public:
  explicit PlyReader(const NamedText& file) : in_(file.name, file.text) {}

  Mesh read() {
    header();
    Mesh mesh;
    bool has_vertices = false, has_faces = false;
    for (const PlyElement& element : elements_) {
      has_vertices = has_vertices || element.name == "vertex";
      has_faces = has_faces || element.name == "face";
      if (element.name == "face" && !has_vertices) in_.fail("expected the element vertex before the element face");
      for (std::size_t row = 0; row < element.count; ++row) read_row(element, mesh);
    }
    if (!has_vertices || !has_faces)
      in_.fail(fmt::format("the file has no element {}", has_vertices ? "face" : "vertex"));
    return mesh;
  }

 private:
  void header() {
    if (in_.word() != "ply") in_.fail("is not a PLY file: expected ply");
    if (const auto word = in_.word(); word != "format") in_.fail_at_word(word, "format");
    const std::string_view format = in_.word();
    if (format != "ascii" && format != "binary_little_endian" && format != "binary_big_endian")
      in_.fail_at_word(format, "ascii, binary_little_endian or binary_big_endian");
    in_.rest_of_line();
    for (std::string_view word = in_.word(); word != "end_header"; word = in_.word()) {
      if (word == "comment" || word == "obj_info")
        in_.rest_of_line();
      else if (word == "element")
        read_element();
      else if (word == "property")
        read_property();
      else
        in_.fail_at_word(word, "element, property, comment or end_header");
    }
    in_.rest_of_line();
    is_ascii_ = format == "ascii";
    if (!is_ascii_) in_.begin_binary();
    is_swapped_ = (format == "binary_big_endian") != (std::endian::native == std::endian::big);
  }

  void read_element() {
    PlyElement& element = elements_.emplace_back();
    element.name = in_.word();
    element.count = in_.number<std::size_t>("a number of elements");
    constexpr std::size_t most_elements = 100;
    if (element.count > in_.text().size() || elements_.size() > most_elements)
      in_.fail(
          fmt::format("{} elements {} are more than the file can hold", element.count, element.name.substr(0, 40)));
  }

  void read_property() {
    if (elements_.empty()) in_.fail("a property stands before the first element");
    PlyProperty property;
    std::string_view word = in_.word();
    if (word == "list") {
      property.of_count = type_of(in_.word());
      if (property.of_count->is_real) in_.fail("the number of values of a list is no whole number");
      word = in_.word();
    }
    property.type = type_of(word);
    property.name = in_.word();
    elements_.back().properties.push_back(property);
  }

  const PlyType* type_of(std::string_view name) {
    const auto* const found = std::ranges::find_if(
        ply_types, [&](const PlyType& type) { return type.name == name || type.other_name == name; });
    if (found == ply_types.end()) in_.fail_at_word(name, "a type of numbers such as float");
    return found;
  }

  void read_row(const PlyElement& element, Mesh& mesh) {
    const bool is_vertex = element.name == "vertex", is_face = element.name == "face";
    std::array<std::optional<Real>, 3> place;
    bool has_face = false;
    for (const PlyProperty& property : element.properties) {
      if (property.of_count != nullptr) {
        const bool is_corners = is_face && (property.name == "vertex_indices" || property.name == "vertex_index");
        is_corners ? read_triangle(property, mesh) : pass_over(property);
        has_face = has_face || is_corners;
        continue;
      }
      const Real value = number(*property.type);
      if (is_vertex && property.name.size() == 1 && property.name[0] >= 'x' && property.name[0] <= 'z')
        place[static_cast<std::size_t>(property.name[0] - 'x')] = value;
    }
    if (is_face && !has_face) in_.fail("the element face has no property vertex_indices");
    if (!is_vertex) return;
    for (const std::optional<Real>& coordinate : place)
      if (!coordinate || !std::isfinite(*coordinate)) in_.fail("expected finite x, y and z of a vertex");
    mesh.nodes.push_back({*place[0], *place[1], *place[2]});
  }

  void read_triangle(const PlyProperty& property, Mesh& mesh) {
    if (const Real corners = number(*property.of_count); corners != 3)
      in_.fail(fmt::format("a face has {} corners: expected triangles only", corners));
    Triangle triangle{};
    for (Index& corner : triangle) {
      const Real value = number(*property.type);
      if (!(value >= 0 && value < static_cast<Real>(mesh.nodes.size()) && value == std::floor(value)))
        in_.fail(fmt::format("a face has vertex {}: expected 0 to {}", value,
                             static_cast<std::int64_t>(mesh.nodes.size()) - 1));
      corner = static_cast<Index>(value);
    }
    mesh.triangles.push_back(triangle);
  }

  void pass_over(const PlyProperty& property) {
    for (Real left = number(*property.of_count); left > 0; --left) number(*property.type);
  }

  Real number(const PlyType& type) {
    if (is_ascii_) return in_.number<Real>("a number");
    in_.require(1, type.bytes);
    std::array<unsigned char, 8> bytes{};
    in_.copy_binary(bytes.data(), type.bytes);
    if (is_swapped_) std::reverse(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(type.bytes));
    const auto as = [&](auto value) {
      std::memcpy(&value, bytes.data(), sizeof value);
      return static_cast<Real>(value);
    };
    if (type.is_real) return type.bytes == 4 ? as(float{}) : as(double{});
    if (type.bytes == 1) return type.is_signed ? as(std::int8_t{}) : as(std::uint8_t{});
    if (type.bytes == 2) return type.is_signed ? as(std::int16_t{}) : as(std::uint16_t{});
    return type.is_signed ? as(std::int32_t{}) : as(std::uint32_t{});
  }

  MshCursor in_;
  std::vector<PlyElement> elements_;
  bool is_ascii_ = true, is_swapped_ = false;
};

/// The number of the vertex in a word such as `7`, `7/2`, `7//3` or `-1`.
Index obj_vertex(TextCursor& cursor, std::string_view word, std::size_t vertices) {
  const std::string_view digits = word.substr(0, word.find('/'));
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const auto last = static_cast<std::int64_t>(vertices);
  if (error != std::errc{} || end != digits.data() + digits.size()) cursor.fail_at_word(word, "the number of a vertex");
  if (number < 0) number += last + 1;
  if (number < 1 || number > last)
    cursor.fail(fmt::format("a face has vertex {}: expected 1 to {}, which stand before it", digits, last));
  return static_cast<Index>(number - 1);
}

}  // namespace

Mesh read_ply_text(const NamedText& file) { return PlyReader(file).read(); }

Mesh read_obj_text(const NamedText& file) {
  TextCursor cursor = begin_rows(file);
  Mesh mesh;
  while (!cursor.at_end()) {
    const std::string_view kind = cursor.word();
    if (kind == "v") mesh.nodes.push_back(read_point(cursor));
    if (kind == "f") {
      std::size_t corners = 0;
      Triangle triangle{};
      std::string_view line = cursor.text().substr(cursor.position());
      line = line.substr(0, line.find_first_of("\n#"));
      TextCursor words("", line);
      for (; !words.at_end(); ++corners) {
        const Index corner = obj_vertex(cursor, words.word(), mesh.nodes.size());
        if (corners < 3) triangle[corners] = corner;
      }
      if (corners != 3) cursor.fail(fmt::format("a face has {} corners: expected triangles only", corners));
      mesh.triangles.push_back(triangle);
    }
    cursor.rest_of_line();
  }
  return mesh;
}

Mesh read_polygon_file(const std::filesystem::path& file, const std::string& name) {
  const MappedFile content(file);
  const NamedText text{name, content.text()};
  return suffix_of(file) == ".ply" ? read_ply_text(text) : read_obj_text(text);
}

}  // namespace cardiowarp
