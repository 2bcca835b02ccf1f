#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "fem/mesh.hpp"
#include "fem/mesh_check.hpp"
#include "meshes/mesh_file.hpp"
#include "tests/support/mesh_text.hpp"

namespace cardiowarp {
namespace {

/// A hexahedron, a prism, a pyramid, a tetrahedron and a quadrangle in files of each format. The prism stands on the
/// right side of the unit cube, the pyramid on top of it, the tetrahedron on a side of the pyramid.
class CutCellsInFiles : public test::MeshTextTest {
 protected:
  static void expect_all(Mesh mesh, const std::vector<int>& surface_tags) {
    EXPECT_EQ(mesh.element_tags, (std::vector<int>{5, 5, 5, 5, 5, 5, 6, 6, 6, 7, 7, 8}));
    EXPECT_EQ(mesh.triangle_tags, surface_tags);
    EXPECT_EQ(mesh.remarks, (std::vector<std::string>{"1 hexahedron, 1 prism, 1 pyramid became 11 tetrahedra",
                                                      "1 quadrangle became 2 triangles"}));
    const MeshReport report = check_mesh(mesh);
    EXPECT_EQ(report.inverted_elements, 0);
    EXPECT_NEAR(report.volume_mm3, 1 + 0.5 + 1.0 / 3 + 1.0 / 6, 1e-14);
  }
};

const std::string points = "0 0 0\n1 0 0\n1 1 0\n0 1 0\n0 0 1\n1 0 1\n1 1 1\n0 1 1\n2 0 0\n2 0 1\n0 0 2\n1 0 2\n";

/// The cells in VTK's order of corners, with numbers from `first` on.
std::string cell(std::vector<int> corners, int first) {
  std::string text;
  for (const int corner : corners) text += " " + std::to_string(corner + first);
  return text;
}
const std::vector<int> hexahedron{0, 1, 2, 3, 4, 5, 6, 7}, prism{1, 8, 2, 5, 9, 6}, pyramid{4, 5, 6, 7, 10},
    tetrahedron{5, 6, 10, 11}, quadrangle{0, 1, 2, 3};

TEST_F(CutCellsInFiles, OfGmshHaveTheGroupAndThePlaceOfTheirElement) {
  std::string nodes = "$Nodes\n12\n";
  for (std::size_t i = 0, at = 0; i < 12; ++i, at = points.find('\n', at) + 1)
    nodes += std::to_string(i + 1) + " " + points.substr(at, points.find('\n', at) - at) + "\n";
  const Mesh mesh = read("a.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n" + nodes + "$EndNodes\n$Elements\n5\n" +
                                      "4 7 2 7 1" + cell(pyramid, 1) + "\n1 5 2 5 1" + cell(hexahedron, 1) +
                                      "\n3 6 2 6 1" + cell(prism, 1) + "\n9 4 2 8 1" + cell(tetrahedron, 1) +
                                      "\n5 3 2 9 1" + cell(quadrangle, 1) + "\n$EndElements\n");
  expect_all(mesh, {9, 9});
}

TEST_F(CutCellsInFiles, OfVtkHaveTheTagAndTheFiberOfTheirCell) {
  const std::string text = "# vtk DataFile Version 3.0\nmesh\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 12 double\n" +
                           points + "CELLS 5 32\n8" + cell(hexahedron, 0) + "\n6" + cell(prism, 0) + "\n4" +
                           cell(quadrangle, 0) + "\n5" + cell(pyramid, 0) + "\n4" + cell(tetrahedron, 0) +
                           "\nCELL_TYPES 5\n12\n13\n9\n14\n10\nCELL_DATA 5\nSCALARS region int\nLOOKUP_TABLE "
                           "default\n5 6 9 7 8\nVECTORS fiber double\n1 0 0 0 1 0 0 0 0 0 0 1 3 4 0\n";
  const Mesh mesh = read("a.vtk", text);
  expect_all(mesh, {9, 9});
  ASSERT_EQ(mesh.fibers.size(), 12U);
  EXPECT_EQ(mesh.fibers[5], (Vector3{1, 0, 0}));
  EXPECT_EQ(mesh.fibers[6], (Vector3{0, 1, 0}));
  EXPECT_EQ(mesh.fibers[10], (Vector3{0, 0, 1}));
  EXPECT_EQ(mesh.fibers[11], (Vector3{3, 4, 0}));
}

TEST_F(CutCellsInFiles, OfVtkWithFurtherGroupsHaveAllOfThem) {
  const std::string text = "# vtk DataFile Version 3.0\nmesh\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 12 double\n" +
                           points + "CELLS 2 14\n8" + cell(hexahedron, 0) + "\n4" + cell(tetrahedron, 0) +
                           "\nCELL_TYPES 2\n12\n10\nCELL_DATA 2\nSCALARS region int\nLOOKUP_TABLE default\n5 6\n"
                           "SCALARS group:4 unsigned_char\nLOOKUP_TABLE default\n1 0\n";
  const Mesh mesh = read("a.vtk", text);
  ASSERT_EQ(mesh.further_element_tags.set_of_cell.size(), 7U);
  EXPECT_EQ(std::vector<int>(mesh.further_element_tags.of(5).begin(), mesh.further_element_tags.of(5).end()),
            std::vector<int>{4});
  EXPECT_TRUE(mesh.further_element_tags.of(6).empty());
}

TEST_F(CutCellsInFiles, OfVtkMayBeVoxelsAndPixels) {
  const std::string text = "# vtk DataFile Version 3.0\nmesh\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 12 double\n" +
                           points + "CELLS 2 14\n8" + cell({0, 1, 3, 2, 4, 5, 7, 6}, 0) + "\n4" +
                           cell({0, 1, 3, 2}, 0) + "\nCELL_TYPES 2\n11\n8\n";
  Mesh mesh = read("a.vtk", text);
  EXPECT_EQ(mesh.triangles, (std::vector<Triangle>{{0, 1, 2}, {0, 2, 3}}));
  EXPECT_NEAR(check_mesh(mesh).volume_mm3, 1, 1e-14);
}

TEST_F(CutCellsInFiles, OfVtkBesideQuadraticTetrahedraAreRefused) {
  const std::string text = "# vtk DataFile Version 3.0\nmesh\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 12 double\n" +
                           points + "CELLS 2 20\n8" + cell(hexahedron, 0) +
                           "\n10 0 1 2 3 4 5 6 7 8 9\nCELL_TYPES 2\n12\n24\n";
  EXPECT_EQ(error("a.vtk", text),
            "a.vtk: has 1 cells to be cut (hexahedra, prisms, pyramids or quadrangles) beside 1 quadratic tetrahedra: "
            "expected linear tetrahedra beside them");
}

TEST_F(CutCellsInFiles, OfVtkOfAHigherOrderAreRefused) {
  EXPECT_EQ(error("a.vtk", "# vtk DataFile Version 3.0\nmesh\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 12 double\n" +
                               points + "CELLS 1 10\n9" + cell(hexahedron, 0) + " 8\nCELL_TYPES 1\n72\n"),
            "a.vtk: cell 0 of type 72 (vtkLagrangeHexahedron) has 9 nodes: expected 8, which are order 1");
}

TEST_F(CutCellsInFiles, OfOpencarpGoRoundTheirSecondFaceInTheOtherSense) {
  test::write_text(directory / "a.elem", "5\nHx" + cell({0, 1, 2, 3, 4, 7, 6, 5}, 0) + " 5\nPr" +
                                             cell({1, 8, 2, 5, 6, 9}, 0) + " 6\nQd" + cell(quadrangle, 0) + " 9\nPy" +
                                             cell(pyramid, 0) + " 7\nTt" + cell(tetrahedron, 0) + " 8\n");
  test::write_text(directory / "a.lon", "1\n1 0 0\n0 1 0\n0 0 0\n0 0 1\n3 4 0\n");
  Mesh mesh = read("a.pts", "12\n" + points);
  for (Vector3& node : mesh.nodes) node = 1000 * node;
  expect_all(mesh, {9, 9});
  ASSERT_EQ(mesh.fibers.size(), 12U);
  EXPECT_EQ(mesh.fibers[8], (Vector3{0, 1, 0}));
  EXPECT_EQ(mesh.fibers[11], (Vector3{3, 4, 0}));
}

TEST_F(CutCellsInFiles, OfOpencarpMayGoRoundBothFacesAlikeAsOtherProgramsWriteThem) {
  test::write_text(directory / "a.elem", "5\nHx" + cell(hexahedron, 0) + " 5\nPr" + cell(prism, 0) + " 6\nQd" +
                                             cell(quadrangle, 0) + " 9\nPy" + cell(pyramid, 0) + " 7\nTt" +
                                             cell(tetrahedron, 0) + " 8\n");
  Mesh mesh = read("a.pts", "12\n" + points);
  for (Vector3& node : mesh.nodes) node = 1000 * node;
  expect_all(mesh, {9, 9});
}

}  // namespace
}  // namespace cardiowarp
