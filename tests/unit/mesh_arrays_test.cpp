#include "app/simulation/mesh_arrays.hpp"

#include <gtest/gtest.h>

#include <string>

#include "app/start/load.hpp"
#include "tests/support/input_error_of.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/text_file.hpp"

namespace cardiowarp {
namespace {

using test::input_error_of;
using test::TemporaryDirectory;
using test::write_text;

/// A mesh file heart.vtk and configurations beside it.
class MeshArrays : public testing::Test {
 protected:
  MeshArrays() {
    write_text(
        directory / "heart.vtk",
        "# vtk DataFile Version 3.0\nmesh\nASCII\nDATASET UNSTRUCTURED_GRID\n"
        "POINTS 5 double\n0 0 0 1 0 0 0 1 0 0 0 1 2 2 2\nCELLS 2 10\n4 0 1 2 3\n4 1 2 3 4\nCELL_TYPES 2\n10\n10\n"
        "CELL_DATA 2\nSCALARS Material int\nLOOKUP_TABLE default\n5 6\nVECTORS FIB_DIR double\n0 2 0 0 0 3\n"
        "POINT_DATA 5\nVECTORS motion double\n1 0 0 1 0 0 1 0 0 1 0 0 1 0 0\n");
  }
  Config config(const std::string& mesh, const std::string& fibers) const {
    write_text(directory / "heart.yaml", "mesh: {" + mesh + "}\nfibers: {" + fibers + "}\ntime: {end: 1, step: 1}\n");
    return load_config(directory / "heart.yaml", {});
  }
  /// The error of reading the configuration and making the problem, without the folder.
  std::string error(const std::string& mesh, const std::string& fibers) const {
    std::string message = input_error_of([&] {
      Config read = config(mesh, fibers);
      const CheckedMesh checked = load_mesh(read.mesh);
      load_problem(read, checked);
    });
    const std::string folder = directory.path().string() + "/";
    for (std::size_t at = 0; (at = message.find(folder)) != std::string::npos;) message.erase(at, folder.size());
    return message;
  }

  TemporaryDirectory directory;
};

TEST_F(MeshArrays, AreTakenUnderTheNamesOfTheConfiguration) {
  const Config read = config("file: heart.vtk, tags: Material", "source: mesh, array: FIB_DIR");
  const CheckedMesh checked = load_mesh(read.mesh);
  EXPECT_EQ(checked.mesh.element_tags, (std::vector<int>{5, 6}));
  EXPECT_EQ(checked.mesh.fibers[0], (Vector3{0, 1, 0}));
}

TEST_F(MeshArrays, UnderWrongNamesAreListedWithTheNearestOne) {
  EXPECT_EQ(
      error("file: heart.vtk, tags: material_", ""),
      "heart.yaml:1:31: mesh.tags: expected a cell array of whole numbers of 'heart.vtk', got 'material_'; did you "
      "mean 'Material'? (numbers of components in brackets: cell arrays Material (1), FIB_DIR (3); point arrays "
      "motion (3))");
  EXPECT_EQ(error("file: heart.vtk", "source: mesh, array: FIB_DIRS"),
            "heart.yaml:2:31: fibers.array: expected a cell or point array of 3 components of 'heart.vtk', got "
            "'FIB_DIRS'; did you mean 'FIB_DIR'? (numbers of components in brackets: cell arrays Material (1), FIB_DIR "
            "(3); point arrays motion (3))");
  EXPECT_TRUE(
      error("file: heart.vtk, tags: motion", "").starts_with("heart.yaml:1:31: mesh.tags: expected a cell array"));
  EXPECT_EQ(error("file: heart.vtk", "source: mesh, array: Material"),
            "heart.yaml:1:14: mesh.file: heart.vtk: cell array 'Material' has 2 x 1 values: expected 2 x 3 (cells x "
            "components)");
}

TEST_F(MeshArrays, ThatMayBeFibersAreNamedWhereNoneIsFound) {
  EXPECT_EQ(
      error("file: heart.vtk", "source: mesh"),
      "heart.yaml:2:18: fibers.source: mesh, but 'heart.vtk' has no fibers: expected a cell or point array fiber, "
      "fibre, fibers or fibres of 3 components; name one of FIB_DIR, motion in fibers.array (numbers of components "
      "in brackets: cell arrays Material (1), FIB_DIR (3); point arrays motion (3))");
}

TEST_F(MeshArrays, AreOnlyNamedForVtkFiles) {
  EXPECT_EQ(error("file: heart.msh, tags: Material", ""),
            "heart.yaml:1:31: mesh.tags: expected a mesh file .vtu or .vtk, whose arrays have names, got 'heart.msh'");
  EXPECT_EQ(
      error("file: heart.pts", "source: mesh, array: FIB_DIR"),
      "heart.yaml:2:31: fibers.array: expected a mesh file .vtu or .vtk, whose arrays have names, got 'heart.pts'");
}

TEST_F(MeshArrays, OfFibersNeedTheMeshAsTheirSource) {
  EXPECT_EQ(error("file: heart.vtk", "source: constant, array: FIB_DIR"),
            "heart.yaml:2:35: fibers.array: expected source: mesh to go with it, got source: constant");
  EXPECT_EQ(error("file: heart.vtk", "array: FIB_DIR"),
            "heart.yaml:2:17: fibers.array: expected source: mesh to go with it, got source: none");
}

TEST_F(MeshArrays, StandInTheResolvedConfigurationWhereTheyAreNamed) {
  const std::string text =
      resolved_yaml(config("file: heart.vtk, tags: \"Mat \\\"1\\\"\"", "source: mesh, array: FIB_DIR"));
  EXPECT_NE(text.find("  length_unit: mm\n  tags: \"Mat \\\"1\\\"\"\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  source: mesh\n  array: \"FIB_DIR\"\n"), std::string::npos) << text;
  write_text(directory / "resolved.yaml", text);
  const Config again = load_config(directory / "resolved.yaml", {});
  EXPECT_EQ(again.mesh.tags.name, "Mat \"1\"");
  EXPECT_EQ(again.mesh.fibers.name, "FIB_DIR");
}

TEST_F(MeshArrays, AreNotAskedOfFormatsThatKeepFibersElsewhereOrNowhere) {
  EXPECT_EQ(where_fibers_are_expected({}, "/heart.pts"), "expected them in '/heart.lon'");
  EXPECT_EQ(where_fibers_are_expected({}, "/heart.msh"), "files .msh have none: take .vtu or .pts with .lon");
  EXPECT_NE(where_fibers_are_expected({}, "/heart.vtu").find("none of its arrays has 3 components"), std::string::npos);
}

}  // namespace
}  // namespace cardiowarp
