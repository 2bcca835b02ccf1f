// Meshes whose elements and triangles are in several physical groups, from a .msh to the results.

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/program.hpp"
#include "tests/support/result_files.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/text_file.hpp"

namespace cardiowarp::test {
namespace {

namespace fs = std::filesystem;

/// A row of seven cubes of six tetrahedra: three in lv, two in lv and fibrosis, two in fibrosis and heart, which is
/// written with a sign. One end is apex and paced, the other paced. Node x + 8 (y + 2 z) + 1 is at (x, y, z).
std::string row_of_cubes(const std::string& groups_of_last) {
  std::string text =
      "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n6\n0 12 \"pacing site\"\n2 10 \"apex\"\n2 11 \"paced\"\n"
      "3 1 \"lv\"\n3 4 \"fibrosis\"\n3 9 \"heart\"\n$EndPhysicalNames\n"
      "$Entities\n0 0 2 3\n1 0 0 0 0 1 1 2 11 10 0\n2 7 0 0 7 1 1 1 11 0\n"
      "1 0 0 0 3 1 1 1 1 0\n2 3 0 0 5 1 1 2 4 1 0\n3 5 0 0 7 1 1 " +
      groups_of_last + " 0\n$EndEntities\n$Nodes\n1 32 1 32\n3 1 0 32\n";
  for (int node = 1; node <= 32; ++node) text += std::to_string(node) + "\n";
  for (int node = 0; node < 32; ++node)
    text += std::to_string(node % 8) + " " + std::to_string(node / 8 % 2) + " " + std::to_string(node / 16) + "\n";
  text += "$EndNodes\n$Elements\n5 46 1 46\n";
  int element = 0;
  const auto add = [&](const std::vector<int>& nodes) {
    text += std::to_string(++element);
    for (const int node : nodes) text += " " + std::to_string(node);
    text += "\n";
  };
  const int first_cube[] = {0, 3, 5, 7};
  for (int entity = 0; entity < 3; ++entity) {
    text += "3 " + std::to_string(entity + 1) + " 4 " +
            std::to_string(6 * (first_cube[entity + 1] - first_cube[entity])) + "\n";
    for (int cube = first_cube[entity]; cube < first_cube[entity + 1]; ++cube) {
      const int at = cube + 1;
      for (const auto& [one, other] : {std::pair(1, 8), {8, 1}, {8, 16}, {16, 8}, {16, 1}, {1, 16}})
        add({at, at + one, at + one + other, at + 25});
    }
  }
  text += "2 1 2 2\n";
  add({1, 9, 25}), add({1, 17, 25});
  text += "2 2 2 2\n";
  add({8, 16, 32}), add({8, 24, 32});
  return text + "$EndElements\n";
}

const std::string head =
    "mesh: {file: row.msh}\ndiffusivity: {isotropic: 0.1}\ntime: {end: 2 ms, step: 0.5 ms}\n"
    "output: {directory: out, interval: 1 ms}\n";

class GroupsOfARun : public testing::Test {
 protected:
  void SetUp() override { write_text(folder / "row.msh", row_of_cubes("2 4 -9")); }
  ProgramResult program(std::vector<std::string> words) const { return run_program(std::move(words), folder.path()); }
  ProgramResult check(const std::string& rest) const {
    write_text(folder / "row.yaml", head + rest);
    return program({"check", folder / "row.yaml"});
  }

  const TemporaryDirectory folder;
};

void expect_in(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << part << "\nis not in\n" << text;
}

TEST_F(GroupsOfARun, AreListedByCheckWithWhatTheyShareAndSelectAllTheirElements) {
  const ProgramResult result = check(
      "regions:\n  - {where: {tag: fibrosis}, diffusivity: {isotropic: 0.02}}\n"
      "stimuli:\n  - {name: ends, where: {tag: paced}, duration: 1 ms, amplitude: 50 mV/ms}\n"
      "  - {name: one_end, where: {tag: 10}, duration: 1 ms, amplitude: 50 mV/ms}\n");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  expect_in(result.output,
            "groups: lv (1) 30, fibrosis (4) 24, heart (9) 12 elements; lv (1) and fibrosis (4) share 12, fibrosis (4) "
            "and heart (9) share 12\n");
  expect_in(result.output, "surfaces: apex (10) 2, paced (11) 4 triangles; apex (10) and paced (11) share 2\n");
  expect_in(result.output, "regions[0] (tag fibrosis): 24 elements");
  expect_in(result.output, "stimulus ends: 8 nodes");
  expect_in(result.output, "stimulus one_end: 4 nodes");
  expect_in(check("boundary:\n  - {where: {surface: paced}, potential: -80 mV}\n").output,
            "boundary: 8 nodes prescribed");
  expect_in(result.errors, "row.msh: groups of points and curves are not read: pacing site\n");
}

TEST_F(GroupsOfARun, ThatOtherGroupsContainAreKnownByNameAndNumber) {
  for (const char* tag : {"heart", "9"})
    expect_in(check("regions: [{where: {tag: " + std::string(tag) + "}, diffusivity: {isotropic: 0.02}}]\n").output,
              "regions[0] (tag " + std::string(tag) + "): 12 elements");
  expect_in(check("regions: [{where: {tag: hart}, diffusivity: {isotropic: 0.02}}]\n").errors,
            "unknown tag 'hart': the mesh has fibrosis (4), heart (9), lv (1); surfaces apex (10), paced (11); did you "
            "mean 'heart'?");
}

TEST_F(GroupsOfARun, StayWithTheMeshThroughRefinementIntoEachFormatThatKeepsThem) {
  for (const char* name : {"fine.MSH", "fine.vtu"}) {
    const ProgramResult refined =
        program({"mesh", "refine", folder / "row.msh", "--length-unit", "mm", "--output", folder / name});
    ASSERT_EQ(refined.exit_code, 0) << refined.errors;
    expect_in(refined.output, "fibrosis            192 tetrahedra");
    write_text(folder / "fine.yaml", head + "regions: [{where: {tag: heart}, diffusivity: {isotropic: 0.02}}]\n");
    const ProgramResult result = program({"check", folder / "fine.yaml", "--set", "mesh.file=" + std::string(name)});
    expect_in(result.output, "groups: lv (1) 240, fibrosis (4) 192, heart (9) 96 elements");
    expect_in(result.output, "regions[0] (tag heart): 96 elements");
  }
  expect_in(program({"mesh", "refine", folder / "row.msh", "--output", folder / "fine.pts"}).errors,
            "openCARP's .pts has one tag an element");
}

TEST_F(GroupsOfARun, ArePrescribedOnByLaplaceAndStandInItsFile) {
  const ProgramResult result = program(
      {"laplace", folder / "row.msh", "--at", "apex=0", "--at", "{tag: heart}=1", "--output", folder / "u.VTU"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  expect_in(result.output, "mesh: 32 nodes, 16 prescribed");
  const std::vector<double> heart = cell_values(folder / "u.VTU", "group:9");
  EXPECT_EQ(std::count(heart.begin(), heart.end(), 1), 12);
}

TEST_F(GroupsOfARun, BelongToTheMeshThatARunGoesOnWith) {
  write_text(folder / "row.yaml", head + "checkpoint: {interval: 1 ms}\n");
  ASSERT_EQ(program({"run", folder / "row.yaml"}).exit_code, 0);
  EXPECT_EQ(program({"run", folder / "row.yaml", "--resume", "--set", "time.end=3 ms"}).exit_code, 0);
  write_text(folder / "row.msh", row_of_cubes("1 4"));
  const ProgramResult other = program({"run", folder / "row.yaml", "--resume", "--set", "time.end=4 ms"});
  EXPECT_EQ(other.exit_code, 2);
  expect_in(other.errors, "expected the mesh of the checkpoint");
}

TEST_F(GroupsOfARun, WithoutAnyAreToldHowToMakeSome) {
  std::string text = row_of_cubes("2 4 -9");
  text.erase(text.find("$PhysicalNames"), text.find("$Nodes") - text.find("$PhysicalNames"));
  write_text(folder / "row.msh", text);
  EXPECT_EQ(check("").output.find("groups:"), std::string::npos);
  expect_in(
      check("regions: [{where: {tag: lv}, diffusivity: {isotropic: 0.02}}]\n").errors,
      "unknown tag 'lv': the mesh has 0; no element of the file is in a group (in Gmsh: Physical Volume(\"name\") "
      "= {1};)");
}

}  // namespace
}  // namespace cardiowarp::test
