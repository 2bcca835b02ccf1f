// What a run says of what it did to the tissue, and of what goes wrong without an error.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "fem/mesh.hpp"
#include "meshes/generate.hpp"
#include "meshes/mesh_file.hpp"
#include "tests/support/program.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/text_file.hpp"
#include "tests/support/wave_yaml.hpp"

namespace cardiowarp::test {
namespace {

/// The wave, on nodes that are stimulated whole and in steps of order 1.
std::string bar_of_whole_nodes() {
  return wave_yaml_with({{"bar.msh", "bar.vtu"},
                         {"60 mV/ms\n", "60 mV/ms\n    edge: nodes\nquadrature: centroid\n"},
                         {"end: 20 ms, step: 0.1 ms", "end: 30 ms, step: 0.2 ms, scheme: backward_euler"},
                         {"interval: 5 ms", "interval: 10 ms"},
                         {"probes:\n  - {name: middle, point: [4.1, 0.5, 0.5]}\n", ""}});
}

/// A slab in front of another that it does not touch, or of 153 nodes alone.
Mesh slabs(Vector3 size_mm, Real edge_mm, const std::vector<Vector3>& further_places = {}) {
  const Mesh slab = slab_mesh(size_mm, edge_mm, true);
  Mesh mesh = slab;
  mesh.triangles.clear();
  mesh.triangle_tags.clear();
  for (const Vector3 place : further_places) {
    const auto first = static_cast<Index>(mesh.nodes.size());
    for (const Vector3 node : slab.nodes) mesh.nodes.push_back(node + place);
    for (const Tetrahedron& t : slab.tetrahedra)
      mesh.tetrahedra.push_back({t[0] + first, t[1] + first, t[2] + first, t[3] + first});
    mesh.element_tags.insert(mesh.element_tags.end(), slab.element_tags.begin(), slab.element_tags.end());
  }
  return mesh;
}

class Outcome : public testing::Test {
 protected:
  void SetUp() override {
    write_mesh(slabs({8, 1, 1}, 0.5), folder / "bar.vtu");
    write_text(folder / "bar.yaml", bar_of_whole_nodes());
  }

  ProgramResult program(const std::string& command, const std::vector<std::string>& settings) {
    std::vector<std::string> arguments{command, folder / "bar.yaml"};
    for (const std::string& setting : settings) arguments.insert(arguments.end(), {"--set", setting});
    return run_program(arguments, folder.path());
  }

  /// A run that is done.
  ProgramResult run(const std::vector<std::string>& settings = {}) {
    ProgramResult result = program("run", settings);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return result;
  }

  nlohmann::json summary() const { return nlohmann::json::parse(read_text(folder / "result/summary.json")); }

  TemporaryDirectory folder;
};

void expect_says(const std::string& text, const std::vector<std::string>& words) {
  for (const std::string& word : words) EXPECT_NE(text.find(word), std::string::npos) << word << "\nin\n" << text;
}

TEST_F(Outcome, OfAWaveIsWhatWasActivatedAndThatTheStimulusCapturedWithoutAWarning) {
  write_mesh(slabs({17, 1, 1}, 0.5), folder / "bar.vtu");
  const ProgramResult result = run({"time.end=70"});
  expect_says(result.errors, {"info: activated 315 of 315 nodes from 1.", " ms; stimulus left captured\n"});
  EXPECT_EQ(result.errors.find("warning"), std::string::npos) << result.errors;
  const nlohmann::json json = summary();
  EXPECT_EQ(json["components"], 1);
  EXPECT_EQ(json["activation"]["nodes"], 315);
  EXPECT_EQ(json["activation"]["activated"], 315);
  EXPECT_GT(json["activation"]["first_ms"], 1);
  EXPECT_LT(json["activation"]["first_ms"], 2);
  EXPECT_GT(json["activation"]["last_ms"], 25);
  EXPECT_EQ(json["stimuli"].dump(),
            R"([{"captured":true,"captured_pulses":1,"missed_pulses":0,"name":"left","nodes":27,"pulses":1}])");
  EXPECT_EQ(program("check", {}).errors.find("warning"), std::string::npos);
}

TEST_F(Outcome, OfAWaveInTissueThatIsTooSmallIsThatTheStimulusWasNotJudged) {
  const std::string why = "no tissue is more than 3 widths of a front and 3 edges away from it";
  expect_says(run().errors, {"activated 153 of 153 nodes", "; stimulus left not judged (" + why + ")\n"});
  const nlohmann::json stimulus = summary()["stimuli"][0];
  EXPECT_EQ(stimulus["captured"], nullptr);
  EXPECT_EQ(stimulus["missed_pulses"], 0);
  EXPECT_EQ(stimulus["not_judged"], why);
  write_mesh(slabs({1, 1, 1}, 1), folder / "bar.vtu");  // a cell
  run({"time.end=30"});
  EXPECT_EQ(summary()["stimuli"][0]["not_judged"], why);
  run({"time.end=30", "stimuli.0.amplitude=1"});
  EXPECT_EQ(summary()["stimuli"][0]["captured"], false) << "nothing answered";
}

/// A tissue of 36 × 33 × 0.75 mm, where S2 in a corner comes after a wave from x = 0.
struct CornerAfterWave {
  const char *model, *diffusivity;
  Real start_ms, seen_for_ms;
  bool captures;
};

class OutcomeOfS2 : public testing::TestWithParam<CornerAfterWave> {};

TEST_P(OutcomeOfS2, IsWhetherAWaveLeftItsCorner) {
  const CornerAfterWave& given = GetParam();
  const TemporaryDirectory folder;
  write_mesh(slab_mesh({36, 33, 0.75}, 0.75, true), folder / "slab.msh");
  write_text(folder / "s2.yaml",
             fmt::format(R"(mesh: {{file: slab.msh}}
cell_model: {{name: {}}}
diffusivity: {{isotropic: {}}}
stimuli:
  - {{name: s1, where: {{tag: x0}}, duration: 2 ms, amplitude: 50 mV/ms}}
  - {{name: s2, where: {{box: {{min: [0, 0, 0], max: [15, 15, 1]}}}}, start: {}, duration: 2 ms, amplitude: 50 mV/ms}}
time: {{end: {}, step: 0.2 ms, adaptive: {{enabled: true}}}}
output: {{directory: out, interval: 1000 ms}}
)",
                         given.model, given.diffusivity, given.start_ms, given.start_ms + given.seen_for_ms));
  const auto captured = [&](const std::vector<std::string>& words) {
    std::vector<std::string> all{"run", folder / "s2.yaml", "--backend", "cpu"};
    all.insert(all.end(), words.begin(), words.end());
    const ProgramResult result = run_program(all, folder.path());
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return nlohmann::json::parse(read_text(folder / "out/summary.json"))["stimuli"];
  };
  const nlohmann::json stimuli = captured({});
  EXPECT_EQ(stimuli[0]["captured"], true);
  EXPECT_EQ(stimuli[1]["captured"], given.captures);
  if (!given.captures) return;
  // A run that goes on from a checkpoint in the middle of the front's way judges as the whole one.
  const std::string before = fmt::format("time.end={}", given.start_ms + 3);
  EXPECT_EQ(captured({"--set", before, "--set", "checkpoint={interval: 1000 ms}"})[1]["captured"], nullptr);
  EXPECT_EQ(captured({"--resume"}), stimuli);
}

INSTANTIATE_TEST_SUITE_P(Of, OutcomeOfS2,
                         testing::Values(CornerAfterWave{"aliev_panfilov", "0.1", 315, 60, false},
                                         CornerAfterWave{"aliev_panfilov", "0.1", 400, 60, false},
                                         CornerAfterWave{"aliev_panfilov", "0.1", 460, 80, true},
                                         CornerAfterWave{"mitchell_schaeffer", "0.4", 250, 60, false},
                                         CornerAfterWave{"mitchell_schaeffer", "0.4", 340, 80, true},
                                         CornerAfterWave{"bueno_orovio", "0.4", 250, 60, false},
                                         CornerAfterWave{"bueno_orovio", "0.4", 450, 80, true}),
                         [](const auto& each) {
                           return fmt::format("{}_at_{}", each.param.model, each.param.start_ms);
                         });

TEST_F(Outcome, OfTissueThatHasPartlyRepolarizedIsHowLongToRun) {
  write_mesh(slabs({17, 1, 1}, 0.5), folder / "bar.vtu");
  const std::string errors = run({"time.end=430", "time.step=1", "time.scheme=sdirk2"}).errors;
  expect_says(errors, {"warning: apd90 is missing (-1) at ",
                       " of 315 activated nodes, which had not repolarized by 430 ms", ": a time.end of about "});
  const std::size_t at = errors.find("a time.end of about ") + 20;
  const std::string end = errors.substr(at, errors.find(' ', at) - at);
  const std::vector<std::string> longer{"time.end=" + end, "time.step=1", "time.scheme=sdirk2"};
  EXPECT_EQ(run(longer).errors.find("apd90 is missing"), std::string::npos) << end;
  const std::vector<std::string> unasked{"time.end=430", "time.step=1", "time.scheme=sdirk2",
                                         "output.maps=[activation_time]"};
  EXPECT_EQ(run(unasked).errors.find("apd90 is missing"), std::string::npos);
  EXPECT_EQ(run().errors.find("apd90 is missing"), std::string::npos) << "no node has repolarized";
}

TEST_F(Outcome, OfPrepacingThatEndsInUnlikeBeatsIsWhatHappened) {
  write_mesh(slabs({17, 1, 1}, 0.5), folder / "bar.vtu");
  const auto prepaced = [&](const std::string& pacing, const std::string& amplitude = "60") {
    return run({"time.end=2", "time.step=1", "time.scheme=sdirk2", "stimuli.0.amplitude=" + amplitude,
                "prepace={stimuli: [left], cache: cache, " + pacing + "}"})
        .errors;
  };
  for (const char* how : {"pacing the heart", "found in"})
    expect_says(prepaced("period: 200, beats: 4"),
                {"warning: prepace: the last two of 4 beats of 200 ms differ by up to ",
                 " in the states: 2 of 4 pulses of left started no wave, ", how});
  expect_says(prepaced("period: 250, beats: 3"),
              {"warning: prepace: the last two of 3 beats of 250 ms differ by up to ",
               "it is not steady yet, which more prepace.beats mend"});
  expect_says(prepaced("period: 500, beats: 2", "1"), {" 2 of 2 pulses of left started no wave"});
  EXPECT_EQ(prepaced("period: 700, beats: 6").find("warning: prepace"), std::string::npos);
}

TEST_F(Outcome, OfAnotherConfigurationIsNotReplacedWithoutAWord) {
  EXPECT_EQ(run({"time.end=2"}).errors.find("replaced"), std::string::npos);
  EXPECT_EQ(run({"time.end=2"}).errors.find("replaced"), std::string::npos) << "it is the same";
  expect_says(run({"time.end=3", "diffusivity.isotropic=0.25"}).errors,
              {"warning: the results of another configuration in '",
               "result' are replaced: diffusivity.isotropic was 0.2, is 0.25; time.end was 2, is 3 ("});
  expect_says(run({"time.end=4", "diffusivity.isotropic=0.2", "stimuli.0.amplitude=59", "output.interval=5"}).errors,
              {"; and 1 more ("});
  write_text(folder / "result/resolved.yaml", "a: [");
  expect_says(run({"time.end=2"}).errors, {"are replaced: its resolved.yaml cannot be read ("});
}

TEST_F(Outcome, OfARegionThatLaterOnesCoverIsSaid) {
  const std::string first = "{where: {box: {min: [0, 0, 0], max: [3, 1, 1]}}, diffusivity: {isotropic: 0.1}}, ",
                    second = "{where: {box: {min: [1, 0, 0], max: [8, 1, 1]}}, diffusivity: {isotropic: 0.3}}";
  expect_says(run({"time.end=2", "regions=[" + first + second + "]"}).errors,
              {"warning: regions[0] (box): 96 of its 144 elements are in regions[1] (box) too; of several regions the "
               "last counts"});
  const std::string all = ", {where: {box: {min: [0, 0, 0], max: [2, 1, 1]}}, diffusivity: {isotropic: 0.2}}";
  expect_says(
      run({"time.end=2", "regions=[" + first + second + all + "]"}).errors,
      {"warning: regions[0] (box): no elements, as later regions hold them all (regions[1] (box), regions[2] (box)); ",
       "warning: regions[1] (box): 48 of its 336 elements are in regions[2] (box) too"});
  const std::string other =
      ", {where: {box: {min: [0, 0, 0], max: [8, 1, 1]}}, cell_model: {parameters: {alpha: 0.02}}}";
  EXPECT_EQ(run({"time.end=2", "regions=[" + first.substr(0, first.size() - 2) + other + "]"})
                .errors.find("warning: regions"),
            std::string::npos)
      << "both have their effect";
}

TEST_F(Outcome, OfAPulseTooShortToBeSeenIsItsEffect) {
  const std::vector<std::string> settings{"time={end: 30 ms, step: 0.5 ms}", "stimuli.0.duration=1e-12"};
  for (const std::string command : {"run", "check"})
    expect_says(program(command, settings).errors,
                {"warning: stimulus 'left' changes the potential by 6e-11 mV at most, 60 mV/ms for 1e-12 ms"});
  EXPECT_EQ(program("check", {"stimuli.0.amplitude=0.1"}).errors.find("changes the potential"), std::string::npos);
}

TEST_F(Outcome, OfAWeakStimulusIsThatNothingWasActivated) {
  const ProgramResult result = run({"stimuli.0.amplitude=2 mV/ms"});
  expect_says(result.errors,
              {"warning: nothing was activated: no node reached 0 mV in 30 ms; the mesh measures 8 × 1 × 1 mm",
               "warning: stimulus 'left' did not capture: 2 mV/ms for 2 ms raise the potential by 4 mV at most",
               "a larger amplitude or duration", "info: activated 0 of 153 nodes; stimulus left did not capture\n"});
  const nlohmann::json json = summary();
  EXPECT_EQ(json["status"], "completed");
  EXPECT_EQ(json["activation"].dump(), R"({"activated":0,"first_ms":null,"last_ms":null,"nodes":153})");
  EXPECT_EQ(json["stimuli"][0]["captured"], false);
  EXPECT_EQ(json["stimuli"][0]["captured_pulses"], 0);
}

TEST_F(Outcome, OfASmallStimulusIsThatItsRegionIsSmall) {
  write_mesh(slabs({32, 9, 7}, 1), folder / "bar.vtu");
  const ProgramResult result = run({"diffusivity.isotropic=1", "time.step=0.5", "time.end=90",
                                    "stimuli.0.where={sphere: {center: [6, 5, 4], radius: 1 mm}}"});
  expect_says(result.errors, {"stimulus 'left' did not capture", "its 7 nodes span 2 mm where a front is 7.89 mm wide",
                              "a larger region or a smaller diffusivity may help"});
}

TEST_F(Outcome, OfAHeartInCentimetresReadAsMillimetresIsItsSizeBesideAFront) {
  write_mesh(slabs({9.9, 7.5, 0.9}, 0.3), folder / "bar.vtu");  // with a stimulus whose lengths are in cm, too
  const ProgramResult result =
      run({"diffusivity.isotropic=1", "stimuli.0.where={sphere: {center: [0, 0, 0], radius: 1.2}}", "time.step=0.5"});
  expect_says(result.errors, {"nothing was activated", "the mesh measures 9.9 × 7.5 × 0.9 mm and a front is up to 7.89",
                              "stimulus left not judged"});
  write_mesh(slabs({4.5, 3, 0.9}, 0.3), folder / "bar.vtu");
  expect_says(program("check", {"diffusivity.isotropic=1"}).errors,
              {"a front is 7.89 mm wide (10 to 90 %), the mesh 4.5 mm long", "mesh.length_unit"});
}

TEST_F(Outcome, OfAHugeDiffusivityIsThatNoWaveTravels) {
  const std::string warning =
      "warning: the diffusivity is large for this mesh: a front is 250 mm wide (10 to 90 %), the mesh 8 mm long; what "
      "is stimulated spreads over all of it and no wave travels";
  const ProgramResult result = run({"diffusivity.isotropic=1000", "time.step=0.5"});
  expect_says(result.errors, {warning, "stimulus left not judged (no tissue is "});
  expect_says(program("check", {"diffusivity.isotropic=1000"}).errors, {warning});
}

TEST_F(Outcome, OfSeparatePartsIsWhichWereNeverReached) {
  write_mesh(slabs({4, 1, 1}, 0.5, {{20, 0, 0}, {40, 0, 0}}), folder / "bar.vtu");
  const std::vector<std::string> settings{
      "stimuli=[{name: left, where: {box: {min: [0, 0, 0], max: [1, 1, 1]}}, duration: 2, amplitude: 60}, "
      "{name: weak, where: {box: {min: [40, 0, 0], max: [41, 1, 1]}}, duration: 2, amplitude: -1}]"};
  const std::string second = "part 2 of 3 of the mesh, 81 nodes around (22, 0.5, 0.5) mm, ";
  const ProgramResult result = run(settings);
  expect_says(result.errors,
              {"warning: " + second + "is not connected to the rest and has no stimulus of its own\n",
               "warning: " + second + "was never activated: it is not connected to the rest\n",
               "part 3 of 3 of the mesh, 81 nodes around (42, 0.5, 0.5) mm, was never", "activated 81 of 243 nodes"});
  EXPECT_EQ(result.errors.find("part 1 of 3"), std::string::npos) << result.errors;
  EXPECT_EQ(summary()["components"], 3);
  EXPECT_EQ(summary()["stimuli"][1]["captured"], nullptr);  // it inhibits
  const ProgramResult checked = program("check", settings);
  expect_says(checked.errors, {"warning: " + second + "is not connected to the rest"});
  expect_says(checked.output, {"mesh: 3 connected parts\n"});
}

TEST_F(Outcome, OfAMeshOfVeryManyPartsNamesAFew) {
  std::vector<Vector3> places;
  for (int k = 1; k < 30; ++k) places.push_back({k * 2.0, 0, 0});
  write_mesh(slabs({1, 1, 1}, 0.5, places), folder / "bar.vtu");
  const std::string errors = program("check", {}).errors;
  expect_says(errors, {"part 4 of 30", "; so are 26 more parts\n"});
  EXPECT_EQ(errors.find("part 5 of 30"), std::string::npos) << errors;
}

TEST_F(Outcome, OfAStartInVoltsIsThatTissueIsActivatedWithoutAStimulus) {
  const std::string warning =
      "warning: initial.potential is -0.08 mV: 153 of 153 nodes begin above the threshold of their cell model and are "
      "activated without a stimulus (potentials are in mV, rest is -80)";
  expect_says(run({"initial.potential=-0.08"}).errors, {warning});
  expect_says(program("check", {"initial.potential=-0.08"}).errors, {warning});
  EXPECT_EQ(program("check", {"initial.potential=-79.5"}).errors.find("threshold"), std::string::npos);
}

TEST_F(Outcome, OfAStartAtZeroIsThatTissueStandsActivatedAndWhichKeySaysSo) {
  const std::string regions =
      "initial.regions=[{where: {box: {min: [0, 0, 0], max: [1, 1, 1]}}, potential: -20}, "
      "{where: {box: {min: [7, 0, 0], max: [8, 1, 1]}}, potential: 0}]";
  const std::string errors = program("check", {regions}).errors;
  expect_says(errors, {"warning: initial.regions[1].potential is 0 mV: 27 of 153 nodes stand activated at t = 0"});
  EXPECT_EQ(errors.find("initial.regions[0]"), std::string::npos) << errors;
  EXPECT_EQ(errors.find("initial.potential"), std::string::npos) << errors;
  expect_says(program("check", {regions, "initial.potential=10"}).errors,
              {"initial.potential is 10 mV: 99 of 153 nodes stand activated at t = 0"});
}

TEST_F(Outcome, OfPulsesOnTissueThatHasNotRecoveredCountsThem) {
  write_mesh(slabs({17, 1, 1}, 0.5), folder / "bar.vtu");
  const ProgramResult result = run({"stimuli.0.period=20", "stimuli.0.count=4", "time.end=65"});
  expect_says(result.errors, {"stimulus 'left' did not capture with 2 of 4 pulses: tissue that was activated shortly",
                              "stimulus left captured with 1 of 4 pulses\n"});
  EXPECT_EQ(summary()["stimuli"][0]["pulses"], 4);
  EXPECT_EQ(summary()["stimuli"][0]["captured_pulses"], 1);
  EXPECT_EQ(summary()["stimuli"][0]["captured"], false);
}

TEST_F(Outcome, OfALateStimulusIsThatItWasNotJudged) {
  write_mesh(slabs({17, 1, 1}, 0.5), folder / "bar.vtu");
  const ProgramResult result = run({"stimuli.0.start=29"});
  expect_says(result.errors, {"nothing was activated", "stimulus left not judged (the run ended too early to tell)\n"});
  EXPECT_EQ(result.errors.find("did not capture"), std::string::npos) << result.errors;
  EXPECT_EQ(summary()["stimuli"][0]["captured"], nullptr);
  expect_says(run({"stimuli.0.start=45"}).errors, {"stimulus left did not begin\n"});
}

TEST_F(Outcome, OfARunThatWasInterruptedIsWhatIsKnownSoFar) {
  write_mesh(slabs({17, 1, 1}, 0.5), folder / "bar.vtu");
  const ProgramResult result =
      run_program({"run", folder / "bar.yaml", "--set", "time.end=1e6"}, folder.path(), [&](pid_t process) {
        EXPECT_TRUE(wait_until([&] { return std::filesystem::exists(folder / "result/frames/potential_000007.vtu"); }));
        kill(process, SIGINT);
      });
  EXPECT_EQ(result.exit_code, 130) << result.errors;
  expect_says(result.errors, {"activated 315 of 315 nodes", "stimulus left captured\n"});
  EXPECT_EQ(summary()["status"], "interrupted");
  EXPECT_EQ(summary()["stimuli"][0]["captured"], true);
}

TEST_F(Outcome, OfAPotentialThatLeavesItsRangeNamesRegionEdgeFrontAndWhatMayHelp) {
  const ProgramResult result =
      program("run", {"diffusivity.isotropic=1",
                      "regions=[{where: {box: {min: [0, 0, 0], max: [0.5, 1, 1]}}, diffusivity: {isotropic: 0.9}}, "
                      "{where: {sphere: {center: [4, 0.5, 0.5], radius: 1.5}}, diffusivity: {isotropic: 0.01}}]"});
  EXPECT_EQ(result.exit_code, 3) << result.errors;
  const std::string place =
      "; region slab (tag 1), set by regions[1], edges up to 0.866 mm, front 0.18 mm thick: a finer mesh or a larger "
      "diffusivity there may help";
  expect_says(result.errors, {"the potential left the range of the cell model", place + "\n", "stimulus left"});
  const nlohmann::json json = summary();
  EXPECT_EQ(json["status"], "failed");
  EXPECT_NE(json["reason"].get<std::string>().find(place), std::string::npos) << json["reason"];
  EXPECT_GT(json["activation"]["activated"], 0);
}

TEST_F(Outcome, OfAPotentialThatAStimulusTakesOutOfItsRangeNamesTheStimulus) {
  const ProgramResult result = program("run", {"stimuli.0.amplitude=-60"});
  EXPECT_EQ(result.exit_code, 3) << result.errors;
  expect_says(result.errors, {"thick: a weaker stimulus 'left' (-60 mV/ms, on there) may help\n"});
}

}  // namespace
}  // namespace cardiowarp::test
