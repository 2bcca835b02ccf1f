#include "app/advice/tissue.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "app/advice/problem_warnings.hpp"
#include "app/config/config.hpp"
#include "app/simulation/problem.hpp"
#include "fem/mesh_check.hpp"
#include "meshes/generate.hpp"
#include "tests/support/small_mesh.hpp"
#include "tests/support/temporary_directory.hpp"

namespace cardiowarp {
namespace {

using Lines = std::vector<std::string>;

class Tissue : public testing::Test {
 protected:
  Config load(const std::string& yaml) const {
    std::ofstream(directory / "a.yaml") << "mesh: {file: a.msh}\ntime: {end: 10, step: 0.1}\n" << yaml;
    return load_config(directory / "a.yaml");
  }
  Lines describe(const std::string& yaml) const {
    const Config config = load(yaml);
    return describe_tissue(config, build_problem(config, mesh));
  }
  bool warns_of_anisotropy(const std::string& yaml) const {
    const Config config = load(yaml);
    for (const std::string& warning : problem_warnings(config, build_problem(config, mesh)))
      if (warning.find("anisotropic") != std::string::npos) return true;
    return false;
  }

  test::TemporaryDirectory directory;
  Mesh mesh = test::small_mesh();  // lv (1) of 1/6 mm³, scar (2) of 5/6 mm³
};

TEST_F(Tissue, WithoutRegionsIsOneLine) {
  EXPECT_EQ(describe(""), (Lines{"tissue: 2 elements, 0.001 cm³; diffusivity 1 mm²/ms in all directions"}));
  EXPECT_EQ(describe("diffusivity: {longitudinal: 0.2, transverse: 0.05}\nfibers: {source: constant}"),
            (Lines{"tissue: 2 elements, 0.001 cm³; diffusivity 0.2 mm²/ms along and 0.05 across the fiber"}));
}

TEST_F(Tissue, OfCurvedElementsHasTheVolumeBetweenTheirEdges) {
  mesh = quadratic_mesh(mesh);
  mesh.nodes[mesh.edge_nodes[0][0]] = mesh.nodes[mesh.edge_nodes[0][0]] + Vector3{0.02, -0.05, 0.03};
  const Real volume_mm3 = check_mesh(mesh).volume_mm3;
  EXPECT_GT(std::abs(volume_mm3 - 1), 1e-3);
  EXPECT_EQ(describe(""), (Lines{fmt::format("tissue: 2 elements, {:.4g} cm³; diffusivity 1 mm²/ms in all directions",
                                             volume_mm3 / 1000)}));
}

TEST_F(Tissue, OfEachRegionHasItsElementsVolumeAndWhatDiffers) {
  EXPECT_EQ(
      describe("diffusivity: {isotropic: 0.2, anisotropic: 0.1}\n"
               "fibers: {source: constant}\n"
               "regions: [{where: {tag: scar}, diffusivity: {isotropic: 0.05}, "
               "cell_model: {parameters: {alpha: 0.1, c: 8, mu2: 0.4}}}]"),
      (Lines{"outside the regions: 1 elements, 0.0001667 cm³; diffusivity 0.3 mm²/ms along and 0.2 across the fiber",
             "regions[0] (tag scar): 1 elements, 0.0008333 cm³; diffusivity 0.05 mm²/ms in all directions, alpha "
             "0.1, mu2 0.4"}));
}

TEST_F(Tissue, ThatLaterRegionsCoverIsSaidToBeCovered) {
  EXPECT_EQ(describe("diffusivity: {isotropic: 0.2}\n"
                     "regions:\n"
                     "  - {where: {tag: lv}, diffusivity: {isotropic: 0.3}}\n"
                     "  - {where: {sphere: {center: [0, 0, 0], radius: 9}}, cell_model: {parameters: {c: 9}}}\n"),
            (Lines{"outside the regions: no elements, as the regions hold them all",
                   "regions[0] (tag lv): no elements, as later regions hold them all",
                   "regions[1] (sphere): 1 elements, 0.0008333 cm³; diffusivity 0.2 mm²/ms in all directions, c 9",
                   "regions[1] (sphere): 1 elements, 0.0001667 cm³; diffusivity 0.3 mm²/ms in all directions, c 9"}));
}

TEST_F(Tissue, WithoutFibersIsWarnedOfOnlyWhereAnAnisotropicPartIsAskedFor) {
  EXPECT_FALSE(warns_of_anisotropy(""));
  const std::string resolved = resolved_yaml(load(""));
  std::ofstream(directory / "resolved.yaml") << resolved;
  const Config again = load_config(directory / "resolved.yaml");
  EXPECT_EQ(problem_warnings(again, build_problem(again, mesh)),
            problem_warnings(load(""), build_problem(load(""), mesh)));
  EXPECT_FALSE(warns_of_anisotropy("diffusivity: {isotropic: 1}"));
  EXPECT_TRUE(warns_of_anisotropy("diffusivity: {isotropic: 1, anisotropic: 0.1}"));
  EXPECT_FALSE(warns_of_anisotropy("diffusivity: {isotropic: 1, anisotropic: 0.1}\nfibers: {source: constant}"));
  const Config config = load("regions: [{where: {tag: scar}, diffusivity: {longitudinal: 0.2, transverse: 0.1}}]");
  const Lines warnings = problem_warnings(config, build_problem(config, mesh));
  const std::string expected = (directory / "a.yaml").string() +
                               ":3:45: regions[0].diffusivity: the anisotropic part has no effect, as fibers.source is "
                               "none (constant with a fibers.direction, or mesh, gives fibers)";
  EXPECT_NE(std::find(warnings.begin(), warnings.end(), expected), warnings.end()) << warnings.back();
}

}  // namespace
}  // namespace cardiowarp
