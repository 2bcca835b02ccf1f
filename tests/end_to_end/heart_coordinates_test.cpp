// Coordinates of the ventricles through the program: a mesh with them, and runs whose regions and stimuli go by them.

#include <gtest/gtest.h>
#include <vtkCellData.h>
#include <vtkDataArray.h>
#include <vtkPointData.h>
#include <vtkUnstructuredGrid.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/program.hpp"
#include "tests/support/run_results.hpp"
#include "tests/support/temporary_directory.hpp"

namespace cardiowarp::test {
namespace {

using Words = std::vector<std::string>;

class HeartCoordinates : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(program({"mesh", "biventricle", "--edge", "7mm", "--output", folder / "heart.msh"}).exit_code, 0);
  }
  ProgramResult program(Words words) const { return run_program(std::move(words), folder.path()); }
  ProgramResult run(const std::string& yaml, const std::string& output, Words more = {}) const {
    write_text(folder / "heart.yaml", "mesh: {file: heart.msh}\nbackend: cpu\ntime: {end: 3, step: 0.1}\n" + yaml);
    Words words{"run", folder / "heart.yaml", "--output", folder / output};
    words.insert(words.end(), more.begin(), more.end());
    return program(std::move(words));
  }
  std::vector<double> of_nodes(const std::string& file, const char* array) const {
    const auto grid = read_vtu(folder / file);
    vtkDataArray* const values = grid->GetPointData()->GetArray(array);
    std::vector<double> all;
    for (vtkIdType i = 0; values != nullptr && i < values->GetNumberOfTuples(); ++i)
      all.push_back(values->GetComponent(i, 0));
    return all;
  }

  TemporaryDirectory folder;
};

TEST_F(HeartCoordinates, AreWrittenBesideTheMeshAndSelectWhatARunStimulates) {
  const ProgramResult made = program({"mesh", "coordinates", folder / "heart.msh", "--output", folder / "uvc.vtu"});
  ASSERT_EQ(made.exit_code, 0) << made.errors;
  EXPECT_NE(made.output.find("rotational: 0 towards the right ventricle"), std::string::npos) << made.output;
  const std::vector<double> transmural = of_nodes("uvc.vtu", "transmural"), height = of_nodes("uvc.vtu", "apicobasal"),
                            angle = of_nodes("uvc.vtu", "rotational"), ventricle = of_nodes("uvc.vtu", "ventricle"),
                            septum = of_nodes("uvc.vtu", "septum");
  ASSERT_FALSE(transmural.empty());
  const ProgramResult result = run(
      "stimuli:\n"
      "  - {where: {transmural: [0, 0.6], apicobasal: [0.2, 0.7], rotational: [150 deg, -150 deg], ventricle: lv},\n"
      "     duration: 2, amplitude: 100, edge: nodes}\n",
      "stimulated");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const std::vector<double> activation = of_nodes("stimulated/maps.vtu", "activation_time");
  ASSERT_EQ(activation.size(), transmural.size());
  std::size_t within = 0;
  for (std::size_t node = 0; node < transmural.size(); ++node) {
    EXPECT_TRUE(septum[node] == 0 || ventricle[node] == -1);
    const bool is_within = transmural[node] <= 0.6 && height[node] >= 0.2 && height[node] <= 0.7 &&
                           std::fabs(angle[node]) >= 150 * 3.14159265 / 180 && ventricle[node] == -1;
    within += is_within ? 1 : 0;
    EXPECT_EQ(is_within, activation[node] >= 0 && activation[node] < 1.5) << node;
  }
  EXPECT_GT(within, 20u);
  // The results name no surfaces, which are found by geometry; their heart is the same one.
  const ProgramResult carried =
      program({"mesh", "coordinates", folder / "heart.msh", "--from", folder / "stimulated/maps.vtu", "--array",
               "activation_time", "--output", folder / "carried.vtu"});
  ASSERT_EQ(carried.exit_code, 0) << carried.errors;
  EXPECT_NE(carried.output.find("carried: activation_time;"), std::string::npos) << carried.output;
  EXPECT_NE(carried.output.find("to this heart and back: mean 0."), std::string::npos) << carried.output;
  const std::vector<double> there = of_nodes("carried.vtu", "activation_time");
  ASSERT_EQ(there.size(), activation.size());
  std::size_t other = 0;
  for (std::size_t node = 0; node < there.size(); ++node) other += std::fabs(there[node] - activation[node]) > 1e-6;
  EXPECT_LT(other, there.size() / 30);
}

TEST_F(HeartCoordinates, AreCarriedFromNoOtherFileThanOneWithTheArray) {
  const auto error = [&](const std::string& from, const std::string& array) {
    return program({"mesh", "coordinates", folder / "heart.msh", "--from", folder / from, "--array", array, "--output",
                    folder / "none.vtu"})
        .errors;
  };
  EXPECT_NE(error("heart.msh", "x").find("--from: expected a file .vtu or .vtk"), std::string::npos);
  ASSERT_EQ(program({"mesh", "fibers", folder / "heart.msh", "--output", folder / "other.vtu"}).exit_code, 0);
  EXPECT_NE(error("other.vtu", "phi_ep").find("--array: expected a cell or point array"), std::string::npos);
  EXPECT_NE(error("other.vtu", "psi,psi").find("--array: expected different names"), std::string::npos);
  EXPECT_NE(error("other.vtu", "").find("--from, --array: expected both or none"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder / "none.vtu"));
}

TEST_F(HeartCoordinates, GiveLayersOfTheWallCellsOfTheirOwnAndAreFoundOnceWithFibersByRule) {
  const std::string layers =
      "cell_model: {name: bueno_orovio, set: epicardial}\n"
      "fibers: {source: rule}\n"
      "regions:\n"
      "  - {where: {transmural: [0, 0.3]}, cell_model: {set: endocardial}}\n"
      "  - {where: {transmural: [0.3, 0.7]}, cell_model: {set: midmyocardial}}\n";
  write_text(folder / "heart.yaml", "mesh: {file: heart.msh}\ntime: {end: 3, step: 0.1}\n" + layers);
  const ProgramResult checked = program({"check", folder / "heart.yaml"});
  ASSERT_EQ(checked.exit_code, 0) << checked.errors;
  EXPECT_NE(checked.output.find("regions[0] (transmural: [0, 0.3]):"), std::string::npos) << checked.output;
  EXPECT_NE(checked.output.find("coordinates: of a left and a right ventricle"), std::string::npos);
  const std::size_t surface = checked.output.find("  endo_lv:");
  EXPECT_NE(surface, std::string::npos);
  EXPECT_EQ(checked.output.find("  endo_lv:", surface + 1), std::string::npos) << "surfaces are told once";
  const ProgramResult result = run(layers, "layers");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  const ProgramResult again = program({"run", folder / "layers/resolved.yaml", "--output", folder / "again"});
  EXPECT_EQ(again.exit_code, 0) << again.errors;
}

TEST_F(HeartCoordinates, AreThoseOfTheCoarseMeshWhereItsErrorIsEstimated) {
  const ProgramResult result =
      run("stimuli: [{where: {transmural: [0, 0.5], apicobasal: [0, 0.5]}, duration: 2, amplitude: 100}]\n"
          "boundary: [{where: {transmural: [0, 0], apicobasal: [0.9, 1]}, potential: -80}]\n",
          "estimated", {"--estimate-mesh-error"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
}

TEST_F(HeartCoordinates, OfATissueThatIsNoHeartAreRefusedBeforeAnythingIsWritten) {
  ASSERT_EQ(program({"mesh", "slab", "--size", "5,3,1", "--edge", "1mm", "--output", folder / "slab.msh"}).exit_code,
            0);
  const ProgramResult run_on_slab = run("regions: [{where: {transmural: [0, 0.3]}, diffusivity: {isotropic: 0.5}}]\n",
                                        "slab", {"--set", "mesh.file=slab.msh"});
  EXPECT_EQ(run_on_slab.exit_code, 2);
  EXPECT_NE(run_on_slab.errors.find("regions[0].where: coordinates, but"), std::string::npos) << run_on_slab.errors;
  EXPECT_FALSE(std::filesystem::exists(folder / "slab"));
  const ProgramResult mesh = program({"mesh", "coordinates", folder / "slab.msh", "--output", folder / "none.vtu"});
  EXPECT_EQ(mesh.exit_code, 2);
  EXPECT_NE(mesh.errors.find("mesh coordinates: coordinates, but"), std::string::npos) << mesh.errors;
  EXPECT_FALSE(std::filesystem::exists(folder / "none.vtu"));
}

}  // namespace
}  // namespace cardiowarp::test
