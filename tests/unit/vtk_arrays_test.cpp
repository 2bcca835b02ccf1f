#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>
#include <string_view>

#include "fem/mesh.hpp"
#include "meshes/mesh_file.hpp"
#include "tests/support/input_error_of.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/text_file.hpp"

namespace cardiowarp {
namespace {

using test::input_error_of;
using test::TemporaryDirectory;
using test::write_text;

/// Two tetrahedra of five nodes with the arrays that a test gives.
class VtkArrays : public testing::Test {
 protected:
  Mesh read(std::string_view data, const VtkArrayNames& names = {}) const {
    write_text(directory / "a.vtk",
               "# vtk DataFile Version 3.0\nmesh\nASCII\nDATASET UNSTRUCTURED_GRID\n"
               "POINTS 5 double\n0 0 0 1 0 0 0 1 0 0 0 1 2 2 2\n"
               "CELLS 2 10\n4 0 1 2 3\n4 1 2 3 4\nCELL_TYPES 2\n10\n10\n" +
                   std::string(data));
    return read_mesh(directory / "a.vtk", LengthUnit::millimetre, names);
  }

  TemporaryDirectory directory;
};

void expect_near(Vector3 found, Vector3 expected) {
  EXPECT_LE(norm(found - expected), 1e-15) << found.x << " " << found.y << " " << found.z;
}

TEST_F(VtkArrays, UnderOtherNamesAreTakenWhereTheyAreNamed) {
  const std::string data =
      "CELL_DATA 2\nSCALARS region int\nLOOKUP_TABLE default\n1 2\nSCALARS Material float\nLOOKUP_TABLE default\n5 6\n"
      "VECTORS fiber double\n1 0 0 1 0 0\nVECTORS FIB_DIR double\n0 2 0 0 0 -3\n";
  const Mesh usual = read(data), named = read(data, {"Material", "FIB_DIR"});
  EXPECT_EQ(usual.element_tags, (std::vector<int>{1, 2}));
  EXPECT_EQ(usual.fibers, (std::vector<Vector3>{{1, 0, 0}, {1, 0, 0}}));
  EXPECT_EQ(named.element_tags, (std::vector<int>{5, 6}));
  EXPECT_EQ(named.fibers, (std::vector<Vector3>{{0, 2, 0}, {0, 0, -3}}));
}

TEST_F(VtkArrays, AreListedWithTheirComponents) {
  const Mesh mesh = read(
      "CELL_DATA 2\nSCALARS Material int\nLOOKUP_TABLE default\n1 2\nPOINT_DATA 5\n"
      "VECTORS u double\n1 0 0 1 0 0 1 0 0 1 0 0 1 0 0\n");
  ASSERT_EQ(mesh.arrays.size(), 2u);
  EXPECT_EQ(mesh.arrays[0].name, "Material");
  EXPECT_EQ(mesh.arrays[0].components, 1);
  EXPECT_FALSE(mesh.arrays[0].of_points);
  EXPECT_EQ(mesh.arrays[1].name, "u");
  EXPECT_EQ(mesh.arrays[1].components, 3);
  EXPECT_TRUE(mesh.arrays[1].of_points);
}

TEST_F(VtkArrays, OfPointsGiveEachElementTheMeanDirectionOfItsNodesWhateverTheirSignsAndLengths) {
  const Mesh mesh = read("POINT_DATA 5\nVECTORS fibers double\n0 0 0  3 4 0  -3 4 0  300 -400 0  0 0 0\n");
  ASSERT_EQ(mesh.fibers.size(), 2u);
  // ±(0.6, 0.8), ±(-0.6, 0.8), ±(0.6, -0.8): the first turns the second away and not the third, f and -f being one.
  const Vector3 a{0.6, 0.8, 0}, b{-0.6, 0.8, 0}, c{-0.6, 0.8, 0}, sum = a + b + c;
  expect_near(mesh.fibers[0], (1 / norm(sum)) * sum);
  expect_near(mesh.fibers[1], (1 / norm(sum)) * sum);
}

TEST_F(VtkArrays, OfPointsThatAreOppositeOrZeroKeepTheirDirection) {
  const Mesh mesh = read("POINT_DATA 5\nVECTORS fiber double\n0 0 2  0 0 -2  0 0 1  0 0 -1  0 0 0\n");
  EXPECT_EQ(mesh.fibers, (std::vector<Vector3>{{0, 0, 1}, {0, 0, -1}}));
  EXPECT_EQ(read("POINT_DATA 5\nVECTORS fiber double\n0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n").fibers,
            (std::vector<Vector3>{{0, 0, 0}, {0, 0, 0}}));
}

TEST_F(VtkArrays, OfCellsWinOverThoseOfPoints) {
  const std::string data =
      "POINT_DATA 5\nVECTORS fiber double\n1 0 0 1 0 0 1 0 0 1 0 0 1 0 0\n"
      "CELL_DATA 2\nVECTORS fiber double\n0 1 0 0 0 1\n";
  EXPECT_EQ(read(data).fibers, (std::vector<Vector3>{{0, 1, 0}, {0, 0, 1}}));
  EXPECT_EQ(read(data, {"", "fiber"}).fibers, (std::vector<Vector3>{{0, 1, 0}, {0, 0, 1}}));
}

TEST_F(VtkArrays, WithTheWrongNumberOfComponentsAreRefused) {
  const std::string data =
      "CELL_DATA 2\nSCALARS angle double\nLOOKUP_TABLE default\n1 2\nVECTORS u double\n1 0 0 1 0 0\n"
      "POINT_DATA 5\nSCALARS fiber double\nLOOKUP_TABLE default\n1 2 3 4 5\n";
  EXPECT_TRUE(read(data).fibers.empty());
  EXPECT_EQ(input_error_of([&] {
              read(data, {"u", ""});
            }),
            (directory / "a.vtk").string() + ": cell array 'u' has 2 x 3 values: expected 2 x 1 (cells x components)");
  EXPECT_EQ(
      input_error_of([&] {
        read(data, {"", "angle"});
      }),
      (directory / "a.vtk").string() + ": cell array 'angle' has 2 x 1 values: expected 2 x 3 (cells x components)");
  EXPECT_EQ(
      input_error_of([&] {
        read(data, {"", "fiber"});
      }),
      (directory / "a.vtk").string() + ": point array 'fiber' has 5 x 1 values: expected 5 x 3 (points x components)");
}

}  // namespace
}  // namespace cardiowarp
