// Purkinje networks through the program: grown and written, read again by runs, gone on from a checkpoint, refused
// where they are not of this heart; and layers beneath the endocardium that are faster.

#include <gtest/gtest.h>
#include <vtkDataArray.h>
#include <vtkPointData.h>
#include <vtkUnstructuredGrid.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/checkpoint_runs.hpp"
#include "tests/support/run_results.hpp"

namespace cardiowarp::test {
namespace {

namespace fs = std::filesystem;

/// Lines as a legacy VTK file: points, and lists of two.
std::string lines(const std::string& points, std::size_t number_of_points, const std::string& pairs,
                  std::size_t number_of_lines) {
  return "# vtk DataFile Version 3.0\nnetwork\nASCII\nDATASET POLYDATA\nPOINTS " + std::to_string(number_of_points) +
         " double\n" + points + "\nLINES " + std::to_string(number_of_lines) + " " +
         std::to_string(3 * number_of_lines) + "\n" + pairs + "\n";
}

/// A network above the bar from its left end, which ends at x = 0, 5.5 and 8 mm.
const std::string three_ends =
    lines("0 0.5 2  0 0.5 1  5.5 0.5 2  5.5 0.5 1  8 0.5 2  8 0.5 1", 6, "2 0 1  2 0 2  2 2 3  2 2 4  2 4 5", 5);

class NetworkInABar : public Checkpoint {
 protected:
  void SetUp() override {
    Checkpoint::SetUp();
    write_text(folder / "net.vtk", three_ends);
    write_text(folder / "bar.yaml",
               "mesh: {file: bar.msh}\ndiffusivity: {isotropic: 0.2, anisotropic: 0}\n"
               "stimuli:\n  - {name: sinus, network: {file: net.vtk, velocity: 2 m/s, radius: 1.2}, duration: 1.3,\n"
               "     amplitude: 100, period: 5, count: 2}\n"
               "time: {end: 8 ms, step: 0.1 ms}\noutput: {directory: out, interval: 0.75 ms}\n"
               "probes:\n  - {name: left, point: [0.1, 0.5, 0.5]}\n  - {name: right, point: [7.9, 0.5, 0.5]}\n");
  }
  double upstroke_ms(const std::string& output, std::size_t column) const {
    for (const auto& row : read_probes(folder / output / "probes.csv").rows)
      if (row[column] > 0) return row[0];
    return -1;
  }
};

TEST_F(NetworkInABar, StimulatesWhereAndWhenItArrives) {
  const ProgramResult checked = check({});
  ASSERT_EQ(checked.exit_code, 0) << checked.errors;
  EXPECT_NE(
      checked.output.find("network sinus: 3 junctions at 6 points, from 0.5 to 4.5 ms after the start, each within "),
      std::string::npos)
      << checked.output;
  ASSERT_EQ(run("out").exit_code, 0);
  const double left = upstroke_ms("out", 1), right = upstroke_ms("out", 2);
  EXPECT_GT(left, 0.5);
  EXPECT_LT(left, 2.5);
  EXPECT_NEAR(right - left, 4, 0.1 + 1e-9) << "8 mm at 2 m/s, where no front has come in that time";
}

TEST_F(NetworkInABar, DoesNotCaptureByAFrontThatPassedBeforeItArrived) {
  ASSERT_EQ(run_program({"mesh", "slab", "--size", "30,2,1", "--edge", "0.5mm", "--output",
                         (folder.path() / "long.msh").string()},
                        folder.path())
                .exit_code,
            0);
  write_text(folder / "one.vtk", lines("8 1 2  9 1 2", 2, "2 0 1", 1));
  write_text(folder / "bar.yaml",
             "mesh: {file: long.msh}\ndiffusivity: {isotropic: 0.1}\n"
             "stimuli:\n  - {name: wave, where: {box: {min: [0, 0, 0], max: [1, 2, 1]}}, duration: 2, amplitude: 50}\n"
             "  - {name: late, network: {file: one.vtk, delay: 90 ms, radius: 2}, duration: 2, amplitude: 50}\n"
             "time: {end: 260 ms, step: 0.2 ms}\noutput: {directory: out}\n");
  const ProgramResult passed = run("out");
  ASSERT_EQ(passed.exit_code, 0) << passed.errors;
  EXPECT_NE(passed.errors.find("stimulus wave captured"), std::string::npos) << passed.errors;
  EXPECT_EQ(passed.errors.find("stimulus late captured"), std::string::npos) << passed.errors;
}

TEST_F(NetworkInABar, GoesOnBitForBitFromCheckpointsWhileBeatsAreOnTheirWay) {
  for (const Words& settings : {Words{}, Words{"--set", "time.adaptive.enabled=true"}}) {
    fs::remove_all(folder / "saved");
    fs::remove_all(folder / "whole");
    ASSERT_EQ(run("whole", settings).exit_code, 0);
    const ProgramResult saved = run("saved", joined(settings, every_checkpoint));
    ASSERT_EQ(saved.exit_code, 0) << saved.errors;
    expect_same("saved", "whole");
    const std::size_t all = checkpoints("saved").size();
    for (const std::size_t number : {std::size_t(1), all / 3, all / 2}) {
      copy_with_checkpoints("saved", "again", number);
      const ProgramResult again =
          run("again", joined(settings, joined(every_checkpoint, {"--resume", "--threads", "3"})));
      ASSERT_EQ(again.exit_code, 0) << again.errors;
      expect_same("again", "whole");
    }
  }
}

TEST_F(NetworkInABar, ThatHasChangedIsNotGoneOnWith) {
  ASSERT_EQ(run("out", every_checkpoint).exit_code, 0);
  std::string later = three_ends;
  later.replace(later.find("8 0.5 2"), 7, "8 0.5 3");
  write_text(folder / "net.vtk", later);
  const ProgramResult again = run("out", joined(every_checkpoint, {"--resume", "--set", "time.end=9"}));
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_NE(again.errors.find("expected the tissue of the checkpoint"), std::string::npos) << again.errors;
}

TEST_F(NetworkInABar, MayPaceTheTissueBeforehand) {
  const ProgramResult paced =
      run("out", {"--set", "prepace={beats: 2, cache: cache}", "--set", "stimuli[0].period=300 ms", "--set",
                  "time.step=0.5 ms", "--set", "time.adaptive.enabled=true"});
  ASSERT_EQ(paced.exit_code, 0) << paced.errors;
  EXPECT_NE(paced.errors.find("pacing the heart with 2 beats of 300 ms by sinus"), std::string::npos) << paced.errors;
}

TEST_F(NetworkInABar, IsRefusedBeforeAnythingIsWrittenWhereItIsWrong) {
  const std::string apart = lines("0 0.5 1  1 0.5 1  3 0.5 1  4 0.5 1", 4, "2 0 1  2 2 3", 2);
  const std::vector<std::pair<std::pair<std::string, std::string>, std::string>> cases{
      {{three_ends, "length_unit: cm"}, "3 of 3 farther away, the one at [80, 5, 10] mm"},
      {{apart, "delay: 0"}, "no way from its first point leads to 2 of 4 points"},
      {{"nonsense", "delay: 0"}, "net.vtk"},
      {{three_ends, "roots: [[0, 9, 0]]"}, "roots: expected points within 5.5 mm"}};
  for (const auto& [given, expected] : cases) {
    write_text(folder / "net.vtk", given.first);
    const ProgramResult refused = run("out", {"--set", "stimuli[0].network={file: net.vtk, " + given.second + "}"});
    EXPECT_EQ(refused.exit_code, 2) << expected;
    EXPECT_NE(refused.errors.find("stimuli[0].network"), std::string::npos) << refused.errors;
    EXPECT_NE(refused.errors.find(expected), std::string::npos) << refused.errors;
    EXPECT_FALSE(fs::exists(folder / "out"));
  }
}

/// A heart with coarse edges, and the files of docs/guide.
class NetworkInAHeart : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(program({"mesh", "biventricle", "--edge", "5mm", "--output", folder / "heart.msh"}).exit_code, 0);
  }
  ProgramResult program(Words words) const { return run_program(std::move(words), folder.path()); }
  ProgramResult run(const std::string& network, const std::string& output, const std::string& more = "") const {
    write_text(folder / "heart.yaml",
               "mesh: {file: heart.msh}\nbackend: cpu\nvelocity: {isotropic: 0.5 m/s}\n"
               "stimuli:\n  - {name: sinus, network: " +
                   network +
                   ", duration: 2, amplitude: 50}\n"
                   "time: {end: 40, step: 0.2, adaptive: {enabled: true}}\n" +
                   more);
    return program({"run", folder / "heart.yaml", "--output", folder / output});
  }
  std::vector<double> activation(const std::string& output) const {
    const auto grid = read_vtu(folder / output / "maps.vtu");
    vtkDataArray* const values = grid->GetPointData()->GetArray("activation_time");
    std::vector<double> all;
    for (vtkIdType i = 0; i < values->GetNumberOfTuples(); ++i) all.push_back(values->GetComponent(i, 0));
    return all;
  }
  TemporaryDirectory folder;
};

TEST_F(NetworkInAHeart, IsTheSameGrownInARunOrWrittenByACommandAndRead) {
  const ProgramResult made =
      program({"mesh", "purkinje", folder / "heart.msh", "--network",
               "{grow: {ventricle: rv, seed: 7}, velocity: 3 m/s, radius: 5}", "--output", folder / "right.vtp"});
  ASSERT_EQ(made.exit_code, 0) << made.errors;
  EXPECT_NE(made.output.find("network purkinje: "), std::string::npos) << made.output;
  EXPECT_NE(made.output.find("point array arrival_time (ms)"), std::string::npos) << made.output;
  ASSERT_EQ(run("{file: right.vtp, velocity: 3 m/s, radius: 5}", "read").exit_code, 0);
  const ProgramResult grown = run("{grow: {ventricle: rv, seed: 7}, velocity: 3 m/s, radius: 5}", "grown");
  ASSERT_EQ(grown.exit_code, 0) << grown.errors;
  EXPECT_EQ(activation("read"), activation("grown"));
  EXPECT_GT(std::ranges::count_if(activation("grown"), [](double time) { return time >= 0; }), 300) << grown.errors;
}

TEST_F(NetworkInAHeart, WithoutTheVentricleThatIsAskedForIsRefused) {
  ASSERT_EQ(program({"mesh", "slab", "--size", "8,7,9", "--edge", "1mm", "--output", folder / "left.msh"}).exit_code,
            0);
  const ProgramResult made =
      program({"mesh", "purkinje", folder / "left.msh", "--network", "{grow: {ventricle: rv}}", "--output",
               folder / "right.vtp", "--coordinates", "{surfaces: {endo_lv: x0, epi: x1, base: z1, apex: z0}}"});
  EXPECT_EQ(made.exit_code, 2);
  EXPECT_NE(made.errors.find("expected a mesh with the endocardium endo_rv, got one without"), std::string::npos)
      << made.errors;
  EXPECT_FALSE(fs::exists(folder / "right.vtp"));
}

TEST_F(NetworkInAHeart, MayLieOnALayerWithNineTimesTheDiffusivity) {
  write_text(folder / "heart.yaml",
             "mesh: {file: heart.msh}\nbackend: cpu\ndiffusivity: {isotropic: 0.5}\ntime: {end: 3, step: 0.1}\n"
             "regions:\n  - {where: {endocardium: 2 mm}, velocity_factor: 3}\n");
  const ProgramResult checked = program({"check", folder / "heart.yaml"});
  ASSERT_EQ(checked.exit_code, 0) << checked.errors;
  EXPECT_NE(checked.output.find("regions[0] (endocardium: 2): "), std::string::npos) << checked.output;
  EXPECT_NE(checked.output.find("diffusivity 4.5 mm²/ms in all directions"), std::string::npos) << checked.output;
  EXPECT_NE(checked.output.find("diffusivity 0.5 mm²/ms in all directions"), std::string::npos) << checked.output;
}

}  // namespace
}  // namespace cardiowarp::test
