#include "meshes/medit_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <utility>

#include "fem/mesh.hpp"
#include "meshes/file_cells.hpp"
#include "meshes/mapped_file.hpp"
#include "meshes/text_rows.hpp"

namespace cardiowarp {
namespace {

/// A section of cells: their dimension, and how many nodes each has.
struct CellSection {
  std::string_view name;
  int dimension;
  std::size_t nodes;
};
constexpr std::array<CellSection, 7> cell_sections{{{"Edges", 1, 2},
                                                    {"Triangles", 2, 3},
                                                    {"Quadrilaterals", 2, 4},
                                                    {"Tetrahedra", 3, 4},
                                                    {"Pyramids", 3, 5},
                                                    {"Prisms", 3, 6},
                                                    {"Hexahedra", 3, 8}}};

class MeditReader {
 public:
  explicit MeditReader(const NamedText& file) : file_(file.name), cursor_(begin_rows(file, "End")) {}

  Mesh read() {
    header();
    while (!cursor_.at_end()) {
      const std::string_view name = cursor_.word();
      if (name == "End") break;
      section(name);
    }
    if (!has_vertices_) cursor_.fail("the file has no section Vertices (truncated?)");
    Mesh mesh = cells_.take_mesh(std::move(points_), file_);
    if (!passed_over_.empty()) mesh.remarks.push_back(fmt::format("passed over {}", fmt::join(passed_over_, ", ")));
    return mesh;
  }

 private:
  void header() {
    const std::string_view first = cursor_.word();
    if (first == "MeshVersionUnformatted") cursor_.fail("is a binary mesh of MEDIT: expected one in ASCII");
    if (first != "MeshVersionFormatted") cursor_.fail_at_word(first, "MeshVersionFormatted, with which MEDIT begins");
    const auto version = cursor_.number<int>("the version of the format, 1 to 4");
    if (version < 0 || version > 4) cursor_.fail(fmt::format("version {}: expected 1 to 4", version));
  }

  void section(std::string_view name) {
    const auto* const cells = std::ranges::find(cell_sections, name, &CellSection::name);
    if (cells != cell_sections.end()) return read_cells(*cells);
    if (name == "Vertices") return read_vertices();
    if (name == "Dimension") {
      const auto dimension = cursor_.number<int>("the dimension 3");
      if (dimension != 3) cursor_.fail(fmt::format("expected the dimension 3, got {}", dimension));
      return;
    }
    if (!is_keyword(name)) cursor_.fail_at_word(name, "the name of the next section");
    if (name.starts_with("TrianglesP") || name.starts_with("TetrahedraP"))
      cursor_.fail(fmt::format("section {}: expected linear cells", name));
    constexpr std::size_t most_named = 8;
    if (passed_over_.size() < most_named) passed_over_.emplace(name.substr(0, 40));
    while (!cursor_.at_end() && !is_keyword(cursor_.peek())) cursor_.word();
  }

  static bool is_keyword(std::string_view word) {
    return !word.empty() && std::ranges::all_of(word, [](unsigned char c) { return std::isalnum(c) != 0; }) &&
           std::isupper(static_cast<unsigned char>(word[0])) != 0;
  }

  void read_vertices() {
    if (has_vertices_) cursor_.fail("the section Vertices is given twice");
    has_vertices_ = true;
    points_.resize(read_count(cursor_, "the number of vertices"));
    for (Vector3& p : points_) {
      p = read_point(cursor_);
      cursor_.number<int>("a reference");
    }
  }

  void read_cells(const CellSection& section) {
    if (!has_vertices_) cursor_.fail(fmt::format("expected the section Vertices before {}", section.name));
    std::array<Index, 8> nodes{};
    const std::span<Index> corners(nodes.data(), section.nodes);
    for (std::size_t left = read_count(cursor_, "the number of cells"); left > 0; --left) {
      for (Index& corner : corners) corner = read_node(cursor_, 1, points_.size());
      const auto tag = cursor_.number<int>("a reference");
      if (section.dimension > 1) cells_.add(section.dimension, corners, tag);
    }
  }

  std::string file_;
  TextCursor cursor_;
  bool has_vertices_ = false;
  std::vector<Vector3> points_;
  FileCells cells_;
  std::set<std::string> passed_over_;
};

}  // namespace

Mesh read_medit_text(const NamedText& file) { return MeditReader(file).read(); }

Mesh read_medit_file(const std::filesystem::path& file) {
  const MappedFile content(file);
  return read_medit_text({file.string(), content.text()});
}

}  // namespace cardiowarp
