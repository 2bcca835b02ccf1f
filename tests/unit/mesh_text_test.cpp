#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>

#include "fem/mesh.hpp"
#include "fem/mesh_check.hpp"
#include "meshes/mesh_file.hpp"
#include "meshes/opencarp_file.hpp"
#include "tests/support/mesh_text.hpp"

namespace cardiowarp {
namespace {

namespace fs = std::filesystem;
using test::write_text;

/// One file written as text, then read.
class MeshText : public test::MeshTextTest {
 protected:
  static std::string in(const char* name, const std::string& message) { return name + message; }
};

const std::string msh_2 = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n";
const std::string msh_4 = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n";
const std::string five_nodes_2 = "$Nodes\n5\n50 0 0 -1\n10 0 0 0\n20 1 0 0\n40 0 0 1\n30 0 1 0\n$EndNodes\n";

TEST_F(MeshText, OfGmsh2WithSparseNumbersIsSortedByTagAndTakesTheFirstTagOfEachElement) {
  const Mesh mesh =
      read("a.msh",
           msh_2 + "$PhysicalNames\n2\n3 1 \"lv\"\n2 7 \"epi\"\n$EndPhysicalNames\n" + five_nodes_2 +
               "$Elements\n5\n6 2 2 0 0 20 30 40\n9 4 2 1 1 10 20 30 40\n3 4 2 5 1 10 30 20 50\n7 2 2 7 1 10 20 30\n"
               "8 1 2 3 3 10 20\n$EndElements\n");
  EXPECT_EQ(mesh.nodes, (std::vector<Vector3>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, -1}}));
  EXPECT_EQ(mesh.tetrahedra, (std::vector<Tetrahedron>{{0, 2, 1, 4}, {0, 1, 2, 3}}));
  EXPECT_EQ(mesh.element_tags, (std::vector<int>{5, 1}));
  EXPECT_EQ(mesh.triangle_tags, std::vector<int>{7});
  EXPECT_EQ(mesh.volume_names, (std::map<std::string, int>{{"lv", 1}}));
  EXPECT_EQ(mesh.surface_names, (std::map<std::string, int>{{"epi", 7}}));
}

TEST_F(MeshText, OfGmsh2KeepsTheNodesOfNoElementForTheCheckToCount) {
  Mesh mesh = read("a.msh", msh_2 +
                                "$Nodes\n6\n1 9 9 9\n2 0 0 0\n3 1 0 0\n4 0 1 0\n5 0 0 1\n6 8 8 8\n$EndNodes\n"
                                "$Elements\n1\n1 4 2 0 0 2 3 4 5\n$EndElements\n");
  EXPECT_EQ(mesh.nodes.size(), 6u);
  EXPECT_EQ(check_mesh(mesh).unreferenced_nodes, 2);
  EXPECT_EQ(mesh.node_in_file, (std::vector<Index>{1, 2, 3, 4}));
}

TEST_F(MeshText, OfGmsh2ResolvesTheGroupOfAPartInItsOwnDimensionAlone) {
  const Mesh mesh =
      read("a.msh", msh_2 +
                        "$PhysicalNames\n3\n3 2 \"_part{1}_physical{7}_dim{3}\"\n3 7 \"lv\"\n2 2 \"epi\"\n"
                        "$EndPhysicalNames\n" +
                        five_nodes_2 + "$Elements\n2\n1 4 2 2 1 10 20 30 40\n2 2 2 2 1 10 20 30\n$EndElements\n");
  EXPECT_EQ(mesh.element_tags, std::vector<int>{7});
  EXPECT_EQ(mesh.volume_names, (std::map<std::string, int>{{"lv", 7}}));
  EXPECT_EQ(mesh.triangle_tags, std::vector<int>{2});
  EXPECT_EQ(mesh.surface_names, (std::map<std::string, int>{{"epi", 2}}));
}

const std::string five_nodes_4 =
    "$Nodes\n1 5 10 50\n3 1 0 5\n10\n20\n30\n40\n50\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 3 3\n$EndNodes\n";

TEST_F(MeshText, OfGmsh4GivesAnElementOfTwoGroupsTheLowestTagAndTheOtherAsAFurtherOne) {
  const Mesh mesh = read("a.msh", msh_4 +
                                      "$PhysicalNames\n2\n3 8 \"heart\"\n3 3 \"lv\"\n$EndPhysicalNames\n"
                                      "$Entities\n0 0 0 1\n1 0 0 0 1 1 1 2 8 3 0\n$EndEntities\n" +
                                      five_nodes_4 + "$Elements\n1 1 6 6\n3 1 4 1\n6 10 20 30 40\n$EndElements\n");
  EXPECT_EQ(mesh.element_tags, std::vector<int>{3});
  ASSERT_EQ(mesh.further_element_tags.of(0).size(), 1u);
  EXPECT_EQ(mesh.further_element_tags.of(0)[0], 8);
  EXPECT_EQ(mesh.volume_names, (std::map<std::string, int>{{"heart", 8}, {"lv", 3}}));
  EXPECT_EQ(mesh.nodes.size(), 5u);  // the one of no element as well
}

TEST_F(MeshText, OfGmsh4WithoutGroupsHasTag0AndNoSurfaces) {
  const Mesh mesh = read("a.msh", msh_4 + five_nodes_4 + "$Elements\n1 1 6 6\n3 1 4 1\n6 10 20 30 40\n$EndElements\n");
  EXPECT_EQ(mesh.element_tags, std::vector<int>{0});
  EXPECT_TRUE(mesh.triangles.empty());
}

TEST_F(MeshText, OfGmshWithOtherElementsNamesTheirType) {
  const std::string prism =
      error("a.msh", msh_2 + five_nodes_2 +
                         "$Elements\n1\n1 18 2 1 1 10 20 30 10 20 30 10 20 30 10 20 30 10 20 30\n$EndElements\n");
  EXPECT_EQ(prism,
            in("a.msh",
               ": elements of type 'Prism 15' are not supported: expected 4-node or 10-node tetrahedra, or linear "
               "hexahedra, prisms or pyramids and, on surfaces, 3-node or 6-node triangles or linear quadrangles"));
}

TEST_F(MeshText, OfGmshWithANodeOutOfRangeNamesIt) {
  EXPECT_EQ(error("a.msh", msh_2 + five_nodes_2 + "$Elements\n1\n1 4 2 1 1 10 20 30 60\n$EndElements\n"),
            in("a.msh", ":14: an element refers to node 60: the file has nodes 10 to 50"));
  EXPECT_EQ(error("a.msh", msh_4 + five_nodes_4 + "$Elements\n1 1 6 6\n3 1 4 1\n6 10 20 30 5\n$EndElements\n"),
            in("a.msh", ":21: an element refers to node 5: the file has nodes 10 to 50"));
}

TEST_F(MeshText, OfGmshWithAMissingNodeNamesIt) {
  EXPECT_NE(error("a.msh", msh_2 + five_nodes_2 + "$Elements\n1\n1 4 2 1 1 10 20 30 45\n$EndElements\n").find("45"),
            std::string::npos);
  EXPECT_NE(
      error("a.msh", msh_4 + five_nodes_4 + "$Elements\n1 1 6 6\n3 1 4 1\n6 10 20 30 45\n$EndElements\n").find("45"),
      std::string::npos);
}

TEST_F(MeshText, OfGmshWithANodeGivenTwiceNamesIt) {
  EXPECT_EQ(error("a.msh", msh_2 + "$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n3 5 5 5\n$EndNodes\n"
                                   "$Elements\n1\n1 4 2 1 1 1 2 3 4\n$EndElements\n"),
            in("a.msh", ": node tag 3 is given twice"));
}

TEST_F(MeshText, OfGmshWithFewerElementsThanDeclaredNamesTheLine) {
  EXPECT_EQ(error("a.msh", msh_2 + five_nodes_2 + "$Elements\n2\n1 4 2 1 1 10 20 30 40\n$EndElements\n"),
            in("a.msh", ":15: expected an element number, got '$EndElements'"));
}

TEST_F(MeshText, OfGmshWithoutASectionNamesIt) {
  const std::string elements = "$Elements\n1\n1 4 2 1 1 10 20 30 40\n$EndElements\n";
  EXPECT_EQ(error("a.msh", msh_2 + five_nodes_2), in("a.msh", ":11: the file has no $Elements section (truncated?)"));
  EXPECT_EQ(error("a.msh", msh_2), in("a.msh", ":3: the file has no $Nodes section (truncated?)"));
  EXPECT_EQ(error("a.msh", msh_2 + elements), in("a.msh", ":4: expected the section $Nodes before $Elements"));
}

TEST_F(MeshText, OfAnotherGmshVersionNamesTheValidOnes) {
  EXPECT_EQ(error("a.msh", "$MeshFormat\n4 0 8\n$EndMeshFormat\n"),
            in("a.msh",
               ":2: Gmsh format '4' is not supported: expected 2, 2.1, 2.2 or 4.1 (open and save the file with Gmsh)"));
}

TEST_F(MeshText, WithoutTetrahedraSaysWhatItHas) {
  EXPECT_EQ(
      error("a.msh", msh_2 + five_nodes_2 + "$Elements\n1\n1 2 2 1 1 10 20 30\n$EndElements\n"),
      in("a.msh",
         ": the mesh has no tetrahedra (5 nodes, 1 triangles): Gmsh saves nothing but physical groups where there "
         "is one, so put the volume into one, too (Physical Volume(\"tissue\") = {1};), or save all elements "
         "(Mesh.SaveAll = 1;), and mesh in three dimensions (gmsh -3)"));
}

const std::string vtk_head = "# vtk DataFile Version 3.0\nmesh\nASCII\nDATASET UNSTRUCTURED_GRID\n";
const std::string vtk_points = "POINTS 5 double\n0 0 0 1 0 0 0 1 0 0 0 1 2 2 2\n";

TEST_F(MeshText, OfVtkTakesAFloatTagArrayAndPassesOverLines) {
  const Mesh mesh = read("a.vtk", vtk_head + vtk_points +
                                      "CELLS 3 13\n2 0 1\n4 0 1 2 3\n4 1 2 3 4\nCELL_TYPES 3\n3\n10\n"
                                      "10\nCELL_DATA 3\nSCALARS medit:ref float 1\nLOOKUP_TABLE "
                                      "default\n0 2 3\nVECTORS fibers double\n0 0 0 1 0 0 0 2 0\n");
  EXPECT_EQ(mesh.tetrahedra, (std::vector<Tetrahedron>{{0, 1, 2, 3}, {1, 2, 3, 4}}));
  EXPECT_EQ(mesh.element_tags, (std::vector<int>{2, 3}));
  EXPECT_EQ(mesh.fibers, (std::vector<Vector3>{{1, 0, 0}, {0, 2, 0}}));
}

TEST_F(MeshText, OfVtkWithOtherCellsNamesThem) {
  EXPECT_EQ(error("a.vtk", vtk_head + vtk_points + "CELLS 1 6\n5 0 1 2 3 4\nCELL_TYPES 1\n7\n"),
            in("a.vtk",
               ": cell 0 of type 7 (vtkPolygon) is not supported: expected tetrahedra, hexahedra, prisms or pyramids "
               "and, on surfaces, triangles or quadrangles"));
}

TEST_F(MeshText, OfVtkWithAFractionForATagNamesTheCell) {
  EXPECT_EQ(error("a.vtk", vtk_head + vtk_points +
                               "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10\nCELL_DATA 1\n"
                               "SCALARS region float 1\nLOOKUP_TABLE default\n1.5\n"),
            in("a.vtk", ": cell array 'region': cell 0 holds 1.5, expected a whole number"));
}

TEST_F(MeshText, OfVtkCutOffInTheHeadOfASectionIsRefused) {
  const std::string cells = "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10\n";
  EXPECT_EQ(error("a.vtk", vtk_head + vtk_points + cells + "CELL_DATA 1"),
            in("a.vtk", ": expected a line break at the end (truncated file?)"));
  EXPECT_EQ(error("a.vtk", vtk_head + vtk_points + cells + "CELL_DATA 1\nSCALARS region int 1\n"),
            in("a.vtk", ":12: expected LOOKUP_TABLE after SCALARS"));
}

TEST_F(MeshText, OfVtkWithAMissingNodeNamesTheCell) {
  EXPECT_EQ(error("a.vtk", vtk_head + vtk_points + "CELLS 1 5\n4 0 1 2 5\nCELL_TYPES 1\n10\n"),
            in("a.vtk", ": cell 0 refers to node 5: expected 0 to 4"));
}

TEST_F(MeshText, OfVtkWithAnotherKindOfDataIsRefused) {
  EXPECT_EQ(error("a.vtk", "# vtk DataFile Version 3.0\nmesh\nASCII\nDATASET POLYDATA\nPOINTS 1 float\n0 0 0\n"),
            in("a.vtk", ":4: expected UNSTRUCTURED_GRID, got 'polydata'"));
  EXPECT_EQ(error("a.vtu", "<VTKFile type=\"PolyData\" version=\"0.1\">\n<PolyData></PolyData>\n</VTKFile>\n"),
            in("a.vtu", ": expected a file of the type UnstructuredGrid, got 'PolyData'"));
  EXPECT_EQ(error("a.vtk", "solid\n"), in("a.vtk", ": is not a legacy VTK file: expected '# vtk DataFile'"));
  EXPECT_EQ(error("a.vtu", "solid\n"), in("a.vtu", ": is not a VTK XML file: expected <VTKFile>"));
}

const char* opencarp_points = "5 # nodes\n0 0 0\n1000 0 0\n0 1e3 0\n0 0 +1000\n\n2000 2000 2000 # last\n";

TEST_F(MeshText, OfOpencarpTakesTrianglesCommentsMissingTagsAndTheFirstOfTwoVectors) {
  write_text(directory / "a.elem", "4\nTt 0 1 2 3 7\nLn 0 1 5\nTr 0 1 2 3\nTt 1 2 3 4\n");
  write_text(directory / "a.lon", "2\n1 0 0 0 1 0\n9 9 9 9 9 9\n8 8 8 8 8 8\n0 0 1 0 1 0\n");
  const Mesh mesh = read("a.pts", opencarp_points);
  EXPECT_EQ(mesh.nodes[3], (Vector3{0, 0, 1}));  // µm, openCARP's unit
  EXPECT_EQ(mesh.tetrahedra, (std::vector<Tetrahedron>{{0, 1, 2, 3}, {1, 2, 3, 4}}));
  EXPECT_EQ(mesh.element_tags, (std::vector<int>{7, 0}));
  EXPECT_EQ(mesh.triangle_tags, std::vector<int>{3});
  EXPECT_EQ(mesh.fibers, (std::vector<Vector3>{{1, 0, 0}, {0, 0, 1}}));
}

TEST_F(MeshText, OfOpencarpMayLackTheTagOfAnyRow) {
  write_text(directory / "a.elem", "5\nTt 0 1 2 3\nTr 0 1 2\nCx 0 1\nTt 1 2 3 4 6\nTr 1 2 3 8\n");
  const Mesh mesh = read("a.pts", opencarp_points);
  EXPECT_EQ(mesh.element_tags, (std::vector<int>{0, 6}));
  EXPECT_EQ(mesh.triangle_tags, (std::vector<int>{0, 8}));
}

TEST_F(MeshText, OfOpencarpWithTheWrongNumberOfFibersSaysBothNumbers) {
  write_text(directory / "a.elem", "2\nTt 0 1 2 3 1\nTt 1 2 3 4 1\n");
  write_text(directory / "a.lon", "1\n1 0 0\n0 1 0\n0 0 1\n");
  EXPECT_EQ(error("a.pts", opencarp_points), in("a.lon", ": has 3 rows of fibers, the mesh has 2 elements"));
  write_text(directory / "a.lon", "1\n1 0 0\n");
  EXPECT_EQ(error("a.pts", opencarp_points), in("a.lon", ": has 1 rows of fibers, the mesh has 2 elements"));
}

TEST_F(MeshText, OfOpencarpWithoutANumberOfVectorsInTheFirstLineOfItsFibresSaysWhatStandsThere) {
  write_text(directory / "a.elem", "3\nTt 0 1 2 3 1\nTt 1 2 3 4 1\nTt 0 2 3 4 1\n");
  const auto error_of_fibers = [&](const char* fibers) {
    write_text(directory / "a.lon", fibers);
    return error("a.pts", opencarp_points);
  };
  EXPECT_EQ(error_of_fibers("3\n1 0 0\n1 0 0\n1 0 0\n"),
            "a.lon:1: expected 1 or 2 vectors a row, got 3 (the number of elements, which has no place here)");
  EXPECT_EQ(error_of_fibers("4\n1 0 0\n"), "a.lon:1: expected 1 or 2 vectors a row, got 4");
  EXPECT_EQ(error_of_fibers("-1\n1 0 0\n"), "a.lon:1: expected 1 or 2 vectors a row, got -1");
  EXPECT_EQ(error_of_fibers("# fibers\n1 0 0\n1 0 0\n1 0 0\n"),
            "a.lon:2: expected the number of vectors a row, 1 or 2, in a line of its own before the rows, got 3 words");
}

TEST_F(MeshText, OfOpencarpWithRowsOfFibresOfAnotherWidthNamesTheLine) {
  write_text(directory / "a.elem", "2\nTt 0 1 2 3 1\nTt 1 2 3 4 1\n");
  const auto error_of_fibers = [&](const char* fibers) {
    write_text(directory / "a.lon", fibers);
    return error("a.pts", opencarp_points);
  };
  EXPECT_EQ(error_of_fibers("1\n1 0 0\n\n1 0 0 0 1 0 # sheet\n"),
            "a.lon:4: expected 3 numbers in a row of 1 vector, as the first line says, got 6");
  EXPECT_EQ(error_of_fibers("2\n1 0 0\n0 1 0\n0 0 1\n1 0 0\n"),
            "a.lon:2: expected 6 numbers in a row of 2 vectors, as the first line says, got 3");
  EXPECT_EQ(error_of_fibers("2\n1 0 0 0 1 0\n1 0 0 0 1\n0\n"),
            "a.lon:3: expected 6 numbers in a row of 2 vectors, as the first line says, got 5");
  EXPECT_EQ(error_of_fibers("1\n1 0\n0 1 0 0\n"),
            "a.lon:2: expected 3 numbers in a row of 1 vector, as the first line says, got 2");
}

TEST_F(MeshText, OfOpencarpWithAWrongRowNamesFileAndLine) {
  const auto error_of_elements = [&](const char* elements) {
    write_text(directory / "a.elem", elements);
    return error("a.pts", opencarp_points);
  };
  EXPECT_EQ(error_of_elements("1\nTt 0 1 2 9 1\n"), in("a.elem", ":2: node number 9: expected 0 to 4"));
  EXPECT_EQ(error_of_elements("1\nTt 0 1 2 5 1\n"), in("a.elem", ":2: node number 5: expected 0 to 4"));
  EXPECT_EQ(error_of_elements("1\nTt 0 1 2 -1 1\n"), in("a.elem", ":2: node number -1: expected 0 to 4"));
  EXPECT_EQ(error_of_elements("2\nTt 0 1 2 3 1\nHh 0 1 2 3 4 5 6 7 1\n"),
            in("a.elem", ":3: expected an element type (Tt, Hx, Pr or Py, or Tr or Qd on surfaces), got 'Hh'"));
  EXPECT_EQ(error_of_elements("1\nTt 0 1 2 3 1\nTt 1 2 3 4 1\n"),
            in("a.elem", ":3: expected the end of the file after 1 elements, got 'Tt'"));
  EXPECT_EQ(error_of_elements("3\nTt 0 1 2 3 1\nTt 1 2 3 4 1\n"),
            in("a.elem",
               ":3: expected an element type (Tt, Hx, Pr or Py, or Tr or Qd on surfaces), got the end of the file "
               "(truncated?)"));
  fs::remove(directory / "a.elem");
  EXPECT_EQ(error("a.pts", opencarp_points), in("a.elem", ": cannot be read: No such file or directory"));
  write_text(directory / "a.elem", "1\nTt 0 1 2 3 1\n");
  EXPECT_EQ(error("a.pts", "2\n0 0 0\n0 x 0\n"), in("a.pts", ":3: expected a coordinate, got 'x'"));
  EXPECT_EQ(error("a.pts", "-2\n0 0 0\n0 0 0\n"), in("a.pts", ":1: expected the number of nodes, got '-2'"));
}

TEST_F(MeshText, OfOpencarpWithAWordThatIsNoNumberSaysWhatItMayBe) {
  write_text(directory / "a.elem", "1\nTt 0 1 2 3 1\n");
  const auto with = [&](const std::string& word) { return "4\n0 0 0\n1 0 0\n0 " + word + " 0\n0 0 1\n"; };
  for (const char* word : {"nan", "-NaN", "inf", "1.#QNAN"})
    EXPECT_EQ(error("a.pts", with(word)),
              in("a.pts", std::string(":4: expected a coordinate, got '") + word + "' (not a finite number)"));
  const auto expect_reason = [&](const std::string& word, const std::string& reason) {
    EXPECT_EQ(error("a.pts", with(word)), in("a.pts", ":4: expected a coordinate, got '" + word + "'" +
                                                          (reason.empty() ? "" : " (" + reason + ")")));
  };
  expect_reason("1,5", "a decimal comma: expected 1.5");
  expect_reason("-0,25e3", "a decimal comma: expected -0.25e3");
  expect_reason("1.0D+00", "an exponent of Fortran: expected 1.0e+00");
  expect_reason("-2.5d-3", "an exponent of Fortran: expected -2.5e-3");
  expect_reason("0.5-101", "an exponent of Fortran: expected 0.5e-101");
  for (const char* word : {"1,2,3", "D", "add", "x1,5", "--", "1.5.2"}) expect_reason(word, "");
  write_text(directory / "a.lon", "1\n1,0 0 0\n");
  EXPECT_EQ(error("a.pts", with("1")),
            in("a.lon", ":2: expected a fiber component, got '1,0' (a decimal comma: expected 1.0)"));
  write_text(directory / "a.elem", "1\nTt 0 1 2 3 1,0\n");
  EXPECT_EQ(error("a.pts", with("1")),
            in("a.elem", ":2: expected a region tag, got '1,0' (a decimal comma: expected 1.0)"));
}

TEST_F(MeshText, OfOpencarpMayHaveFibresThatAreNotFinite) {
  write_text(directory / "a.elem", "2\nTt 0 1 2 3 1\nTt 1 2 3 4 1\n");
  write_text(directory / "a.lon", "1\nnan nan nan\n0 2 0\n");
  const Mesh mesh = read("a.pts", opencarp_points);
  EXPECT_TRUE(std::isnan(mesh.fibers[0].x));
  EXPECT_EQ(mesh.fibers[1], (Vector3{0, 2, 0}));
  for (const char* name : {"copy.pts", "copy.vtu"}) {
    write_mesh(mesh, directory / name);
    EXPECT_EQ(read_mesh(directory / name).fibers, (std::vector<Vector3>{{0, 0, 0}, {0, 2, 0}})) << name;
  }
}

TEST_F(MeshText, OfOpencarpIsFoundByItsBaseName) {
  const fs::path base = directory / "heart";
  EXPECT_EQ(mesh_file_named(base), base);
  write_text(directory / "heart.pts", opencarp_points);
  EXPECT_EQ(mesh_file_named(base), directory / "heart.pts");
  EXPECT_EQ(mesh_file_named(base.string() + "."), directory / "heart.pts");
  fs::create_directory(base);
  EXPECT_EQ(mesh_file_named(base), directory / "heart.pts");
  fs::remove(base);
  write_text(base, "a file of this name");
  EXPECT_EQ(mesh_file_named(base), base);
  write_text(directory / "heart.v2.PTS", opencarp_points);
  EXPECT_EQ(mesh_file_named(directory / "heart.v2"), directory / "heart.v2.PTS");
  EXPECT_EQ(mesh_file_named(directory.path().string() + "/"), directory.path().string() + "/");
}

}  // namespace
}  // namespace cardiowarp
