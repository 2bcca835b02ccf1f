#include "meshes/netgen_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "fem/mesh.hpp"
#include "meshes/file_cells.hpp"
#include "meshes/mapped_file.hpp"
#include "meshes/text_rows.hpp"

namespace cardiowarp {
namespace {

/// The points stand behind the cells in a file, so they are read first.
class NetgenReader {
 public:
  explicit NetgenReader(const NamedText& file) : file_(file.name), cursor_(begin_rows(file, "endmesh")) {}

  Mesh read() {
    if (const std::string_view first = cursor_.word(); first != "mesh3d")
      cursor_.fail_at_word(first, "mesh3d, with which Netgen begins");
    const std::size_t begin = cursor_.position();
    read_points();
    cursor_.move_to(begin);
    while (!cursor_.at_end()) {
      const std::string_view name = cursor_.word();
      if (name == "endmesh") break;
      section(name);
    }
    Mesh mesh = cells_.take_mesh(std::move(points_), file_);
    mesh.volume_names = materials_.of_cells(mesh.element_tags);
    mesh.surface_names = conditions_.of_cells(mesh.triangle_tags);
    return mesh;
  }

 private:
  /// Finds the section by its name, which stands on a line of its own.
  void read_points() {
    const std::string_view text = cursor_.text();
    for (std::size_t at = text.find("\npoints"); at != std::string_view::npos; at = text.find("\npoints", at + 1)) {
      cursor_.move_to(at + 1);
      if (cursor_.word() != "points") continue;
      points_.resize(read_count(cursor_, "the number of points"));
      for (Vector3& p : points_) p = read_point(cursor_);
      return;
    }
    cursor_.move_to(text.size());
    cursor_.fail("the file has no section points (truncated?)");
  }

  void section(std::string_view name) {
    if (name == "dimension") {
      const auto dimension = cursor_.number<int>("the dimension 3");
      if (dimension != 3) cursor_.fail(fmt::format("expected the dimension 3, got {}", dimension));
    } else if (name.starts_with("surfaceelements")) {
      read_surfaces();
    } else if (name == "volumeelements") {
      read_solids();
    } else if (name == "materials") {
      read_names(&materials_);
    } else if (name == "bcnames") {
      read_names(&conditions_);
    } else if (name.starts_with("cd") && name.ends_with("names")) {
      read_names(nullptr);
    } else {
      if (std::isalpha(static_cast<unsigned char>(name[0])) == 0)
        cursor_.fail_at_word(name, "the name of the next section");
      while (!cursor_.at_end() && std::isalpha(static_cast<unsigned char>(cursor_.peek()[0])) == 0) cursor_.word();
    }
  }

  /// A row has the numbers of its surface, boundary condition and two domains before the number of its nodes.
  void read_surfaces() {
    for (std::size_t left = read_count(cursor_, "the number of surface elements"); left > 0; --left) {
      cursor_.number<int>("the number of a surface");
      const auto condition = cursor_.number<int>("the number of a boundary condition");
      for (int side = 0; side < 2; ++side) cursor_.number<int>("the number of a domain");
      read_cell(2, condition);
      cursor_.rest_of_line();  // coordinates on the surface
    }
  }

  void read_solids() {
    for (std::size_t left = read_count(cursor_, "the number of volume elements"); left > 0; --left)
      read_cell(3, cursor_.number<int>("the number of a material"));
  }

  void read_cell(int dimension, int tag) {
    const auto count = cursor_.number<std::size_t>("a number of nodes");
    const bool is_linear = FileCells::has_kind(dimension, count) && count != 10 && !(dimension == 2 && count == 6);
    if (!is_linear)
      cursor_.fail(fmt::format("a cell has {} nodes: expected {}, as linear cells have", count,
                               dimension == 3 ? "4, 5, 6 or 8" : "3 or 4"));
    std::array<Index, 8> nodes{};
    const std::span<Index> corners(nodes.data(), count);
    for (Index& corner : corners) corner = read_node(cursor_, 1, points_.size());
    cells_.add(dimension, corners, tag);
  }

  /// Rows of a number and a name, which goes up to the end of the line.
  void read_names(FileNames* names) {
    for (std::size_t left = read_count(cursor_, "the number of names"); left > 0; --left) {
      const auto number = cursor_.number<int>("the number of a name");
      const std::string_view line = cursor_.rest_of_line();
      const std::size_t begin = std::min(line.find_first_not_of(" \t\r"), line.size());
      const std::size_t end = line.find_last_not_of(" \t\r");
      if (names != nullptr && begin < line.size()) names->add(number, std::string(line.substr(begin, end + 1 - begin)));
    }
  }

  std::string file_;
  TextCursor cursor_;
  std::vector<Vector3> points_;
  FileCells cells_;
  FileNames materials_, conditions_;
};

}  // namespace

Mesh read_netgen_text(const NamedText& file) { return NetgenReader(file).read(); }

Mesh read_netgen_file(const std::filesystem::path& file) {
  const MappedFile content(file);
  return read_netgen_text({file.string(), content.text()});
}

}  // namespace cardiowarp
