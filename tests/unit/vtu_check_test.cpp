// What a .vtu file says of itself where it has several pieces, and where its data lie at its end.

#include "meshes/vtu_check.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "fem/mesh.hpp"
#include "meshes/mesh_file.hpp"
#include "tests/support/input_error_of.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/text_file.hpp"

namespace cardiowarp {
namespace {

/// A tetrahedron at x, with so many points, of which it has the first four.
std::string piece(int x, int points) {
  std::string coordinates;
  for (int k = 0; k < points; ++k)
    coordinates += fmt::format(" {} {} {}", x + (k == 1), k == 2 ? 1 : 0, k == 3 ? 1 : k / 4);
  return fmt::format(
      "<Piece NumberOfPoints=\"{}\" NumberOfCells=\"1\"><Points>\n"
      "<DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">{}</DataArray></Points><Cells>\n"
      "<DataArray type=\"Int64\" Name=\"connectivity\" format=\"ascii\">0 1 2 3</DataArray>\n"
      "<DataArray type=\"Int64\" Name=\"offsets\" format=\"ascii\">4</DataArray>\n"
      "<DataArray type=\"UInt8\" Name=\"types\" format=\"ascii\">10</DataArray></Cells></Piece>\n",
      points, coordinates);
}

const std::string head = "<VTKFile type=\"UnstructuredGrid\" version=\"0.1\" byte_order=\"LittleEndian\">\n";

TEST(VtuCheck, CountsThePointsOfAllPiecesWhichAreReadAsOneMesh) {
  const std::string text = head + "<UnstructuredGrid>" + piece(0, 7) + piece(5, 4) + "</UnstructuredGrid></VTKFile>\n";
  EXPECT_EQ(check_vtu(text), 11u);
  const test::TemporaryDirectory directory;
  test::write_text(directory / "a.vtu", text);
  const Mesh mesh = read_mesh(directory / "a.vtu");
  EXPECT_EQ(mesh.nodes.size(), 11u);
  EXPECT_EQ(mesh.tetrahedra, (std::vector<Tetrahedron>{{0, 1, 2, 3}, {7, 8, 9, 10}}));
}

TEST(VtuCheck, NamesAnArrayThatBeginsBehindTheDataAtTheEnd) {
  const auto with_offset = [](std::size_t offset) {
    return fmt::format(
        "{}<UnstructuredGrid><Piece NumberOfPoints=\"0\" NumberOfCells=\"0\"><Points>\n"
        "<DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"appended\" offset=\"{}\"/></Points></Piece>\n"
        "</UnstructuredGrid><AppendedData encoding=\"raw\">_{}</AppendedData></VTKFile>\n",
        head, offset, std::string(4, '\0'));
  };
  for (const std::size_t offset : {0, 1, 4}) EXPECT_EQ(check_vtu(with_offset(offset)), 0u) << offset;
  for (const std::size_t offset : {5, 6, 9000})
    EXPECT_EQ(test::input_error_of([&] { check_vtu(with_offset(offset)); }),
              fmt::format("Points: array '' begins at byte {} of the appended data, which have 4", offset));
}

}  // namespace
}  // namespace cardiowarp
