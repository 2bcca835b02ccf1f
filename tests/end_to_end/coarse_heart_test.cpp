// Hearts whose runs have ended too early before: with single edges many times as long as the front is thick, as meshes
// of four chambers have them, and with a sphere of tissue that conducts poorly. With the default quadrature, and where
// points at vertices have two thirds of the mass, the wave goes through and stays in the range of the cell model.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "fem/mesh.hpp"
#include "fem/tetrahedron.hpp"
#include "meshes/generate.hpp"
#include "meshes/mesh_file.hpp"
#include "tests/support/program.hpp"
#include "tests/support/result_files.hpp"
#include "tests/support/temporary_directory.hpp"

namespace cardiowarp::test {
namespace {

class CoarseHeart : public testing::Test {
 protected:
  ProgramResult run(const std::string& quadrature) {
    return run_program({"run", folder / "heart.yaml", "--backend", "cpu", "--set", "quadrature=" + quadrature},
                       folder.path());
  }

  /// At rest the model has −80 mV, in a plateau 20. Points at vertices alone keep nearly that.
  void expect_all_frames_in_range(const std::string& quadrature) {
    Real lowest = 0, highest = -80;
    for (const PvdFrame& frame : read_pvd(folder / "result" / "potential.pvd"))
      for (const Real potential_mv : point_values(frame.file, "potential")) {
        ASSERT_TRUE(std::isfinite(potential_mv)) << frame.time_ms;
        lowest = std::min(lowest, potential_mv);
        highest = std::max(highest, potential_mv);
      }
    EXPECT_GE(lowest, quadrature == "vertices" ? -82 : -90);
    EXPECT_LE(highest, 25);
    EXPECT_GT(highest, 0);
  }

  TemporaryDirectory folder;
};

/// A heart of half the size with edges of about 2 mm. Every twentieth node of its base is pulled out of it, so that
/// single edges are 8 to 19 mm long, but where that turned a tetrahedron inside out.
Mesh heart_with_single_long_edges() {
  Mesh mesh = biventricle_mesh(4);
  for (Vector3& node : mesh.nodes) node = 0.5 * node;
  std::vector<std::vector<Index>> elements(mesh.nodes.size());
  for (std::size_t e = 0; e < mesh.tetrahedra.size(); ++e)
    for (const Index node : mesh.tetrahedra[e]) elements[node].push_back(static_cast<Index>(e));
  const auto is_turned = [&](Index e) {
    const Tetrahedron& t = mesh.tetrahedra[e];
    const Vector3 a = mesh.nodes[t[1]] - mesh.nodes[t[0]], b = mesh.nodes[t[2]] - mesh.nodes[t[0]],
                  c = mesh.nodes[t[3]] - mesh.nodes[t[0]];
    return !(dot(cross(a, b), c) > 1e-3);
  };
  int of_base = 0, pulled = 0;
  for (std::size_t node = 0; node < mesh.nodes.size(); ++node) {
    Vector3& place = mesh.nodes[node];
    if (place.z < -1e-6 || ++of_base % 20 != 0) continue;
    const Vector3 before = place;
    place.z += 7 + 10.0 * (pulled++ % 7) / 6;
    if (std::any_of(elements[node].begin(), elements[node].end(), is_turned)) place = before;
  }
  return mesh;
}

/// How many edges of elements are longer than each of these, in mm.
std::vector<int> edges_longer_than(const Mesh& mesh, const std::vector<Real>& lengths_mm) {
  std::vector<int> counts(lengths_mm.size(), 0);
  for (const Tetrahedron& t : mesh.tetrahedra)
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < i; ++j)
        for (std::size_t k = 0; k < lengths_mm.size(); ++k)
          counts[k] += norm(mesh.nodes[t[i]] - mesh.nodes[t[j]]) > lengths_mm[k];
  return counts;
}

TEST_F(CoarseHeart, OfWhichSingleEdgesAreManyFrontsLongIsPassedByAWave) {
  const Mesh mesh = heart_with_single_long_edges();
  const std::vector<int> longer = edges_longer_than(mesh, {8, 17, 20});
  EXPECT_GT(longer[0], 100);
  EXPECT_LT(longer[0], static_cast<int>(mesh.tetrahedra.size()) / 20);  // single ones
  EXPECT_GT(longer[1], 10);
  EXPECT_EQ(longer[2], 0);
  write_mesh(mesh, folder / "heart.vtu");
  write_text(folder / "heart.yaml",
             "mesh: {file: heart.vtu}\n"
             "diffusivity: {isotropic: 1}\n"
             "stimuli: [{where: {sphere: {center: [0, 0, -37.5], radius: 8}}, duration: 2, amplitude: 50}]\n"
             "time: {end: 400, step: 0.2, adaptive: {enabled: true}}\n"
             "output: {directory: result, interval: 20}\n");
  for (const std::string quadrature : {"vertices", "vertices_and_centroid"}) {
    SCOPED_TRACE(quadrature);
    const ProgramResult result = run(quadrature);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_NE(result.errors.find("front is 1.8 mm thick"), std::string::npos) << result.errors;
    EXPECT_NE(result.errors.find(fmt::format("activated {0} of {0} nodes", mesh.nodes.size())), std::string::npos)
        << result.errors;
    expect_all_frames_in_range(quadrature);
  }
  const ProgramResult centroid = run("centroid");
  EXPECT_EQ(centroid.exit_code, 3);
  EXPECT_NE(centroid.errors.find("left the range of the cell model"), std::string::npos) << centroid.errors;
}

class PoorSphere : public CoarseHeart, public testing::WithParamInterface<std::string> {};

TEST_P(PoorSphere, InTheHeartEndsNoRunHoweverLittleItConducts) {
  write_mesh(biventricle_mesh(5), folder / "heart.vtu");
  for (const Real share : {0.1, 0.03, 0.01, 1e-3, 1e-9})
    for (const bool graded : {false, true}) {
      SCOPED_TRACE(fmt::format("D {}, {}", share, graded ? "graded" : "sharp"));
      std::string regions;
      for (int shell = graded ? 1 : 3; shell <= 3; ++shell)
        regions += fmt::format(
            "  - where: {{sphere: {{center: [-27, 0, -20], radius: {}}}}}\n    diffusivity: {{isotropic: {}}}\n",
            graded ? 20 - 4 * shell : 12, std::pow(share, shell / 3.0));
      write_text(folder / "heart.yaml",
                 "mesh: {file: heart.vtu}\n"
                 "diffusivity: {isotropic: 1}\n"
                 "regions:\n" +
                     regions +
                     "stimuli: [{where: {sphere: {center: [0, 0, -75], radius: 12}}, duration: 2, amplitude: 50}]\n"
                     "time: {end: 150, step: 0.2, adaptive: {enabled: true}}\n"
                     "output: {directory: result, interval: 50}\n");
      const ProgramResult result = run(GetParam());
      EXPECT_EQ(result.exit_code, 0) << result.errors;
      expect_all_frames_in_range(GetParam());
    }
}

INSTANTIATE_TEST_SUITE_P(EndToEnd, PoorSphere, testing::Values("vertices", "vertices_and_centroid"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace cardiowarp::test
