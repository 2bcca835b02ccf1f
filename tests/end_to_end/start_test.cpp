// Runs that begin with the state of a checkpoint: --from.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/bar_runs.hpp"

namespace cardiowarp::test {
namespace {

namespace fs = std::filesystem;

using Start = BarRuns;

const Words no_stimulus = set("stimuli=[]");
const Words every_checkpoint = set("checkpoint={interval: 0.57 ms, keep: 1000}");

class StartOf : public BarRuns, public testing::WithParamInterface<std::string> {};

TEST_P(StartOf, ARunFromACheckpointIsTheRestOfTheRunThatWroteIt) {
  const Words scheme{"--set", "time.scheme=" + GetParam()};
  run_source(scheme);
  ASSERT_EQ(run("whole", scheme).exit_code, 0);
  const ProgramResult rest =
      run("rest", joined(joined(scheme, no_stimulus), {"--set", "time.end=4", "--from", source()}));
  ASSERT_EQ(rest.exit_code, 0) << rest.errors;
  EXPECT_EQ(rest.errors.find("nothing will propagate"), std::string::npos) << rest.errors;
  const auto whole = probe_rows("whole"), before = probe_rows("source"), after = probe_rows("rest");
  ASSERT_EQ(after.front().front(), 0);
  for (std::size_t probe = 1; probe < 4; ++probe) EXPECT_EQ(after.front()[probe], before.back()[probe]);
  std::size_t compared = 0;
  for (const std::vector<double>& row : whole)
    for (const std::vector<double>& other : after) {
      if (std::fabs(row[0] - 4 - other[0]) > 1e-6) continue;
      ++compared;
      for (std::size_t probe = 1; probe < 4; ++probe)
        EXPECT_NEAR(row[probe], other[probe], GetParam() == "trbdf2" || GetParam() == "bdf2" ? 0.3 : 1e-6) << other[0];
    }
  EXPECT_GE(compared, 40);
  EXPECT_EQ(summary("rest")["simulated_ms"], 4);
  EXPECT_GT(summary("rest")["activation"]["last_ms"], 0);
  EXPECT_LE(summary("rest")["activation"]["last_ms"], 4);
  EXPECT_EQ(summary("rest")["activation"]["first_ms"], 0);
}

INSTANTIATE_TEST_SUITE_P(Each, StartOf, testing::Values("sdirk2", "trbdf2", "bdf2", "rkc2", "backward_euler"),
                         [](const auto& each) { return each.param; });

TEST_F(Start, TheSummarySaysWhereARunBegan) {
  run_source();
  ASSERT_EQ(run("rest", joined(no_stimulus, {"--from", source()})).exit_code, 0);
  const nlohmann::json from = summary("rest")["from"];
  EXPECT_EQ(from["file"], checkpoints("source").back().string());
  EXPECT_EQ(from["time_ms"], 4);
  EXPECT_EQ(from["checksum"].get<std::string>().size(), 16);
  EXPECT_FALSE(summary("source").contains("from"));
  const ProgramResult checked = check({"--from", source()});
  EXPECT_EQ(checked.exit_code, 0) << checked.errors;
  EXPECT_NE(checked.output.find("from: '" + from["file"].get<std::string>() + "' at t = 4 ms, checksum " +
                                from["checksum"].get<std::string>()),
            std::string::npos)
      << checked.output;
}

TEST_F(Start, AFileAFolderOfResultsAndItsCheckpointsMayBeNamed) {
  run_source();
  ASSERT_EQ(run("by_file", joined(no_stimulus, {"--from", checkpoints("source").back()})).exit_code, 0);
  ASSERT_EQ(run("by_folder", joined(no_stimulus, {"--from", source() + "/"})).exit_code, 0);
  ASSERT_EQ(run("by_checkpoints", joined(no_stimulus, {"--from", source() + "/checkpoints"})).exit_code, 0);
  expect_same("by_folder", "by_file");
  expect_same("by_checkpoints", "by_file");
}

TEST_F(Start, ATornCheckpointOfAFolderIsPassedOver) {
  run_source();
  const fs::path newest = checkpoints("source").back();
  const std::string bytes = read_text(newest);
  write_text(newest, bytes.substr(0, bytes.size() - 100));
  const ProgramResult result = run("rest", joined(no_stimulus, {"--from", source()}));
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_NE(result.errors.find("it is cut off"), std::string::npos) << result.errors;
  EXPECT_EQ(summary("rest")["from"]["time_ms"], 3);
  const ProgramResult by_name = run("other", joined(no_stimulus, {"--from", newest}));
  EXPECT_EQ(by_name.exit_code, 2);
  EXPECT_NE(by_name.errors.find("--from: checkpoint '"), std::string::npos) << by_name.errors;
  EXPECT_FALSE(fs::exists(folder / "other"));
}

TEST_F(Start, ARunFromACheckpointGoesOnBitForBitWithoutThatFile) {
  run_source();
  const Words words = joined(set("stimuli.0.start=1"), {"--set", "output.fields=[potential, recovery]"});
  ASSERT_EQ(run("whole", joined(words, {"--from", source()})).exit_code, 0);
  ASSERT_EQ(run("again", joined(joined(words, every_checkpoint), {"--from", source()})).exit_code, 0);
  const auto all = checkpoints("again");
  ASSERT_GT(all.size(), 6);
  for (std::size_t k = 4; k < all.size(); ++k) fs::remove(all[k]);
  fs::remove_all(source());
  const ProgramResult result = run("again", joined(joined(words, every_checkpoint), {"--resume", "--threads", "3"}));
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  expect_same("again", "whole");
  EXPECT_EQ(summary("again")["from"], summary("whole")["from"]);
}

TEST_F(Start, ARunThatBeganWithMeansOfTheStatesGoesOnBitForBit) {
  run_source(set("quadrature=centroid"));
  const Words words = joined(set("quadrature=vertices"), no_stimulus);
  ASSERT_EQ(run("whole", joined(words, {"--from", source()})).exit_code, 0);
  ASSERT_EQ(run("again", joined(joined(words, every_checkpoint), {"--from", source()})).exit_code, 0);
  const auto all = checkpoints("again");
  ASSERT_GT(all.size(), 6);
  for (std::size_t k = 4; k < all.size(); ++k) fs::remove(all[k]);
  const ProgramResult result = run("again", joined(joined(words, every_checkpoint), {"--resume"}));
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  expect_same("again", "whole");
}

TEST_F(Start, OtherSchemesStepsAndOutputMayBeginWithAState) {
  run_source();
  const ProgramResult result =
      run("rest", joined(joined(set("time.scheme=backward_euler"), set("time.step=0.05")),
                         joined(set("output={interval: 2, maps: [apd90]}"), {"--from", source()})));
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(result.errors.find("at other points"), std::string::npos) << result.errors;
  // The rest of the run that wrote the state, without the stimulus that begins anew here.
  ASSERT_EQ(run("quiet", joined(joined(set("time.scheme=backward_euler"), set("time.step=0.05")),
                                joined(no_stimulus, {"--from", source()})))
                .exit_code,
            0);
  ASSERT_EQ(run("whole").exit_code, 0);
  const auto whole = probe_rows("whole"), before = probe_rows("source"), rest = probe_rows("rest"),
             quiet = probe_rows("quiet");
  for (std::size_t probe = 1; probe < 4; ++probe) {
    EXPECT_EQ(rest.front()[probe], before.back()[probe]);
    EXPECT_EQ(quiet.front()[probe], before.back()[probe]);
  }
  EXPECT_NEAR(rest[1][0], 0.05, 1e-12);
  std::size_t compared = 0;
  for (const std::vector<double>& row : whole)
    for (const std::vector<double>& other : quiet) {
      if (std::fabs(row[0] - 4 - other[0]) > 1e-6) continue;
      ++compared;
      for (std::size_t probe = 1; probe < 4; ++probe) EXPECT_NEAR(row[probe], other[probe], 0.1) << other[0];
    }
  EXPECT_EQ(compared, 41);
  EXPECT_GT(whole.back()[1] - before.back()[1], 10);
  EXPECT_GT(rest[80][1] - quiet[80][1], 10) << "the stimulus at t = 0";
}

TEST_F(Start, CellsThatHaveTheirStatesElsewhereTakeMeansWithAWord) {
  for (const char* before : {"centroid", "vertices", "vertices_and_centroid"}) {
    run_source({"--set", std::string("quadrature=") + before});
    for (const char* after : {"centroid", "vertices", "vertices_and_centroid"}) {
      SCOPED_TRACE(std::string(before) + " " + after);
      const ProgramResult result = run("rest", {"--set", std::string("quadrature=") + after, "--from", source()});
      ASSERT_EQ(result.exit_code, 0) << result.errors;
      const std::string word = std::string("quadrature: ") + before + " there, " + after + " here";
      EXPECT_EQ(result.errors.find(word) != std::string::npos, std::string(before) != after) << result.errors;
    }
  }
  run_source();
  const ProgramResult other = run("rest", joined(set("regions=[]"), {"--from", source()}));
  ASSERT_EQ(other.exit_code, 0) << other.errors;
  EXPECT_NE(other.errors.find("regions differ in their cells"), std::string::npos) << other.errors;
}

TEST_F(Start, WhatASetOfInitialValuesAndPrepaceWouldBeIsReplacedWithAWarning) {
  run_source();
  ASSERT_EQ(run("plain", {"--from", source()}).exit_code, 0);
  const ProgramResult result =
      run("rest", joined(set("initial={potential: -20}"),
                         joined(set("prepace={beats: 3, period: 50, cache: cache}"), {"--from", source()})));
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_NE(result.errors.find("initial has no effect with --from"), std::string::npos) << result.errors;
  EXPECT_NE(result.errors.find("prepace has no effect with --from"), std::string::npos) << result.errors;
  expect_same("rest", "plain");
}

TEST_F(Start, WhatARunCannotBeginWithIsRefusedWithItsReason) {
  run_source();
  const auto refused = [&](const Words& words) {
    const ProgramResult result = run("out", words);
    EXPECT_EQ(result.exit_code, 2) << result.errors;
    EXPECT_FALSE(fs::exists(folder / "out"));
    EXPECT_EQ(check(words).exit_code, 2);
    return result.errors;
  };
  const auto expect_refused = [&](const Words& words, const std::string& reason) {
    const std::string message = refused(words);
    EXPECT_NE(message.find(reason), std::string::npos) << message;
  };
  expect_refused({"--from", folder / "none"}, "--from: no file or folder '");
  fs::create_directories(folder / "empty");
  expect_refused({"--from", folder / "empty"}, "--from: no checkpoint in '");
  expect_refused({"--from", folder / "bar.yaml"}, "it does not begin as a checkpoint does");
  expect_refused({"--from", source(), "--set", "cell_model={name: mitchell_schaeffer}", "--set", "regions=[]"},
                 "expected the cell model of the checkpoint, aliev_panfilov, got cell_model.name: mitchell_schaeffer");
  make_mesh("8,1,1.5");
  expect_refused({"--from", source()}, "--from: expected the mesh of the checkpoint, ");
  make_mesh("8,1,1.01");
  expect_refused({"--from", source()}, "other positions");
  make_mesh("8,1,1");
}

TEST_F(Start, OptionsThatContradictEachOtherAreRefused) {
  run_source();
  const auto before = results("source");
  const ProgramResult into_itself = run("source", {"--from", source()});
  EXPECT_EQ(into_itself.exit_code, 2);
  EXPECT_NE(into_itself.errors.find("is in output.directory"), std::string::npos) << into_itself.errors;
  EXPECT_EQ(results("source"), before);
  EXPECT_EQ(checkpoints("source").size(), 4);
  const ProgramResult both = run("source", {"--from", source(), "--resume"});
  EXPECT_EQ(both.exit_code, 2);
  EXPECT_NE(both.errors.find("--from and --resume: expected one of them"), std::string::npos) << both.errors;
  const ProgramResult on_fine_mesh = run("out", {"--from", source(), "--estimate-mesh-error"});
  EXPECT_EQ(on_fine_mesh.exit_code, 2);
  EXPECT_NE(on_fine_mesh.errors.find("got --from"), std::string::npos) << on_fine_mesh.errors;
}

TEST_F(Start, TheErrorInTimeOfARunFromACheckpointIsThatOfASecondRunFromThere) {
  run_source();
  const ProgramResult result = run("rest", joined(no_stimulus, {"--from", source(), "--estimate-error"}));
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  // From rest and without a stimulus, the second run would activate nothing.
  EXPECT_EQ(result.errors.find("in one of the two runs alone"), std::string::npos) << result.errors;
  EXPECT_TRUE(summary("rest").contains("estimated_error"));
}

}  // namespace
}  // namespace cardiowarp::test
