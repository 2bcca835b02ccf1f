// Files as other programs write them, which VTK reads or which need a word of explanation.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <vtkCellArray.h>
#include <vtkCellData.h>
#include <vtkCellType.h>
#include <vtkDoubleArray.h>
#include <vtkIntArray.h>
#include <vtkLagrangeTetra.h>
#include <vtkLagrangeTriangle.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkPoints.h>
#include <vtkSmartPointer.h>
#include <vtkUnstructuredGrid.h>
#include <vtkUnstructuredGridWriter.h>
#include <vtkXMLUnstructuredGridWriter.h>

#include <filesystem>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fem/mesh.hpp"
#include "fem/mesh_check.hpp"
#include "meshes/generate.hpp"
#include "meshes/mesh_file.hpp"
#include "tests/support/mesh_text.hpp"

namespace cardiowarp {
namespace {

namespace fs = std::filesystem;
using test::input_error_of;
using test::replaced;
using test::vtk;
using test::vtk_cells;
using test::vtk_data;
using test::vtk_head;
using test::vtk_points;
using test::vtu;
using test::write_text;

class ForeignFile : public test::MeshTextTest {};

const std::string byte_order_mark = "\xef\xbb\xbf";

TEST_F(ForeignFile, InXmlMayHaveCommentsInstructionsAndSpaceBehindItsEnd) {
  for (const char* epilogue : {"<!-- Created by Chaste -->", "\n\n<!-- a --> \t\r\n<!-- </VTKFile> > -->\n",
                               "<?editor fold?>", "<!----><?a ?>\n ", " \n\n"})
    EXPECT_EQ(read("a.vtu", vtu + epilogue).element_tags, (std::vector<int>{7, 8})) << epilogue;
  EXPECT_EQ(read("a.vtu", replaced(vtu, "</VTKFile>", "</VTKFile\n>")).tetrahedra.size(), 2U);
  for (const char* rest : {"<!-- open", "text", "-->", "?>", "<a/>", "<!-- a --"})
    EXPECT_NE(error("a.vtu", vtu + rest), "") << rest;
  EXPECT_EQ(error("a.vtu", replaced(vtu, "</VTKFile>\n", "<!-- </VTKFile> -->")),
            "a.vtu: expected </VTKFile> at the end (truncated file?)");
  EXPECT_EQ(error("a.vtu", "<!-- a -->"), "a.vtu: is not a VTK XML file: expected <VTKFile>");
}

TEST_F(ForeignFile, MayBeginWithAByteOrderMark) {
  EXPECT_EQ(read("a.vtu", byte_order_mark + vtu).element_tags, (std::vector<int>{7, 8}));
  EXPECT_EQ(read("a.vtu", byte_order_mark + "<?xml version=\"1.0\"?>\n" + vtu).tetrahedra.size(), 2U);
  EXPECT_EQ(read("a.vtk", byte_order_mark + vtk).element_tags, (std::vector<int>{2, 3}));
  write_text(directory / "a.elem", byte_order_mark + "1\nTt 0 1 2 3 4\n");
  write_text(directory / "a.lon", byte_order_mark + "1\n0 0 2\n");
  const Mesh mesh = read("a.pts", byte_order_mark + "4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n");
  EXPECT_EQ(mesh.element_tags, std::vector<int>{4});
  EXPECT_EQ(mesh.fibers, (std::vector<Vector3>{{0, 0, 2}}));
  EXPECT_EQ(error("a.vtu", byte_order_mark), "a.vtu: is empty");
  EXPECT_EQ(error("a.vtu", std::string("\xff\xfe<\0V\0", 6)),
            "a.vtu: cannot be read: it is a text in UTF-16: expected UTF-8 (`iconv -f UTF-16 -t UTF-8` makes it)");
}

TEST_F(ForeignFile, ThatIsAPointerOfGitLfsSaysSo) {
  const std::string pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n";
  const std::string expected =
      ": cannot be read: it is a pointer of Git LFS, and the content that it stands for has not been fetched: `git lfs "
      "pull` in its repository does that";
  for (const char* name : {"a.msh", "a.vtu", "a.vtk", "a.pts"}) EXPECT_EQ(error(name, pointer), name + expected);
  for (const char* name : {"a.elem", "a.lon"}) {
    write_text(directory / "a.elem", "1\nTt 0 1 2 3 4\n");
    write_text(directory / name, pointer);
    EXPECT_EQ(error("a.pts", "4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n"), name + expected);
  }
  for (const char* name : {"a.stl", "a.vtp"}) {
    write_text(directory / name, pointer);
    const std::string message = input_error_of([&] { surface_size(directory / name, LengthUnit::millimetre); });
    EXPECT_NE(message.find(name + expected), std::string::npos) << message;
  }
}

TEST_F(ForeignFile, WithSuffixesInCapitalsIsReadByVtksAndOpencarpsReaders) {
  write_text(directory / "A.VTU", vtu);
  write_text(directory / "A.VTK", vtk);
  EXPECT_TRUE(is_vtk_file("A.VTU") && is_vtk_file("a.Vtk") && !is_vtk_file("a.vtp"));
  EXPECT_EQ(read_vtk_file(directory / "A.VTU").element_tags, (std::vector<int>{7, 8}));
  EXPECT_EQ(read_vtk_file(directory / "A.VTK").element_tags, (std::vector<int>{2, 3}));
}

TEST_F(ForeignFile, MayHaveInformationKeysOfModulesThatAreNotThere) {
  const std::string key =
      "<InformationKey name=\"GLOBAL_TEMPORAL_VARIABLE\" location=\"vtkExodusIIReader\">\n-1\n</InformationKey>";
  EXPECT_EQ(read("a.vtu", replaced(vtu, "7 8 9", "7 8 9" + key)).element_tags, (std::vector<int>{7, 8}));
  EXPECT_EQ(read("a.vtk", vtk +
                              "METADATA\nINFORMATION 2\nNAME NOWHERE LOCATION vtkNothing\nDATA 1\n"
                              "NAME L2_NORM_RANGE LOCATION vtkDataArray\nDATA 2 0.5 1.5\n\n" +
                              "POINT_DATA 5\nSCALARS a double\nLOOKUP_TABLE default\n1 2 3 4 5\n")
                .arrays.size(),
            2U);
}

TEST_F(ForeignFile, InLegacyFormMayHaveSectionsWithoutArrays) {
  const std::string whole = vtk_head + vtk_points + vtk_cells;
  for (const char* rest : {"CELL_DATA 3\n", "POINT_DATA 5\n", "POINT_DATA 5\nCELL_DATA 3\n", "CELL_DATA 3\n\n\n"})
    EXPECT_EQ(read("a.vtk", whole + rest).element_tags, (std::vector<int>{0, 0})) << rest;
  EXPECT_EQ(read("a.vtk", whole + "POINT_DATA 5\n" + vtk_data).element_tags, (std::vector<int>{2, 3}));
  EXPECT_EQ(read("a.vtk", vtk + "POINT_DATA 5\n").element_tags, (std::vector<int>{2, 3}));
}

TEST_F(ForeignFile, InLegacyFormMayEndWithMetadata) {
  for (const char* rest : {"METADATA\nINFORMATION 0\n", "METADATA\nINFORMATION 0\n\n",
                           "METADATA\nCOMPONENT_NAMES\nregion\n", "METADATA\nCOMPONENT_NAMES\n\n"})
    EXPECT_EQ(read("a.vtk", vtk + rest).element_tags, (std::vector<int>{2, 3})) << rest;
  EXPECT_EQ(error("a.vtk", vtk + "METADATA\nINFORMATION 0"),
            "a.vtk:20: METADATA does not end with an empty line (truncated file?)");
}

TEST_F(ForeignFile, InLegacyFormMayNameTypesByMoreLettersThanVtkLooksAt) {
  for (const char* type : {"int1", "INT", "integer", "unsigned_int32", "short2", "unsigned_charx", "long_long",
                           "vtkIdType", "vtktypeint64", "float32", "double64", "bit8"}) {
    const bool of_bits = type == std::string_view("bit8");
    const Mesh mesh = read("a.vtk", replaced(replaced(vtk, "region int", std::string("region ") + type),
                                             "default\n1 2 3\n", of_bits ? "default\n1 0 1\n" : "default\n1 2 3\n"));
    EXPECT_EQ(mesh.element_tags, (of_bits ? std::vector<int>{0, 1} : std::vector<int>{2, 3})) << type;
  }
  for (const char* type : {"char1", "signed_char1", "real", "uint", "in"})
    EXPECT_EQ(error("a.vtk", replaced(vtk, "region int", std::string("region ") + type)),
              fmt::format("a.vtk:17: unknown type '{}' of numbers", type));
  EXPECT_EQ(read("a.vtk", vtk + "FIELD f 1\nv 1 3 variant\n6 1\n13 two\n6 3\n").element_tags, (std::vector<int>{2, 3}));
}

TEST_F(ForeignFile, InLegacyFormMayHaveAVersionOfOneNumber) {
  for (const char* version : {"5", "3", "", "two"})
    EXPECT_EQ(read("a.vtk", replaced(vtk, "Version 3.0", std::string("Version ") + version)).tetrahedra.size(), 2U)
        << version;
}

TEST_F(ForeignFile, InLegacyFormWithAWordThatIsNoNumberNamesLineArrayAndWord) {
  const auto with = [](const std::string& word) {
    return vtk + "POINT_DATA 5\nVECTORS motion double\n1 2 3 1 2 3 1 2 3\n1 2 " + word + " 1 2 3\n";
  };
  const std::string expected = "a.vtk:22: array 'motion': expected a number of the type double, got '";
  for (const char* word : {"nan", "NaN", "-nan", "inf", "-Infinity", "1.#QNAN"})
    EXPECT_EQ(error("a.vtk", with(word)),
              expected + word + "' (not a finite number: VTK reads such from binary files, but not from text)");
  EXPECT_EQ(error("a.vtk", with("1.0D+00")), expected + "1.0D+00' (an exponent of Fortran: expected 1.0e+00)");
  EXPECT_EQ(error("a.vtk", with("0,5")), expected + "0,5' (a decimal comma: expected 0.5)");
  EXPECT_EQ(error("a.vtk", with("x")), expected + "x'");
  EXPECT_EQ(error("a.vtk", replaced(vtk, "default\n1 2 3", "default\n1 2.0 3")),
            "a.vtk:18: array 'region': expected a number of the type int, got '2.0'");
  EXPECT_EQ(error("a.vtk", replaced(vtk, "0 0 1 2 2 2", "0 0 1 2 2 1,5")),
            "a.vtk:6: POINTS: expected a number of the type double, got '1,5' (a decimal comma: expected 1.5)");
  EXPECT_EQ(error("a.vtk", replaced(vtk, "4 1 2 3 4", "4 1 2 3 4d0")),
            "a.vtk:10: CELLS: expected a node number, got '4d0' (an exponent of Fortran: expected 4e0)");
  EXPECT_EQ(read("a.vtk", with("+1.5E-400")).tetrahedra.size(), 2U);
}

TEST_F(ForeignFile, InXmlWithAWordThatIsNoNumberNamesItsLine) {
  EXPECT_EQ(error("a.vtu", replaced(vtu, "2 2 2<", "2 2\n1.5D+00<")),
            "a.vtu: Points: array '' holds '1.5D+00' in line 5: expected a number of the type Float64 (an exponent of "
            "Fortran: expected 1.5e+00)");
  EXPECT_EQ(error("a.vtu", replaced(vtu, "2 2 2<", "2 2 1,5<")),
            "a.vtu: Points: array '' holds '1,5' in line 4: expected a number of the type Float64 (a decimal comma: "
            "expected 1.5)");
}

/// A grid of one tetrahedron and one of its faces, with the nodes where VTK has those of `tetrahedron` and `triangle`.
vtkSmartPointer<vtkUnstructuredGrid> lagrange_grid(int tetrahedron, int nodes, int triangle, int face_nodes) {
  auto grid = vtkSmartPointer<vtkUnstructuredGrid>::New();
  const vtkNew<vtkPoints> points;
  const vtkNew<vtkLagrangeTetra> cell;
  cell->GetPointIds()->SetNumberOfIds(nodes);
  cell->GetPoints()->SetNumberOfPoints(nodes);
  cell->Initialize();
  const double* at = cell->GetParametricCoords();
  std::vector<vtkIdType> ids;
  for (vtkIdType k = 0; k < nodes; ++k) ids.push_back(points->InsertNextPoint(at + 3 * k));
  grid->SetPoints(points);
  grid->Allocate(2);
  grid->InsertNextCell(tetrahedron, nodes, ids.data());
  const vtkNew<vtkLagrangeTriangle> face;
  face->GetPointIds()->SetNumberOfIds(face_nodes);
  face->GetPoints()->SetNumberOfPoints(face_nodes);
  face->Initialize();
  const double* on_face = face->GetParametricCoords();
  std::vector<vtkIdType> face_ids;
  for (vtkIdType k = 0; k < face_nodes; ++k)
    for (vtkIdType node = 0; node < nodes; ++node) {
      double p[3];
      points->GetPoint(node, p);
      if (p[0] == on_face[3 * k] && p[1] == on_face[3 * k + 1] && p[2] == 0) face_ids.push_back(node);
    }
  EXPECT_EQ(face_ids.size(), static_cast<std::size_t>(face_nodes));
  grid->InsertNextCell(triangle, face_nodes, face_ids.data());
  return grid;
}

class LagrangeCells : public ForeignFile {
 protected:
  fs::path written(vtkUnstructuredGrid* grid) const {
    const vtkNew<vtkXMLUnstructuredGridWriter> writer;
    writer->SetDataModeToAscii();
    writer->SetInputData(grid);
    writer->SetFileName((directory / "a.vtu").c_str());
    EXPECT_EQ(writer->Write(), 1);
    return directory / "a.vtu";
  }
};

TEST_F(LagrangeCells, OfOrder1AreLinear) {
  for (const auto& [tetrahedron, triangle] :
       {std::pair{VTK_LAGRANGE_TETRAHEDRON, VTK_LAGRANGE_TRIANGLE},
        std::pair{VTK_BEZIER_TETRAHEDRON, VTK_BEZIER_TRIANGLE}, std::pair{VTK_TETRA, VTK_LAGRANGE_TRIANGLE}}) {
    const Mesh mesh = read_mesh(written(lagrange_grid(tetrahedron, 4, triangle, 3)));
    EXPECT_EQ(mesh.tetrahedra, (std::vector<Tetrahedron>{{0, 1, 2, 3}}));
    EXPECT_EQ(mesh.triangles, (std::vector<Triangle>{{0, 1, 2}}));
    EXPECT_FALSE(mesh.is_quadratic());
  }
}

TEST_F(LagrangeCells, OfOrder2HaveTheirNodesWhereVtkHasThem) {
  Mesh mesh = read_mesh(written(lagrange_grid(VTK_LAGRANGE_TETRAHEDRON, 10, VTK_LAGRANGE_TRIANGLE, 6)));
  ASSERT_TRUE(mesh.is_quadratic());
  constexpr int ends[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
  for (int k = 0; k < 6; ++k)
    EXPECT_EQ(mesh.nodes[mesh.edge_nodes[0][k]],
              0.5 * (mesh.nodes[mesh.tetrahedra[0][ends[k][0]]] + mesh.nodes[mesh.tetrahedra[0][ends[k][1]]]))
        << k;
  for (int k = 0; k < 3; ++k)
    EXPECT_EQ(mesh.nodes[mesh.triangle_edge_nodes[0][k]],
              0.5 * (mesh.nodes[mesh.triangles[0][k]] + mesh.nodes[mesh.triangles[0][(k + 1) % 3]]))
        << k;
  mesh.nodes[mesh.edge_nodes[0][4]].x += 0.125;  // a curved edge stays curved
  const MeshReport report = check_mesh(mesh);
  EXPECT_EQ(report.curved_elements, 1);
}

TEST_F(LagrangeCells, OfHigherOrderAndCurvedBezierCellsAreRefusedByOrder) {
  const std::string file = (directory / "a.vtu").string();
  EXPECT_EQ(input_error_of([&] { read_mesh(written(lagrange_grid(VTK_LAGRANGE_TETRAHEDRON, 20, VTK_TRIANGLE, 3))); }),
            file + ": cell 0 of type 71 (vtkLagrangeTetra) has 20 nodes: expected 4 or 10, which are order 1 or 2");
  EXPECT_EQ(input_error_of([&] { read_mesh(written(lagrange_grid(VTK_BEZIER_TETRAHEDRON, 10, VTK_TRIANGLE, 3))); }),
            file +
                ": cell 0 of type 78 (vtkBezierTetra) has 10 nodes, of which some are control points beside the "
                "element: expected order 1, or Lagrange cells with 4 or 10 nodes");
}

/// A slab as VTK writes it, with arrays of the points and cells, component names and keys of information.
vtkSmartPointer<vtkUnstructuredGrid> rich_grid() {
  const Mesh mesh = slab_mesh({3, 2, 1}, 1, true);
  auto grid = vtkSmartPointer<vtkUnstructuredGrid>::New();
  const vtkNew<vtkPoints> points;
  for (const Vector3& p : mesh.nodes) points->InsertNextPoint(p.x, p.y, p.z);
  grid->SetPoints(points);
  grid->Allocate(1);
  const vtkNew<vtkIntArray> region;
  region->SetName("region");
  const vtkNew<vtkDoubleArray> motion;
  motion->SetName("motion");
  motion->SetNumberOfComponents(3);
  motion->SetComponentName(1, "to the right");
  for (const Tetrahedron& t : mesh.tetrahedra) {
    const vtkIdType ids[4] = {t[0], t[1], t[2], t[3]};
    grid->InsertNextCell(VTK_TETRA, 4, ids);
    region->InsertNextValue(static_cast<int>(region->GetNumberOfValues()) % 3);
  }
  for (const Vector3& p : mesh.nodes) motion->InsertNextTuple3(p.x, p.y, p.z);
  motion->GetRange(-1);  // leaves keys of information
  region->GetRange();
  grid->GetCellData()->AddArray(region);
  grid->GetPointData()->AddArray(motion);
  return grid;
}

TEST_F(ForeignFile, InLegacyFormIsReadAsVtkWritesItInEachVersion) {
  for (const int version : {42, 51})
    for (const int type : {VTK_ASCII, VTK_BINARY})
      for (const bool ends_early : {false, true}) {
        const vtkNew<vtkUnstructuredGridWriter> writer;
        writer->SetInputData(rich_grid());
        writer->SetFileVersion(version);
        writer->SetFileType(type);
        writer->SetFileName((directory / "a.vtk").c_str());
        ASSERT_EQ(writer->Write(), 1);
        std::string text = test::read_text(directory / "a.vtk");
        EXPECT_NE(text.find("METADATA"), std::string::npos);
        if (ends_early && text.ends_with("\n\n")) text.pop_back();
        const Mesh mesh = read("a.vtk", text);
        EXPECT_EQ(mesh.tetrahedra.size(), 36U) << version << type;
        EXPECT_EQ(mesh.element_tags[7], 1);
        EXPECT_EQ(mesh.arrays.size(), 2U);
      }
}

TEST_F(ForeignFile, WithATagBeyondTheRangeOfTagsSaysTheRange) {
  const std::string range = "from -2147483648 to 2147483647, got '3000000000'";
  EXPECT_EQ(error("a.msh",
                  "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n"
                  "$Elements\n1\n1 4 2 3000000000 1 1 2 3 4\n$EndElements\n"),
            "a.msh:13: expected an element tag " + range);
  write_text(directory / "a.elem", "1\nTt 0 1 2 3 3000000000\n");
  EXPECT_EQ(error("a.pts", "4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n"), "a.elem:2: expected a region tag " + range);
  const std::string floating = replaced(replaced(vtu, "Int32", "Float64"), "7 8 9", "7 3000000000 9");
  EXPECT_EQ(
      error("a.vtu", floating),
      "a.vtu: cell array 'region': cell 1 holds 3000000000, expected a whole number from -2147483647 to 2147483647");
}

/// Two pieces of a parallel file: the second repeats a cell of the first as a ghost.
std::string with_ghosts(const std::string& array) { return replaced(vtu, "<CellData>", "<CellData>" + array); }

TEST_F(ForeignFile, WithGhostCellsIsReadWithoutThemAndSaysSo) {
  const auto ghosts = [](const char* name, const char* type, const char* values) {
    return fmt::format("<DataArray type=\"{}\" Name=\"{}\" format=\"ascii\">{}</DataArray>", type, name, values);
  };
  for (const std::string& array : {ghosts("vtkGhostType", "UInt8", "0 1 0"), ghosts("vtkGhostType", "UInt8", "2 32 16"),
                                   ghosts("vtkGhostLevels", "UInt8", "0 2 0")}) {
    Mesh mesh = read("a.vtu", with_ghosts(array));
    EXPECT_EQ(mesh.element_tags, std::vector<int>{7}) << array;
    EXPECT_EQ(mesh.triangle_tags, std::vector<int>{9});
    EXPECT_EQ(mesh.remarks,
              std::vector<std::string>{"1 of 3 cells are ghosts (cell array 'vtkGhostType') and were left out"});
    EXPECT_EQ(check_mesh(mesh).unreferenced_nodes, 1);  // the node of the ghost alone
  }
  EXPECT_EQ(read("a.vtu", with_ghosts(ghosts("vtkGhostLevels", "Int32", "0 2 0"))).remarks,
            std::vector<std::string>{"1 of 3 cells are ghosts (cell array 'vtkGhostLevels') and were left out"});
  EXPECT_EQ(read("a.vtu", vtu).remarks, std::vector<std::string>());
  EXPECT_EQ(read("a.vtu", with_ghosts(ghosts("vtkGhostType", "UInt8", "0 0 0"))).remarks, std::vector<std::string>());
  EXPECT_EQ(error("a.vtu", with_ghosts(ghosts("vtkGhostType", "UInt8", "1 1 0"))),
            "a.vtu: the mesh has no tetrahedra (5 nodes, 1 triangles): 2 of 3 cells are ghosts (cell array "
            "'vtkGhostType') and were left out, as they belong to other pieces: expected all pieces merged into one "
            "file");
  EXPECT_NE(error("a.vtu", with_ghosts(ghosts("vtkGhostLevels", "UInt8", "1 2 1"))).find(": 3 of 3 cells are ghosts"),
            std::string::npos);
}

TEST_F(ForeignFile, WithFibresOfPointsThatAreNotFiniteTakesThoseThatAre) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  vtkSmartPointer<vtkUnstructuredGrid> grid = lagrange_grid(VTK_TETRA, 4, VTK_TRIANGLE, 3);
  const vtkNew<vtkDoubleArray> fiber;
  fiber->SetName("fiber");
  fiber->SetNumberOfComponents(3);
  fiber->InsertNextTuple3(nan, nan, nan);
  for (int k = 0; k < 2; ++k) fiber->InsertNextTuple3(0, k == 0 ? 2 : -3, 0);
  fiber->InsertNextTuple3(0, 0, 0);
  grid->GetPointData()->AddArray(fiber);
  const vtkNew<vtkXMLUnstructuredGridWriter> writer;
  writer->SetInputData(grid);
  writer->SetDataModeToBinary();
  writer->SetFileName((directory / "a.vtu").c_str());
  ASSERT_EQ(writer->Write(), 1);
  EXPECT_EQ(read_mesh(directory / "a.vtu").fibers, (std::vector<Vector3>{{0, 1, 0}}));
}

}  // namespace
}  // namespace cardiowarp
