#include <fmt/format.h>
#include <gmsh.h>
#include <gtest/gtest.h>
#include <vtkCellArray.h>
#include <vtkCellType.h>
#include <vtkNew.h>
#include <vtkPoints.h>
#include <vtkQuadraticTetra.h>
#include <vtkUnstructuredGrid.h>
#include <vtkXMLUnstructuredGridWriter.h>

#include <string>
#include <vector>

#include "fem/mesh_check.hpp"
#include "fem/quadratic_tetrahedron.hpp"
#include "meshes/generate.hpp"
#include "meshes/gmsh_file.hpp"
#include "meshes/mesh_file.hpp"
#include "meshes/msh_file.hpp"
#include "tests/support/input_error_of.hpp"
#include "tests/support/small_mesh.hpp"
#include "tests/support/temporary_directory.hpp"

namespace cardiowarp {
namespace {

using test::input_error_of;
using test::small_mesh;
using test::TemporaryDirectory;

/// Two elements of which one edge is curved.
Mesh curved_mesh() {
  Mesh mesh = quadratic_mesh(small_mesh());
  mesh.nodes[mesh.edge_nodes[1][4]].x += 0.125;
  return mesh;
}

void expect_same(const Mesh& found, const Mesh& expected) {
  EXPECT_EQ(found.nodes, expected.nodes);
  EXPECT_EQ(found.tetrahedra, expected.tetrahedra);
  EXPECT_EQ(found.edge_nodes, expected.edge_nodes);
  EXPECT_EQ(found.element_tags, expected.element_tags);
  EXPECT_EQ(found.triangles, expected.triangles);
  EXPECT_EQ(found.triangle_edge_nodes, expected.triangle_edge_nodes);
  EXPECT_EQ(found.triangle_tags, expected.triangle_tags);
  EXPECT_EQ(found.volume_names, expected.volume_names);
  EXPECT_EQ(found.surface_names, expected.surface_names);
}

TEST(QuadraticMesh, HasANodeInTheMiddleOfEachEdge) {
  Mesh mesh = quadratic_mesh(small_mesh());
  EXPECT_EQ(mesh.nodes.size(), 14U);  // 5 and the 9 edges of two tetrahedra over a face
  for (std::size_t element = 0; element < 2; ++element)
    for (int k = 0; k < 6; ++k) {
      const Tetrahedron& corner = mesh.tetrahedra[element];
      const Vector3 middle = 0.5 * (mesh.nodes[corner[edge_corners[k][0]]] + mesh.nodes[corner[edge_corners[k][1]]]);
      EXPECT_EQ(mesh.nodes[mesh.edge_nodes[element][k]], middle) << element << " " << k;
    }
  for (int k = 0; k < 3; ++k) {
    const Triangle& corner = mesh.triangles[1];
    EXPECT_EQ(mesh.nodes[mesh.triangle_edge_nodes[1][k]],
              0.5 * (mesh.nodes[corner[k]] + mesh.nodes[corner[(k + 1) % 3]]));
  }
  const Real volume = check_mesh(mesh).volume_mm3;
  Mesh linear = small_mesh();
  EXPECT_NEAR(volume, check_mesh(linear).volume_mm3, 1e-15);
}

TEST(QuadraticMesh, HasLinearPiecesBetweenItsNodesThatRefinementMakes) {
  const Mesh pieces = linear_pieces(quadratic_mesh(small_mesh())), refined = refine_mesh(small_mesh(), 1);
  EXPECT_EQ(pieces.nodes, refined.nodes);
  EXPECT_EQ(pieces.tetrahedra, refined.tetrahedra);
  EXPECT_EQ(pieces.triangles, refined.triangles);
  EXPECT_EQ(pieces.element_tags, refined.element_tags);
}

TEST(QuadraticMesh, IsWhatItWasAfterWritingAndReading) {
  const TemporaryDirectory directory;
  for (const char* name : {"mesh.msh", "mesh.vtu"}) {
    write_mesh(curved_mesh(), directory.path() / name);
    expect_same(read_mesh(directory.path() / name), curved_mesh());
  }
}

TEST(QuadraticMesh, IsReadInTheOrderOfGmsh) {
  const TemporaryDirectory directory;
  for (const double version : {2.2, 4.1})
    for (const int binary : {0, 1}) {
      const auto file = directory.path() / "gmsh.msh";
      {
        const GmshSession session;
        session.run("test", [&] {
          gmsh::model::occ::addBox(0, 0, 0, 1, 2, 3);
          gmsh::model::occ::synchronize();
          gmsh::model::addPhysicalGroup(3, {1}, 5);
          gmsh::model::addPhysicalGroup(2, {1, 2}, 7);
          gmsh::option::setNumber("Mesh.MeshSizeMin", 1.5);
          gmsh::option::setNumber("Mesh.MeshSizeMax", 1.5);
          gmsh::model::mesh::generate(3);
          gmsh::model::mesh::setOrder(2);
          gmsh::option::setNumber("Mesh.MshFileVersion", version);
          gmsh::option::setNumber("Mesh.Binary", binary);
          gmsh::write(file.string());
        });
      }
      Mesh mesh = read_mesh(file);
      ASSERT_TRUE(mesh.is_quadratic());
      ASSERT_GT(mesh.triangles.size(), 0U);
      EXPECT_EQ(mesh.element_tags.front(), 5);
      const MeshReport report = check_mesh(mesh);
      EXPECT_EQ(report.curved_elements, 0) << version << binary;
      EXPECT_NEAR(report.volume_mm3, 6, 1e-12);
    }
}

TEST(QuadraticMesh, IsReadInTheOrderOfVtk) {
  const TemporaryDirectory directory;
  const vtkNew<vtkQuadraticTetra> cell;
  const double* at = cell->GetParametricCoords();
  const vtkNew<vtkPoints> points;
  points->SetDataTypeToDouble();
  for (int i = 0; i < 10; ++i) points->InsertNextPoint(at + 3 * i);
  const vtkNew<vtkUnstructuredGrid> grid;
  grid->SetPoints(points);
  const vtkIdType nodes[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  grid->InsertNextCell(VTK_QUADRATIC_TETRA, 10, nodes);
  const vtkNew<vtkXMLUnstructuredGridWriter> writer;
  writer->SetFileName((directory.path() / "vtk.vtu").c_str());
  writer->SetInputData(grid);
  writer->SetDataModeToAscii();
  writer->Write();
  Mesh mesh = read_mesh(directory.path() / "vtk.vtu");
  EXPECT_EQ(check_mesh(mesh).curved_elements, 0);
}

constexpr const char* head =
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n11\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 .5 0 0\n6 .5 .5 0\n7 0 .5 "
    "0\n8 0 0 .5\n9 0 .5 .5\n10 .5 0 .5\n11 0 0 -1\n$EndNodes\n$Elements\n";

TEST(QuadraticMesh, IsNotMixedWithLinearElements) {
  const auto refusal = [](const std::string& elements) {
    return input_error_of([&] { read_msh_text("a.msh", head + elements + "$EndElements\n"); });
  };
  EXPECT_EQ(refusal("2\n1 11 2 1 1 1 2 3 4 5 6 7 8 9 10\n2 4 2 1 1 1 3 2 11\n"),
            "a.msh: has both linear (4-node) and quadratic (10-node) tetrahedra, 1 and 1: expected one kind");
  EXPECT_EQ(refusal("2\n1 11 2 1 1 1 2 3 4 5 6 7 8 9 10\n2 2 2 3 1 1 2 3\n"),
            "a.msh: has 1 3-node triangles on 10-node tetrahedra: expected 6-node triangles");
  EXPECT_EQ(refusal("2\n1 4 2 1 1 1 2 3 4\n2 9 2 3 1 1 2 3 5 6 7\n"),
            "a.msh: has 1 6-node triangles on 4-node tetrahedra: expected 3-node triangles");
}

TEST(QuadraticMesh, InPartsHasNoTrianglesBetweenThem) {
  // In version 2.2 the triangle of group 4 is in part 2, and the ones of groups 3 and 5, between the parts, are in
  // none.
  const std::string elements =
      "4\n1 11 4 1 1 1 2 1 2 3 4 5 6 7 8 9 10\n2 9 2 3 1 1 2 3 5 6 7\n3 9 4 4 1 1 2 1 2 4 5 10 8\n"
      "4 9 4 5 1 0 2 2 3 4 6 9 10\n";
  const Mesh mesh = read_msh_text("a.msh", head + elements + "$EndElements\n");
  EXPECT_EQ(mesh.triangle_tags, std::vector<int>{4});
  EXPECT_EQ(mesh.triangles, (std::vector<Triangle>{{0, 1, 3}}));
  EXPECT_EQ(mesh.triangle_edge_nodes.size(), 1U);
  EXPECT_EQ(mesh.element_tags, std::vector<int>{1});
}

TEST(QuadraticMesh, IsNotMixedWithLinearElementsInAVtu) {
  const TemporaryDirectory directory;
  const vtkNew<vtkQuadraticTetra> cell;
  const double* at = cell->GetParametricCoords();
  const vtkNew<vtkPoints> points;
  points->SetDataTypeToDouble();
  for (int i = 0; i < 10; ++i) points->InsertNextPoint(at + 3 * i);
  points->InsertNextPoint(0, 0, -1);
  const vtkNew<vtkUnstructuredGrid> grid;
  grid->SetPoints(points);
  const vtkIdType quadratic[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, linear[] = {0, 2, 1, 10};
  grid->InsertNextCell(VTK_QUADRATIC_TETRA, 10, quadratic);
  grid->InsertNextCell(VTK_TETRA, 4, linear);
  const vtkNew<vtkXMLUnstructuredGridWriter> writer;
  writer->SetFileName((directory.path() / "mixed.vtu").c_str());
  writer->SetInputData(grid);
  writer->Write();
  const std::string refusal = input_error_of([&] { read_mesh(directory.path() / "mixed.vtu"); });
  EXPECT_NE(refusal.find("mixed.vtu"), std::string::npos) << refusal;
  EXPECT_NE(refusal.find("has both linear (4-node) and quadratic (10-node) tetrahedra, 1 and 1: expected one kind"),
            std::string::npos)
      << refusal;
}

TEST(QuadraticMesh, IsNotForWhatTakesLinearElements) {
  const TemporaryDirectory directory;
  EXPECT_NE(input_error_of([&] {
              write_mesh(curved_mesh(), directory.path() / "mesh.pts");
            }).find("openCARP's .pts has no quadratic tetrahedra: expected .msh or .vtu"),
            std::string::npos);
  EXPECT_EQ(input_error_of([] { refine_mesh(curved_mesh(), 1); }).substr(0, 52),
            "mesh refine: expected linear tetrahedra of 4 nodes, ");
}

}  // namespace
}  // namespace cardiowarp
