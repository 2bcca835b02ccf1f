// Tissue that begins in the steady states of its cells: initial.steady.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/program.hpp"
#include "tests/support/run_results.hpp"
#include "tests/support/temporary_directory.hpp"

namespace cardiowarp::test {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

/// A bar whose right part is midmyocardial. Nothing happens in it but what its cells do.
constexpr const char* two_layers_yaml = R"(mesh: {file: bar.msh}
cell_model: {name: ten_tusscher_2006, parameters: {g_Kr: 0.2}}
regions:
  - {where: {box: {min: [2.1, -1, -1], max: [9, 9, 9]}}, cell_model: {set: midmyocardial}}
initial: {steady: {beats: 4, period: 500 ms, cache: cache}}
stimuli:
  - {name: S1, where: {box: {min: [-1, -1, -1], max: [1.1, 9, 9]}}, duration: 2 ms, amplitude: 50}
time: {end: 12, step: 0.05, adaptive: {enabled: true}}
output: {directory: out, interval: 6, fields: [potential, Ca_SR]}
probes: [{name: left, point: [0, 0, 0]}, {name: right, point: [5, 0, 0]}]
)";

class Steady : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(program({"mesh", "slab", "--size", "5,1,1", "--edge", "1mm", "--output", folder / "bar.msh"}).exit_code,
              0);
    write_text(folder / "bar.yaml", two_layers_yaml);
  }
  ProgramResult program(Words words) const { return run_program(std::move(words), folder.path()); }
  ProgramResult run(const std::string& output, Words more = {}) const {
    Words words{"run", folder / "bar.yaml", "--backend", "cpu", "--output", folder / output};
    words.insert(words.end(), more.begin(), more.end());
    return program(std::move(words));
  }
  /// The numbers of the last line of the trace of `cardiowarp cell`: time, potential, states.
  std::vector<Real> single_cell(Words words) const {
    words.insert(words.begin(), "cell");
    words.insert(words.end(), {"--beats", "4", "--period", "500", "--output", folder / "cell"});
    const ProgramResult result = program(std::move(words));
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return read_probes(folder / "cell/cell_trace.csv").rows.back();
  }
  std::string probes(const std::string& of) const { return read_text(folder / (of + "/probes.csv")); }
  std::vector<fs::path> cached() const {
    std::vector<fs::path> files;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(folder / "cache", none))
      files.push_back(entry.path() / "state.checkpoint");
    std::ranges::sort(files);
    return files;
  }

  const TemporaryDirectory folder;
};

TEST_F(Steady, EachKindOfCellBeginsAsASingleCellOfItEnds) {
  const ProgramResult result = run("out");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_NE(result.errors.find("initial.steady: 4 beats of 500 ms of 2 kinds of cells; the last beat ends within "),
            std::string::npos)
      << result.output;
  const std::vector<Real> left = single_cell({"ten_tusscher_2006", "--parameters", "g_Kr=0.2"}),
                          right = single_cell({"ten_tusscher_2006", "--set", "midmyocardial"});
  const std::string first = read_pvd(folder / "out/potential.pvd").front().file;
  const std::vector<Real> calcium = cell_values(first, "Ca_SR"), potential = point_values(first, "potential");
  const auto node = [&](Real x) { return static_cast<std::size_t>(node_at(first, {x, 0, 0})); };
  constexpr std::size_t Ca_SR = 2 + 14;
  EXPECT_NEAR(potential[node(0)], left[1], 1e-5);
  EXPECT_NEAR(potential[node(5)], right[1], 1e-5);
  ASSERT_GT(std::abs(left[Ca_SR] - right[Ca_SR]), 0.01);
  EXPECT_NEAR(std::ranges::min(calcium), std::min(left[Ca_SR], right[Ca_SR]), 1e-6);
  EXPECT_NEAR(std::ranges::max(calcium), std::max(left[Ca_SR], right[Ca_SR]), 1e-6);
}

TEST_F(Steady, StatesAreKeptAndADamagedOneIsMadeAnew) {
  ASSERT_EQ(program({"check", folder / "bar.yaml"}).exit_code, 0);
  EXPECT_TRUE(cached().empty()) << "check has written";
  ASSERT_EQ(run("first").exit_code, 0);
  const std::vector<fs::path> files = cached();
  ASSERT_EQ(files.size(), 2U);
  const ProgramResult second = run("second");
  EXPECT_NE(second.errors.find("2 of them found in '"), std::string::npos) << second.errors;
  EXPECT_EQ(probes("second"), probes("first"));

  std::string damaged = read_text(files[0]);
  damaged[damaged.size() / 2] ^= 1;
  write_text(files[0], damaged);
  const ProgramResult third = run("third");
  EXPECT_NE((third.output + third.errors).find("it is made anew"), std::string::npos) << third.output << third.errors;
  EXPECT_NE(third.errors.find("1 of them found in '"), std::string::npos) << third.output;
  EXPECT_EQ(probes("third"), probes("first"));

  write_text(files[0], read_text(files[1]));  // a whole state, of another kind of cell
  EXPECT_NE(run("fourth").errors.find("1 of them found in '"), std::string::npos);
  EXPECT_EQ(probes("fourth"), probes("first"));
}

TEST_F(Steady, StatesAreKeptApartByParametersAndPacing) {
  ASSERT_EQ(run("out").exit_code, 0);
  std::size_t kinds = 2;
  for (const std::string other :
       {"initial.steady.beats=3", "initial.steady.period=450", "initial.steady.amplitude=45",
        "initial.steady.duration=1.5", "regions.0.cell_model={set: midmyocardial, parameters: {K_o: 5}}"}) {
    ASSERT_EQ(run("out", {"--set", other}).exit_code, 0);
    const std::size_t now = cached().size();
    EXPECT_GT(now, kinds) << other;
    kinds = now;
  }
  ASSERT_EQ(run("out", {"--set", "diffusivity.isotropic=0.5", "--set", "time.end=6"}).exit_code, 0);
  EXPECT_EQ(cached().size(), kinds);
}

TEST_F(Steady, ARunGoesOnFromItsCheckpointAndAnotherBeginsWithThat) {
  ASSERT_EQ(run("whole").exit_code, 0);
  const ProgramResult stopped = run("cut", {"--stop-after", "1 ms"});
  ASSERT_EQ(stopped.exit_code, 5) << stopped.errors;
  const ProgramResult resumed = run("cut", {"--resume"});
  ASSERT_EQ(resumed.exit_code, 0) << resumed.errors;
  EXPECT_EQ(probes("cut"), probes("whole"));
  ASSERT_EQ(run("base", {"--set", "checkpoint={interval: 12}"}).exit_code, 0);
  const ProgramResult from = run("from", {"--from", folder / "base"});
  ASSERT_EQ(from.exit_code, 0) << from.errors;
  EXPECT_NE((from.output + from.errors).find("initial has no effect with --from"), std::string::npos);
  EXPECT_EQ(from.errors.find("initial.steady"), std::string::npos) << from.errors;
}

TEST_F(Steady, TheHeartIsPacedFromThereAndGoesOnAfterIt) {
  write_text(folder / "bar.yaml", std::string(two_layers_yaml) + "prepace: {beats: 1, period: 20, cache: paced}\n");
  const ProgramResult whole = run("whole");
  ASSERT_EQ(whole.exit_code, 0) << whole.errors;
  ASSERT_EQ(run("cut", {"--stop-after", "1 ms"}).exit_code, 5);
  const ProgramResult resumed = run("cut", {"--resume"});
  ASSERT_EQ(resumed.exit_code, 0) << resumed.errors;
  EXPECT_EQ(probes("cut"), probes("whole"));
}

TEST_F(Steady, ValuesOfInitialReplaceSinglesOnes) {
  ASSERT_EQ(run("out", {"--set", "initial.Ca_SR=1.25", "--set", "initial.potential=-81"}).exit_code, 0);
  const std::string first = read_pvd(folder / "out/potential.pvd").front().file;
  const std::vector<Real> calcium = cell_values(first, "Ca_SR"), potential = point_values(first, "potential");
  EXPECT_EQ(std::ranges::min(calcium), 1.25);
  EXPECT_EQ(std::ranges::max(calcium), 1.25);
  EXPECT_NEAR(std::ranges::max(potential), -81, 1e-12);
}

TEST_F(Steady, CellsThatDoNotAnswerOrAlternateAreWarnedOf) {
  const ProgramResult weak = run("out", {"--set", "initial.steady.amplitude=5"});
  EXPECT_NE(weak.errors.find("the last pulse starts no action potential in ten_tusscher_2006 (midmyocardial)"),
            std::string::npos)
      << weak.errors;
  const ProgramResult unlike = run("out", {"--set", "initial.steady.beats=1"});
  EXPECT_NE(unlike.errors.find("ten_tusscher_2006 (epicardial) is not steady yet"), std::string::npos) << unlike.errors;
}

TEST_F(Steady, OtherModelsBeginSoToo) {
  ASSERT_EQ(run("out", {"--set", "cell_model={name: mitchell_schaeffer}", "--set", "regions=[]", "--set",
                        "output.fields=[h]", "--set", "initial.steady={beats: 4, period: 300, cache: cache}"})
                .exit_code,
            0);
  const std::vector<Real> cell = [&] {
    EXPECT_EQ(program({"cell", "mitchell_schaeffer", "--beats", "4", "--period", "300", "--output", folder / "cell"})
                  .exit_code,
              0);
    return read_probes(folder / "cell/cell_trace.csv").rows.back();
  }();
  const std::string first = read_pvd(folder / "out/potential.pvd").front().file;
  EXPECT_LT(cell[2], 0.9);
  EXPECT_NEAR(cell_values(first, "h").front(), cell[2], 1e-6);
}

}  // namespace
}  // namespace cardiowarp::test
