// Tissue that conducts poorly, in whole or in part, and elements that are long for the front: runs with the default
// quadrature end, and the potential stays in the range of the cell model.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "fem/mesh.hpp"
#include "meshes/generate.hpp"
#include "meshes/mesh_file.hpp"
#include "tests/support/program.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/text_file.hpp"

namespace cardiowarp::test {
namespace {

constexpr Real poor_shares[] = {0.1, 0.03, 0.01, 1e-3, 1e-9};

class PoorTissue : public testing::Test {
 protected:
  /// A slab of 12 × 7 × 4 edges or, unstructured, about so many.
  void make_slab(Real edge, bool structured) {
    edge_mm = edge;
    write_mesh(slab_mesh({12 * edge, 7 * edge, 4 * edge}, edge, structured), folder / "slab.vtu");
  }

  /// A beat's front through the slab with a sphere in its middle, whose diffusivity, as a share of the other's, is
  /// reached at once or in three shells.
  ProgramResult beat(const std::string& quadrature, Real share, bool graded) {
    std::string regions;
    for (int shell = graded ? 1 : 3; shell <= 3; ++shell)
      regions += fmt::format(
          "  - where: {{sphere: {{center: [{}, {}, {}], radius: {}}}}}\n    diffusivity: {{isotropic: {}}}\n",
          6 * edge_mm, 3.5 * edge_mm, 2 * edge_mm, (graded ? 3.2 - 0.6 * shell : 2.2) * edge_mm,
          std::pow(share, shell / 3.0));
    write_text(folder / "slab.yaml", fmt::format("mesh: {{file: slab.vtu}}\n"
                                                 "diffusivity: {{isotropic: 1}}\n"
                                                 "quadrature: {}\n"
                                                 "regions:\n{}"
                                                 "stimuli:\n"
                                                 "  - where: {{box: {{min: [-1, -1, -1], max: [{}, 100, 100]}}}}\n"
                                                 "    duration: 2\n"
                                                 "    amplitude: 50\n"
                                                 "time: {{end: 60, step: 0.1, adaptive: {{enabled: true}}}}\n"
                                                 "output: {{directory: result, interval: 60}}\n",
                                                 quadrature, regions, std::max(1.2, edge_mm)));
    return run_program({"run", folder / "slab.yaml", "--backend", "cpu"}, folder.path());
  }

  TemporaryDirectory folder;
  Real edge_mm = 0;
};

TEST_F(PoorTissue, OfASphereEndsNoRunWithVertices) {
  for (const bool structured : {true, false})
    for (const Real edge : {0.25, 1.0, 3.0}) {
      make_slab(edge, structured);
      for (const Real share : poor_shares)
        for (const bool graded : {false, true}) {
          SCOPED_TRACE(fmt::format("edge {} mm, {}, D {}, {}", edge, structured ? "structured" : "unstructured", share,
                                   graded ? "graded" : "sharp"));
          const ProgramResult result = beat("vertices", share, graded);
          EXPECT_EQ(result.exit_code, 0) << result.errors;
        }
    }
}

// What the default was chosen for: the mass of one point in an element couples the nodes of a poor element with the
// wrong sign.
TEST_F(PoorTissue, LeavesTheRangeWithOnePointInAnElement) {
  make_slab(0.5, true);
  const ProgramResult result = beat("centroid", 1e-9, false);
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_NE(result.errors.find("left the range"), std::string::npos) << result.errors;
}

/// A bar with edges of about 0.9 mm and 18 mm long, whose last 4 mm are stretched to this many times their length: few,
/// very long tetrahedra beside fine tissue.
Mesh bar_with_long_elements(Real times, bool structured) {
  constexpr Real fine_mm = 13.5;
  Mesh mesh = slab_mesh({18, 3.6, 3.6}, 0.9, structured);
  for (Vector3& node : mesh.nodes) node.x += std::max(0.0, node.x - fine_mm) * (times - 1);
  return mesh;
}

class LongElements : public testing::Test {
 protected:
  /// A beat along the bar with the defaults but for the quadrature; the front is 1.8 mm thick.
  ProgramResult beat(const Mesh& mesh, const std::string& quadrature) {
    write_mesh(mesh, folder / "bar.vtu");
    write_text(folder / "bar.yaml",
               "mesh: {file: bar.vtu}\n"
               "diffusivity: {isotropic: 1}\n"
               "stimuli: [{where: {box: {min: [-1, -1, -1], max: [2, 9, 9]}}, duration: 2, amplitude: 50}]\n"
               "time: {end: 600, step: 0.2, adaptive: {enabled: true}}\n"
               "output: {directory: result, interval: 300}\n");
    return run_program({"run", folder / "bar.yaml", "--backend", "cpu", "--set", "quadrature=" + quadrature},
                       folder.path());
  }
  TemporaryDirectory folder;
};

TEST_F(LongElements, EndNoRunWithTheDefaultAndAreWarnedOf) {
  for (const bool structured : {true, false})
    for (const Real times : {12, 15, 21}) {  // edges of 11 to 19 mm along the bar
      SCOPED_TRACE(testing::Message() << times << (structured ? " structured" : " unstructured"));
      const ProgramResult result = beat(bar_with_long_elements(times, structured), "vertices");
      EXPECT_EQ(result.exit_code, 0) << result.errors;
      EXPECT_NE(result.errors.find("warning: the mesh is coarse for the front"), std::string::npos) << result.errors;
    }
}

TEST_F(LongElements, EndARunWithOnePointInAnElement) {
  const ProgramResult result = beat(bar_with_long_elements(15, true), "centroid");
  EXPECT_EQ(result.exit_code, 3) << result.errors;
  EXPECT_NE(result.errors.find("left the range"), std::string::npos) << result.errors;
}

TEST_F(LongElements, AreNotWarnedOfWhereTheyAreNotLong) {
  const ProgramResult result = beat(bar_with_long_elements(1, true), "vertices");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(result.errors.find("coarse"), std::string::npos) << result.errors;
}

}  // namespace
}  // namespace cardiowarp::test
