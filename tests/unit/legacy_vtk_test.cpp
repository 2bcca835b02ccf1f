// Legacy VTK files whose arrays are stored in ways that few programs choose: each is walked through to its end, and
// names what is wrong in it.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "meshes/legacy_vtk_check.hpp"
#include "tests/support/input_error_of.hpp"
#include "tests/support/mesh_text.hpp"
#include "tests/support/text_of.hpp"

namespace cardiowarp {
namespace {

/// Whole numbers as a binary file has them, the highest byte first.
std::string numbers(std::size_t bytes, const std::vector<std::int64_t>& values) {
  std::string text;
  for (const std::int64_t value : values)
    for (std::size_t k = bytes; k-- > 0;) text.push_back(static_cast<char>(static_cast<std::uint64_t>(value) >> 8 * k));
  return text + "\n";
}

/// Two tetrahedra and a line, of which the line comes first.
std::string binary_mesh(std::int64_t last_row = 4) {
  std::vector<std::int64_t> coordinates;
  for (const double at : {0., 0., 0., 1., 0., 0., 0., 1., 0., 0., 0., 1., 2., 2., 2.})
    coordinates.push_back(std::bit_cast<std::int64_t>(at));
  return "# vtk DataFile Version 3.0\nmesh\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 double\n" +
         numbers(8, coordinates) + "CELLS 3 13\n" + numbers(4, {2, 0, 1, 4, 0, 1, 2, 3, last_row, 1, 2, 3, 4}) +
         "CELL_TYPES 3\n" + numbers(4, {3, 10, 10});
}

const std::string text_mesh = test::vtk_head + test::vtk_points + test::vtk_cells;
const std::string region = "SCALARS region int\nLOOKUP_TABLE default\n";

void check(const std::string& text) { check_legacy_vtk("a.vtk", text); }
std::string error(const std::string& text) {
  return test::input_error_of([&] { check(text); });
}

TEST(LegacyVtk, HasEightBitsInAByteAndTheLastByteInPart) {
  const std::string cells = binary_mesh() + "CELL_DATA 3\n";
  const std::string bits = "SCALARS marks bit 1\nLOOKUP_TABLE default\n\xa0\n";  // of three cells
  EXPECT_NO_THROW(check(cells + bits + region + numbers(4, {7, 8, 9})));
  EXPECT_NO_THROW(check(cells + bits));
  EXPECT_NO_THROW(check(binary_mesh() + "POINT_DATA 5\nTENSORS t bit\n" + std::string(6, '\x55') + "\n"));  // 45 bits
  EXPECT_NE(error(binary_mesh() + "POINT_DATA 5\nTENSORS t bit\n" + std::string(5, '\x55'))
                .find("expected 5 x 9 numbers of type bit, got the end of the file (truncated?)"),
            std::string::npos);
}

TEST(LegacyVtk, WithTheLeastSignificantByteFirstIsGuessedAndSaid) {
  const auto backwards = [](std::size_t bytes, const std::vector<std::int64_t>& values) {
    std::string text = numbers(bytes, values);
    for (std::size_t k = 0; k < values.size(); ++k)
      std::reverse(text.begin() + static_cast<std::ptrdiff_t>(k * bytes),
                   text.begin() + static_cast<std::ptrdiff_t>((k + 1) * bytes));
    return text;
  };
  const std::string whole = binary_mesh();
  const std::string points = whole.substr(0, whole.find("CELLS"));
  const std::string guess =
      ": the file seems to have the least significant byte of a number first; legacy VTK files have the most "
      "significant one first)";
  const std::string rows =
      error(points + "CELLS 3 13\n" + backwards(4, {2, 0, 1, 4, 0, 1, 2, 3, 4, 1, 2, 3, 4}) + "CELL_TYPES 3\n");
  EXPECT_NE(rows.find("CELLS: row 0 has 33554432 nodes"), std::string::npos) << rows;
  EXPECT_NE(rows.find(" (read backwards it is 2" + guess), std::string::npos) << rows;
  const std::string types =
      error(whole.substr(0, whole.find("CELL_TYPES")) + "CELL_TYPES 3\n" + backwards(4, {3, 10, 10}));
  EXPECT_NE(types.find(" (read backwards it is 3" + guess), std::string::npos) << types;
  std::string version_5 = points;
  version_5.replace(version_5.find("3.0"), 3, "5.1");
  for (const std::vector<std::int64_t>& ends : {std::vector<std::int64_t>{0, 2, 6, 10}, {0, 2, 6, 200}}) {
    const std::string offsets =
        error(version_5 + fmt::format("CELLS 4 {}\nOFFSETS vtktypeint64\n", ends.back()) + backwards(8, ends));
    EXPECT_NE(offsets.find(fmt::format(" (read backwards it is {}", ends.back()) + guess), std::string::npos)
        << offsets;
  }
  EXPECT_EQ(error(binary_mesh(-4)).find("backwards"), std::string::npos);
}

TEST(LegacyVtk, HasNegativeNumbersOfFourBytesThatAreNamedAsTheyAre) {
  EXPECT_NE(error(binary_mesh(-4)).find("CELLS: row 2 has -4 nodes, but 4 of the 13 numbers of CELLS are left"),
            std::string::npos)
      << error(binary_mesh(-4));
}

TEST(LegacyVtk, HasStringsWithTheirLengthsInOneByteOrMore) {
  const std::string field = "FIELD f 1\nnames 1 3 string\n";
  const std::string one = "\xc2rv", two = "\x81\x2c" + std::string(300, 'a');
  const std::string eight = std::string(7, '\0') + "\x03" + "abc";
  const std::string region_of_cells = "CELL_DATA 3\n" + region + numbers(4, {7, 8, 9});
  EXPECT_NO_THROW(check(binary_mesh() + field + one + two + eight + "\n" + region_of_cells));
  EXPECT_NE(error(binary_mesh() + field + one + two).find("expected a string, got the end of the file"),
            std::string::npos);
  EXPECT_NE(error(binary_mesh() + field + one + "\x81\x2c" + std::string(299, 'a'))
                .find("expected a string of 300 characters, got the end of the file"),
            std::string::npos);
}

TEST(LegacyVtk, HasMetadataThatEndWithAnEmptyLineOfWhicheverProgram) {
  const std::string data = "CELL_DATA 3\n" + region + "1 2 3\n";
  for (const std::string empty : {"\n", "\r\n", "  \n"})
    EXPECT_NO_THROW(check(test::text_of({text_mesh, "METADATA\nINFORMATION 0\n", empty, data})));
  EXPECT_NE(error(text_mesh + "METADATA\nINFORMATION 0\n" + data).find("METADATA does not end with an empty line"),
            std::string::npos);
}

TEST(LegacyVtk, HasFieldsWithArraysThatAreNotThere) {
  EXPECT_NO_THROW(check(text_mesh + "CELL_DATA 3\nFIELD f 3\nNULL_ARRAY\nregion 1 3 int\n7 8 9\nNULL_ARRAY\n"));
}

}  // namespace
}  // namespace cardiowarp
