#include "meshes/opencarp_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "fem/input_error.hpp"
#include "fem/mesh.hpp"
#include "fem/mesh_check.hpp"
#include "meshes/cut_cells.hpp"
#include "meshes/mapped_file.hpp"
#include "meshes/text_cursor.hpp"
#include "meshes/text_rows.hpp"

namespace cardiowarp {
namespace {

std::vector<Vector3> read_points(const NamedText& file) {
  TextCursor cursor = begin_rows(file);
  std::vector<Vector3> points(read_count(cursor, "the number of nodes"));
  for (Vector3& p : points) p = read_point(cursor);
  expect_end(cursor, points.size(), "nodes");
  return points;
}

/// openCARP allows rows without a tag; the next row then begins with its type.
int read_tag(TextCursor& cursor) {
  const std::string_view next = cursor.peek();
  const bool absent = next.empty() || (next[0] >= 'A' && next[0] <= 'Z');
  return absent ? 0 : cursor.number<int>("a region tag");
}

/// The corners of a hexahedron or prism in the order of CellCutter. openCARP goes round the second face in the other
/// sense, from the corner above the first; other programs that write `.elem` do not, and a cell in the wrong one of the
/// two orders is folded.
template <std::size_t Corners>
std::array<Index, Corners> corners_in_order(const std::array<Index, Corners>& in_file, CellCutter& cutter) {
  std::array<Index, Corners> other = in_file;
  std::reverse(other.begin() + Corners / 2 + 1, other.end());
  return cutter.is_folded(other) && !cutter.is_folded(in_file) ? in_file : other;
}

/// Adds the cell of a row but for its tag; false where its type is none of openCARP's.
bool read_cell(TextCursor& cursor, std::string_view type, CellCutter& cutter, Mesh& mesh) {
  const std::size_t nodes = mesh.nodes.size();
  if (type == "Tt")
    mesh.tetrahedra.push_back(read_corners<4>(cursor, 0, nodes));
  else if (type == "Tr")
    mesh.triangles.push_back(read_corners<3>(cursor, 0, nodes));
  else if (type == "Hx")
    cutter.cut(corners_in_order(read_corners<8>(cursor, 0, nodes), cutter), mesh.tetrahedra);
  else if (type == "Pr")
    cutter.cut(corners_in_order(read_corners<6>(cursor, 0, nodes), cutter), mesh.tetrahedra);
  else if (type == "Py")
    cutter.cut(read_corners<5>(cursor, 0, nodes), mesh.tetrahedra);
  else if (type == "Qd")
    cutter.cut(read_corners<4>(cursor, 0, nodes), mesh.triangles);
  else if (type == "Ln" || type == "Cx")
    read_corners<2>(cursor, 0, nodes);
  else
    return false;
  return true;
}

/// How many tetrahedra the cell of each row became.
std::vector<std::uint8_t> read_elements(const NamedText& file, Mesh& mesh) {
  TextCursor cursor = begin_rows(file);
  std::vector<std::uint8_t> pieces(read_count(cursor, "the number of elements"));
  CellCutter cutter(mesh.nodes);
  for (std::uint8_t& of_row : pieces) {
    const std::string_view type = cursor.word();
    if (!read_cell(cursor, type, cutter, mesh))
      cursor.fail_at_word(type, "an element type (Tt, Hx, Pr or Py, or Tr or Qd on surfaces)");
    of_row = static_cast<std::uint8_t>(mesh.tetrahedra.size() - mesh.element_tags.size());
    const int tag = read_tag(cursor);
    mesh.element_tags.resize(mesh.tetrahedra.size(), tag);
    mesh.triangle_tags.resize(mesh.triangles.size(), tag);
  }
  expect_end(cursor, pieces.size(), "elements");
  mesh.remarks = cutter.remarks();
  return pieces;
}

/// How many words the line has on which the cursor stands, without a comment.
std::size_t words_in_line(const TextCursor& cursor) {
  std::string_view rest = cursor.text().substr(cursor.position());
  rest = rest.substr(0, rest.find_first_of("\n#"));
  TextCursor line("", rest);
  std::size_t words = 0;
  for (; !line.at_end(); ++words) line.word();
  return words;
}

/// The number of vectors in each row, which stands alone in the first line. Fails in words for a file that begins with
/// its rows, or with their number.
int read_vectors(TextCursor& cursor, std::size_t elements) {
  cursor.at_end();
  if (const std::size_t words = words_in_line(cursor); words > 1) {
    cursor.word();  // in the line that is named
    cursor.fail(fmt::format(
        "expected the number of vectors a row, 1 or 2, in a line of its own before the rows, got {} words", words));
  }
  const auto vectors = cursor.number<std::int64_t>("the number of vectors a row, 1 or 2");
  if (vectors == 1 || vectors == 2) return static_cast<int>(vectors);
  const bool is_number_of_rows = vectors == static_cast<std::int64_t>(elements);
  cursor.fail(fmt::format("expected 1 or 2 vectors a row, got {}{}", vectors,
                          is_number_of_rows ? " (the number of elements, which has no place here)" : ""));
}

/// A row is a line: without that, rows of 3 and of 6 numbers would be taken for each other.
/// Every piece of a cell that was cut has the fiber of the cell.
std::vector<Vector3> read_fibers(const NamedText& file, const std::vector<std::uint8_t>& pieces) {
  TextCursor cursor = begin_rows(file);
  const int vectors = read_vectors(cursor, pieces.size());
  std::vector<Vector3> fibers;
  std::size_t row = 0;
  for (; !cursor.at_end(); ++row) {
    const auto expected = static_cast<std::size_t>(3 * vectors);
    if (const std::size_t words = words_in_line(cursor); words != expected) {
      cursor.word();  // in the line that is named
      cursor.fail(fmt::format("expected {} numbers in a row of {}, as the first line says, got {}", expected,
                              vectors == 1 ? "1 vector" : "2 vectors", words));
    }
    Vector3 f;
    f.x = cursor.number<Real>("a fiber component");
    f.y = cursor.number<Real>("a fiber component");
    f.z = cursor.number<Real>("a fiber component");
    for (int sheet = 0; sheet < 3 * (vectors - 1); ++sheet) cursor.number<Real>("a sheet component");
    if (row < pieces.size()) fibers.insert(fibers.end(), pieces[row], f);
  }
  if (row != pieces.size())
    throw InputError(fmt::format("{}: has {} rows of fibers, the mesh has {} elements", file.name, row, pieces.size()));
  return fibers;
}

/// Text file written in large pieces.
class TextWriter {
 public:
  explicit TextWriter(const std::filesystem::path& file)
      : name_(file.string()), stream_(std::fopen(file.c_str(), "wb"), &std::fclose) {
    if (!stream_) fail();
  }

  template <class... Values>
  void line(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(buffer_), format, std::forward<Values>(values)...);
    buffer_.push_back('\n');
    if (buffer_.size() > (std::size_t{1} << 20)) flush();
  }

  /// Must be called last: a full disk may show only here.
  void close() {
    flush();
    if (std::fclose(stream_.release()) != 0) fail();
  }

 private:
  void flush() {
    if (std::fwrite(buffer_.data(), 1, buffer_.size(), stream_.get()) != buffer_.size()) fail();
    buffer_.clear();
  }

  [[noreturn]] void fail() const {
    throw InputError(fmt::format("{}: cannot be written: {}", name_, std::strerror(errno)));
  }

  std::string name_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream_;
  fmt::memory_buffer buffer_;
};

std::filesystem::path beside(std::filesystem::path points, const char* suffix) {
  return points.replace_extension(suffix);
}

/// Whether something has this name, readable or not: whatever is there but cannot be read is refused by name.
bool is_there(const std::filesystem::path& file) {
  std::error_code ignored;
  return std::filesystem::status(file, ignored).type() != std::filesystem::file_type::not_found;
}

/// The file beside `.pts`; the one with its suffix in capitals where only that is there.
std::filesystem::path companion(const std::filesystem::path& points, const char* suffix, const char* in_capitals) {
  const auto usual = beside(points, suffix), capitals = beside(points, in_capitals);
  return !is_there(usual) && is_there(capitals) ? capitals : usual;
}

}  // namespace

std::filesystem::path mesh_file_named(const std::filesystem::path& given) {
  std::error_code ignored;
  std::string base = given.string();
  if (base.empty() || base.ends_with('/') || std::filesystem::is_regular_file(given, ignored)) return given;
  if (base.ends_with('.')) base.pop_back();
  for (const char* suffix : {".pts", ".PTS"})
    if (std::filesystem::is_regular_file(base + suffix, ignored)) return base + suffix;
  return given;
}

Mesh read_opencarp_files(const std::filesystem::path& points) {
  const auto elem = companion(points, ".elem", ".ELEM"), lon = companion(points, ".lon", ".LON");
  const MappedFile of_points(points), of_elements(elem);
  const NamedText nodes{points.string(), of_points.text()}, elements{elem.string(), of_elements.text()};
  std::optional<MappedFile> of_fibers;
  NamedText fibers;
  if (is_there(lon)) {
    of_fibers.emplace(lon);
    fibers = {lon.string(), of_fibers->text()};
  }
  Mesh mesh = read_opencarp_texts(nodes, elements, of_fibers ? &fibers : nullptr);
  // A mesh that is being replaced has lost its .pts before another of its files is a new one (PendingFiles): where the
  // same .pts is there after all were read, they belong together.
  if (!of_points.is_still(points))
    throw InputError(fmt::format("{}: another program replaced it while it was read", points.string()));
  return mesh;
}

Mesh read_opencarp_texts(const NamedText& points, const NamedText& elements, const NamedText* fibers) {
  Mesh mesh;
  mesh.nodes = read_points(points);
  const std::vector<std::uint8_t> pieces = read_elements(elements, mesh);
  if (fibers != nullptr) mesh.fibers = read_fibers(*fibers, pieces);
  return mesh;
}

void write_opencarp_files(const Mesh& mesh, const std::filesystem::path& points) {
  constexpr Real micrometres = 1000;
  TextWriter pts(points);
  pts.line("{}", mesh.nodes.size());
  for (const Vector3& p : mesh.nodes) pts.line("{} {} {}", micrometres * p.x, micrometres * p.y, micrometres * p.z);
  pts.close();

  TextWriter elem(beside(points, ".elem"));
  elem.line("{}", mesh.tetrahedra.size() + mesh.triangles.size());
  for (std::size_t i = 0; i < mesh.tetrahedra.size(); ++i)
    elem.line("Tt {} {}", fmt::join(mesh.tetrahedra[i], " "), mesh.element_tags[i]);
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i)
    elem.line("Tr {} {}", fmt::join(mesh.triangles[i], " "), mesh.triangle_tags[i]);
  elem.close();

  if (mesh.fibers.empty()) return;
  TextWriter lon(beside(points, ".lon"));
  lon.line("1");
  for (const Vector3& given : mesh.fibers) {
    const Vector3 f = is_direction(given) ? given : Vector3{};  // NaN never reaches a file
    lon.line("{} {} {}", f.x, f.y, f.z);
  }
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) lon.line("0 0 0");
  lon.close();
}

}  // namespace cardiowarp
