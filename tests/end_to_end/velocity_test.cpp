// `velocity` in place of `diffusivity`: the fronts of a run have it, also on edges that make them slower.

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/program.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/text_file.hpp"

namespace cardiowarp::test {
namespace {

class Velocity : public testing::Test {
 protected:
  void make_bar(const std::string& edge) const {
    const ProgramResult made = run_program(
        {"mesh", "slab", "--size", "48,1.6,1.6", "--edge", edge, "--output", folder / "bar.msh"}, folder.path());
    ASSERT_EQ(made.exit_code, 0) << made.errors;
  }
  ProgramResult run(const std::string& tissue, std::vector<std::string> words = {}) const {
    write_text(folder / "bar.yaml", "mesh: {file: bar.msh}\n" + tissue + R"(
stimuli:
  - {where: {box: {min: [-1, -1, -1], max: [1.7, 9, 9]}}, duration: 2 ms, amplitude: 50 mV/ms}
time: {end: 170 ms, step: 0.02 ms, adaptive: {enabled: true, tolerance: 1e-4}}
output: {directory: out, interval: 170 ms}
probes:
  - {name: a, point: [16, 0.8, 0.8]}
  - {name: b, point: [24, 0.8, 0.8]}
  - {name: c, point: [32, 0.8, 0.8]}
  - {name: d, point: [40, 0.8, 0.8]}
)");
    words.insert(words.begin(), {"run", folder / "bar.yaml", "--backend", "cpu"});
    return run_program(words, folder.path());
  }
  /// m/s from one probe to another, 8 mm for each probe between.
  double speed(std::size_t from, std::size_t to) const {
    const auto probes = nlohmann::json::parse(read_text(folder / "out/summary.json"))["probes"];
    const auto at = [&](std::size_t probe) { return probes[probe]["beats"][0]["activation_time"].get<double>(); };
    return 8 * static_cast<double>(to - from) / (at(to) - at(from));
  }

  const TemporaryDirectory folder;
};

TEST_F(Velocity, IsThatOfTheFrontsAlsoWhereEdgesMakeThemSlower) {
  make_bar("0.8mm");
  for (const char* model : {"aliev_panfilov", "mitchell_schaeffer"}) {
    // With the diffusivity of a continuum the front of the second model is 7 % slower here.
    const std::string cells = "cell_model: {name: " + std::string(model) + "}\nvelocity: {isotropic: 0.4 m/s}";
    const ProgramResult done = run(cells);
    ASSERT_EQ(done.exit_code, 0) << done.errors;
    EXPECT_NE(done.errors.find("velocity: 0.4 m/s means a diffusivity of "), std::string::npos) << done.errors;
    EXPECT_NEAR(speed(1, 2), 0.4, 0.004) << model;
  }
}

TEST_F(Velocity, IsOfEachRegionAndOfBothDirections) {
  make_bar("0.4mm");
  const ProgramResult done = run(R"(fibers: {source: constant, direction: [0, 1, 0]}
velocity: {longitudinal: 0.9 m/s, transverse: 40 cm/s}
regions:
  - where: {box: {min: [28, -9, -9], max: [99, 9, 9]}}
    velocity: {longitudinal: 0.7 m/s, transverse: 0.2 m/s})");
  ASSERT_EQ(done.exit_code, 0) << done.errors;
  EXPECT_NEAR(speed(0, 1), 0.4, 0.006);
  EXPECT_NEAR(speed(2, 3), 0.2, 0.004);
}

TEST_F(Velocity, IsKeptToFivePerCentByIrregularElementsAlongAndAcrossTheFibers) {
  const ProgramResult made = run_program(
      {"mesh", "slab", "--size", "44,3,3", "--edge", "0.55mm", "--unstructured", "--output", folder / "bar.msh"},
      folder.path());
  ASSERT_EQ(made.exit_code, 0) << made.errors;
  const auto tissue = [](const char* fiber) {
    return std::string("cell_model: {name: mitchell_schaeffer}\nvelocity: {longitudinal: 0.6, transverse: 0.3}\n") +
           "fibers: {source: constant, direction: " + fiber + "}";
  };
  ASSERT_EQ(run(tissue("[1, 0, 0]")).exit_code, 0);
  EXPECT_NEAR(speed(0, 2), 0.6, 0.03);
  ASSERT_EQ(run(tissue("[0, 0, 1]")).exit_code, 0);
  EXPECT_NEAR(speed(0, 2), 0.3, 0.015);
  std::printf("RESULT velocity across=%.4f\n", speed(0, 2));
}

TEST_F(Velocity, IsThatOfQuadraticElementsToo) {
  const ProgramResult made = run_program(
      {"mesh", "slab", "--size", "48,0.8,0.8", "--edge", "0.8mm", "--order", "2", "--output", folder / "bar.msh"},
      folder.path());
  ASSERT_EQ(made.exit_code, 0) << made.errors;
  const ProgramResult done = run("cell_model: {name: mitchell_schaeffer}\nvelocity: {isotropic: 0.16 m/s}");
  ASSERT_EQ(done.exit_code, 0) << done.errors;
  EXPECT_NEAR(speed(0, 1), 0.16, 0.0016);
}

TEST_F(Velocity, OfARegionIsFoundOnItsOwnElements) {
  // Edges along the bar are half as long in its second half.
  ASSERT_EQ(run_program({"mesh", "slab", "--size", "48,0.8,0.8", "--edge", "0.8mm", "--output", folder / "bar.pts"},
                        folder.path())
                .exit_code,
            0);
  std::istringstream points(read_text(folder / "bar.pts"));
  std::string line, scaled;
  std::getline(points, line);
  scaled = line + "\n";
  for (double x = 0, y = 0, z = 0; points >> x >> y >> z;) {
    const double mm = x / 1000;  // half as long from 24 mm on
    scaled += std::to_string(1000 * (mm < 24 ? mm : 24 + (mm - 24) / 2)) + " " + std::to_string(y) + " " +
              std::to_string(z) + "\n";
  }
  write_text(folder / "bar.pts", scaled);
  const std::string tissue = R"(cell_model: {name: mitchell_schaeffer}
velocity: {isotropic: 0.25 m/s}
regions:
  - where: {box: {min: [24, -9, -9], max: [99, 9, 9]}}
    velocity: {isotropic: 0.25 m/s})";
  const ProgramResult done = run(tissue, {"--set", "mesh.file=bar.pts", "--set", "probes[2].point=[26, 0.8, 0.8]",
                                          "--set", "probes[3].point=[32, 0.8, 0.8]"});
  ASSERT_EQ(done.exit_code, 0) << done.errors;
  const std::size_t whole = done.errors.find("info: velocity: 0.25 m/s means a diffusivity of "),
                    region = done.errors.find("info: regions[0].velocity: 0.25 m/s means a diffusivity of ");
  ASSERT_NE(whole, std::string::npos) << done.errors;
  ASSERT_NE(region, std::string::npos) << done.errors;
  EXPECT_GT(std::stod(done.errors.substr(whole + 48)), 1.01 * std::stod(done.errors.substr(region + 59)));
}

TEST_F(Velocity, IsKeptInTheResolvedConfigurationFromWhichARunGoesOn) {
  make_bar("0.8mm");
  const std::string tissue = R"(checkpoint: {interval: 40 ms}
velocity: {isotropic: 0.4 m/s}
regions:
  - where: {box: {min: [28, -9, -9], max: [99, 9, 9]}}
    cell_model: {parameters: {mu1: 0.1}})";
  ASSERT_EQ(run(tissue).exit_code, 0);
  const std::string maps = read_text(folder / "out/maps.vtu"), resolved = read_text(folder / "out/resolved.yaml");
  EXPECT_NE(resolved.find("velocity:\n  isotropic: 0.4  # 0.5"), std::string::npos) << resolved;
  EXPECT_EQ(resolved.find("diffusivity:\n"), std::string::npos) << resolved;

  const ProgramResult resumed = run(tissue, {"--resume"});
  ASSERT_EQ(resumed.exit_code, 0) << resumed.errors;
  EXPECT_EQ(read_text(folder / "out/maps.vtu"), maps);
  const ProgramResult other = run(tissue, {"--resume", "--set", "velocity.isotropic=0.41"});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_NE(other.errors.find("velocity.isotropic: 0.4 in the checkpoint, 0.41 now"), std::string::npos)
      << other.errors;

  std::filesystem::copy_file(folder / "out/resolved.yaml", folder / "again.yaml");
  const ProgramResult again = run_program({"run", folder / "again.yaml", "--backend", "cpu"}, folder.path());
  ASSERT_EQ(again.exit_code, 0) << again.errors;
  EXPECT_EQ(read_text(folder / "out/maps.vtu"), maps);
}

TEST_F(Velocity, ThatTheMeshCannotCarryIsRefused) {
  make_bar("1.6mm");
  const ProgramResult refused = run("cell_model: {name: mitchell_schaeffer}\nvelocity: {isotropic: 0.1 m/s}");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(
      refused.errors.find("velocity: expected a velocity that the mesh can carry, got 0.1 m/s: with a diffusivity"),
      std::string::npos)
      << refused.errors;
  EXPECT_FALSE(std::filesystem::exists(folder / "out"));
}

TEST_F(Velocity, MistakesAreTold) {
  const auto refusal = [&](const std::string& tissue) {
    const ProgramResult refused = run(tissue);
    EXPECT_EQ(refused.exit_code, 2);
    return refused.errors.substr(refused.errors.find("bar.yaml:") + 9);
  };
  make_bar("1.6mm");
  EXPECT_EQ(refusal("diffusivity: {isotropic: 1}\nvelocity: {isotropic: 0.6 m/s}"),
            "3:11: velocity: expected none beside diffusivity, got one\n");
  EXPECT_EQ(refusal("velocity: {longitudinal: 0.6 m/s}"),
            "2:11: velocity: expected either isotropic or both longitudinal and transverse, got one of the two\n");
  EXPECT_EQ(refusal("velocity: {isotropic: 1, longitudinal: 0.6 m/s, transverse: 0.3}"),
            "2:11: velocity: expected either isotropic or both longitudinal and transverse, got isotropic with another "
            "one\n");
  EXPECT_EQ(refusal("velocity: {}"),
            "2:11: velocity: expected either isotropic or both longitudinal and transverse, got none\n");
  EXPECT_EQ(refusal("velocity: {isotropic: 0.6 mm^2/ms}").substr(0, 60),
            "2:23: velocity.isotropic: expected a velocity (m/s, mm/ms, c");
  EXPECT_EQ(refusal("velocity: {isotropic: 0}").substr(0, 25), "2:23: velocity.isotropic:");
  EXPECT_EQ(
      refusal("regions: [{where: {box: {min: [0,0,0], max: [9,9,9]}}, velocity: {isotropic: 1}, conducts: false}]")
          .find("none beside conducts: false"),
      std::string("2:13: regions[0].diffusivity: expected ").size());
}

/// The row of `cardiowarp tune` for a velocity on edges, in words between spaces.
std::vector<std::string> row_of(const std::string& output, std::size_t number) {
  std::istringstream lines(output);
  std::string line;
  for (std::size_t k = 0; k <= number; ++k) std::getline(lines, line);
  std::istringstream words(line);
  return {std::istream_iterator<std::string>(words), {}};
}

TEST_F(Velocity, IsTunedWithoutAMeshAsARunWithTheseEdgesDoes) {
  make_bar("0.8mm");
  const ProgramResult done = run("cell_model: {name: mitchell_schaeffer}\nvelocity: {isotropic: 0.4 m/s}");
  ASSERT_EQ(done.exit_code, 0) << done.errors;
  const std::string words = "0.4 m/s means a diffusivity of ";
  const std::size_t at = done.errors.find(words);
  ASSERT_NE(at, std::string::npos) << done.errors;
  const double of_run = std::stod(done.errors.substr(at + words.size()));
  // The edges of cubes of 0.8 mm, cut into six tetrahedra, have the root mean square 0.8 √(10/6) mm.
  const ProgramResult tuned = run_program(
      {"tune", folder / "bar.yaml", "--velocities", "0.4,0.1", "--edges", "1.0327955589886444,0,9"}, folder.path());
  ASSERT_EQ(tuned.exit_code, 0) << tuned.errors;
  const std::vector<std::string> coarse = row_of(tuned.output, 1), fine = row_of(tuned.output, 2),
                                 refused = row_of(tuned.output, 6);
  ASSERT_EQ(coarse.size(), 5) << tuned.output;
  EXPECT_NEAR(std::stod(coarse[2]), of_run, 1e-3 * of_run);
  EXPECT_EQ(fine[1], "-");
  EXPECT_NEAR(std::stod(fine[2]), std::stod(fine[3]), 0.03 * std::stod(fine[3]));
  EXPECT_LT(std::stod(fine[2]), 0.95 * of_run);
  EXPECT_EQ(refused[0], "0.1");
  EXPECT_EQ(refused[2], "-");
  EXPECT_NE(tuned.errors.find(
                "--velocities 0.1: expected a velocity that the mesh can carry, got 0.1 m/s: with a diffusivity of "),
            std::string::npos)
      << tuned.errors;
}

TEST_F(Velocity, OfACellModelIsTunedByItsName) {
  const ProgramResult tuned =
      run_program({"tune", "bueno_orovio", "--set", "endocardial", "--velocities", "0.6"}, folder.path());
  ASSERT_EQ(tuned.exit_code, 0) << tuned.errors;
  const double law = std::stod(row_of(tuned.output, 1).at(3));
  EXPECT_NEAR(std::stod(row_of(tuned.output, 1).at(2)), law, 0.03 * law);
  for (const auto& [words, message] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"tune", "bueno", "--velocities", "0.6"}, "cell_model.name: expected one of"},
           {{"tune", "bueno_orovio", "--velocities", "0.6,0"},
            "--velocities: expected numbers from 0.001 to 100, got 0"},
           {{"tune", "bueno_orovio", "--velocities", "0.6", "--edges", "-1"},
            "--edges: expected numbers from 0 to 100"},
           {{"tune", "none.yaml", "--velocities", "0.6"}, "none.yaml"}}) {
    const ProgramResult refused = run_program(words, folder.path());
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_NE(refused.errors.find(message), std::string::npos) << refused.errors;
  }
}

}  // namespace
}  // namespace cardiowarp::test
