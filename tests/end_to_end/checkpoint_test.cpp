// Runs that are ended from outside and go on from a checkpoint leave the files of a run that was never ended, bit for
// bit; and what cannot be gone on from is refused.

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tests/support/checkpoint_runs.hpp"

namespace cardiowarp::test {
namespace {

namespace fs = std::filesystem;
/// A way to compute, and the parameter that a region changes.
struct Case {
  std::string name;
  Words settings;
  std::string parameter = "alpha: 0.02";
};

class CheckpointOf : public Checkpoint, public testing::WithParamInterface<Case> {};

TEST_P(CheckpointOf, ARunGoesOnBitForBitFromAnyCheckpointOnAnyNumberOfThreads) {
  write_bar(GetParam().parameter);
  const Words settings = GetParam().settings;
  const ProgramResult whole = run("whole", settings);
  ASSERT_EQ(whole.exit_code, 0) << whole.errors;
  const ProgramResult saved = run("saved", joined(settings, every_checkpoint));
  ASSERT_EQ(saved.exit_code, 0) << saved.errors;
  expect_same("saved", "whole");
  const std::size_t all = checkpoints("saved").size();
  ASSERT_GE(all, 4);
  const Words going_on = joined(settings, joined(every_checkpoint, {"--resume"}));
  for (const std::size_t number : {std::size_t(1), all / 3, 2 * all / 3}) {
    copy_with_checkpoints("saved", "again", number);
    if (number == all / 3) {  // ended once more after a step
      const ProgramResult stopped = run("again", joined(going_on, {"--threads", "3", "--stop-after", "1 ms"}));
      EXPECT_EQ(stopped.exit_code, 5) << stopped.errors;
    }
    const ProgramResult again = run("again", joined(going_on, {"--threads", number == 1 ? "3" : "1"}));
    ASSERT_EQ(again.exit_code, 0) << again.errors;
    expect_same("again", "whole");
  }
}

Case of_scheme(const std::string& scheme, const std::string& quadrature, bool adaptive) {
  Case result{scheme + "_" + quadrature + (adaptive ? "_adaptive" : ""),
              {"--set", "time.scheme=" + scheme, "--set", "quadrature=" + quadrature}};
  if (adaptive) result.settings = joined(result.settings, {"--set", "time.adaptive.enabled=true"});
  return result;
}

std::vector<Case> cases() {
  std::vector<Case> all{of_scheme("sdirk2", "centroid", false),
                        of_scheme("sdirk2", "vertices_and_centroid", true),
                        of_scheme("trbdf2", "vertices", true),
                        of_scheme("trbdf2", "centroid", false),
                        of_scheme("bdf2", "vertices_and_centroid", false),
                        of_scheme("bdf2", "vertices", true),
                        of_scheme("backward_euler", "centroid", true),
                        of_scheme("backward_euler", "vertices", false),
                        of_scheme("rkc2", "vertices", false),
                        of_scheme("rkc2", "vertices", true)};
  all.push_back({"mitchell_schaeffer",
                 {"--set", "cell_model={name: mitchell_schaeffer}", "--set", "time.adaptive.enabled=true"},
                 "tau_in: 0.25 ms"});
  all.push_back({"bueno_orovio", {"--set", "cell_model={name: bueno_orovio}"}, "tau_fi: 0.12 ms"});
  // Tissue that a stimulus brings back to rest has an APD90 before the end.
  all.push_back({"repolarized",
                 {"--set",
                  "stimuli.1={where: {box: {min: [0, 0, 0], max: [1, 1, 1]}}, start: 5, duration: 1.2, "
                  "amplitude: -85}",
                  "--set", "stimuli.0.count=1"}});
  // A pulse has captured before a checkpoint, and is judged after it.
  all.push_back({"captured",
                 {"--set", "time={end: 30 ms, step: 0.25 ms}", "--set", "stimuli.0.period=22 ms", "--set",
                  "stimuli.0.count=2", "--set", "stimuli.1.start=25 ms"}});
  all.push_back({"polynomial", {"--set", "linear_solver.preconditioner={polynomial: chebyshev, degree: 3}"}});
  all.push_back({"polynomial_in_single_precision",
                 {"--set", "linear_solver.preconditioner={polynomial: least_squares, degree: 2, precision: single}",
                  "--set", "linear_solver.precision=mixed", "--set", "time.adaptive.enabled=true"}});
  // Beats that began before a checkpoint and end after it, and later ones.
  for (const std::string which : {"all", "last"})
    all.push_back(
        {"beats_" + which,
         {"--set", "output.beats=" + which, "--set",
          "output.maps=[activation_time, apd30, apd50, apd80, apd90, repolarization_time, peak, "
          "upstroke_velocity, cycle_length, diastolic_interval, conduction_velocity]",
          "--set", "time={end: 16 ms, step: 0.1 ms, adaptive: {enabled: true}}", "--set",
          "stimuli.0={where: {box: {min: [0, 0, 0], max: [1, 1, 1]}}, duration: 1.5, amplitude: 60, period: 5, "
          "count: 3}",
          "--set",
          "stimuli.1={where: {box: {min: [0, 0, 0], max: [1.5, 1, 1]}}, start: 3, duration: 0.85, "
          "amplitude: -85, period: 5, count: 2}"}});
  all.push_back({"ensight_frames", {"--set", "output.format=ensight", "--set", "time.adaptive.enabled=true"}});
  all.push_back({"frames_in_single_precision", {"--set", "output.precision=single"}});
  for (const std::string format : {"vtu", "ensight"})
    all.push_back(
        {"phi_e_in_" + format, {"--set", "output.format=" + format, "--set", "output.fields=[phi_e, recovery]"}});
  for (const std::string name : {"block_jacobi", "ssor", "ssor_eisenstat"})
    all.push_back({name, {"--set", "linear_solver.preconditioner=" + name}});
  return all;
}

INSTANTIATE_TEST_SUITE_P(Each, CheckpointOf, testing::ValuesIn(cases()),
                         [](const auto& each) { return each.param.name; });

TEST_F(Checkpoint, ARunThatASignalEndsGoesOnBitForBit) {
  const Words settings{"--set", "time.step=0.01 ms"};
  ASSERT_EQ(run("whole", settings).exit_code, 0);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGKILL}) {
    fs::remove_all(folder / "again");
    const Words first = signal == SIGKILL ? joined(settings, every_checkpoint) : settings;
    const ProgramResult ended = run("again", first, [&](pid_t process) {
      const bool is_under_way = wait_until([&] {
        return signal == SIGKILL ? checkpoints("again").size() > 2
                                 : fs::exists(folder / "again/frames/potential_000002.vtu");
      });
      EXPECT_TRUE(is_under_way);
      kill(process, signal);
    });
    if (ended.exit_code == 0) continue;  // it was faster, also where it had let go of the signal already:
    if (ended.exit_code == -signal && signal != SIGKILL &&
        read_text(folder / "again/summary.json").find("\"completed\"") != std::string::npos)
      continue;
    EXPECT_EQ(ended.exit_code, signal == SIGKILL ? -SIGKILL : 130) << ended.errors;
    const ProgramResult again = run("again", joined(first, {"--resume"}));
    ASSERT_EQ(again.exit_code, 0) << again.errors;
    EXPECT_NE(again.errors.find("going on from"), std::string::npos) << again.errors;
    expect_same("again", "whole");
  }
}

TEST_F(Checkpoint, ARunGoesOnWhereOneCannotBeWritten) {
  ASSERT_EQ(run("saved", every_checkpoint).exit_code, 0);
  copy_with_checkpoints("saved", "again", 2);
  const std::vector<fs::path> before = checkpoints("again");
  for (const fs::path& file : checkpoints("saved"))
    if (file.filename() > before.back().filename())
      fs::create_directories(folder / "again/checkpoints" / (file.filename().string() + ".part"));
  const ProgramResult again = run("again", joined(every_checkpoint, {"--resume"}));
  ASSERT_EQ(again.exit_code, 0) << again.errors;
  EXPECT_NE(again.errors.find("no checkpoint at t = "), std::string::npos) << again.errors;
  expect_same("again", "saved");
  for (const fs::path& file : before) EXPECT_TRUE(fs::exists(file)) << file;
  EXPECT_EQ(run("again", joined(every_checkpoint, {"--resume", "--stop-after", "1 ms"})).exit_code, 5);
}

TEST_F(Checkpoint, ARunIsProlonged) {
  ASSERT_EQ(run("whole").exit_code, 0);
  ASSERT_EQ(run("again", joined(every_checkpoint, {"--set", "time.end=4 ms"})).exit_code, 0);
  const ProgramResult again = run("again", joined(every_checkpoint, {"--resume"}));
  ASSERT_EQ(again.exit_code, 0) << again.errors;
  expect_same("again", "whole");
  const Words to_a_frame = joined(every_checkpoint, {"--set", "output.interval=0.5 ms"});
  for (const char* output : {"ended", "ended_twice"}) ASSERT_EQ(run(output, to_a_frame).exit_code, 0);
  ASSERT_EQ(run("ended_twice", joined(to_a_frame, {"--resume"})).exit_code, 0);
  expect_same("ended_twice", "ended");
  const ProgramResult shorter = run("again", {"--resume", "--set", "time.end=5 ms"});
  EXPECT_EQ(shorter.exit_code, 2);
  EXPECT_NE(shorter.errors.find("time.end to be at least 8 ms"), std::string::npos) << shorter.errors;
}

TEST_F(Checkpoint, OnlyTheNewestAreKept) {
  ASSERT_EQ(run("out", {"--set", "checkpoint={interval: 1 ms, keep: 3}"}).exit_code, 0);
  const std::vector<fs::path> files = checkpoints("out");
  ASSERT_EQ(files.size(), 3);
  EXPECT_EQ(files.back().filename(), "step_000000000082.checkpoint");  // 80, and two at edges of stimuli
  ASSERT_EQ(run("out").exit_code, 0);
  EXPECT_TRUE(checkpoints("out").empty());
}

TEST_F(Checkpoint, WhatARunCannotGoOnFromIsRefusedWithItsReason) {
  const auto refused = [&](const Words& words) {
    const ProgramResult result = run("out", joined({"--resume"}, words));
    EXPECT_EQ(result.exit_code, 2) << result.errors;
    return result.errors;
  };
  EXPECT_NE(refused({}).find("--resume: no checkpoint in"), std::string::npos);
  EXPECT_FALSE(fs::exists(folder / "out"));
  ASSERT_EQ(run("out", {"--stop-after", "1 ms"}).exit_code, 5);
  EXPECT_NE(refused({"--set", "stimuli.1.amplitude=61"}).find("stimuli[1].amplitude: 60 in the checkpoint, 61 now"),
            std::string::npos);
  EXPECT_NE(refused({"--set", "cell_model={name: mitchell_schaeffer}", "--set", "regions=[]"})
                .find("cell_model.name: aliev_panfilov in the checkpoint, mitchell_schaeffer now"),
            std::string::npos);
  make_mesh("8,1,1.5");
  EXPECT_NE(refused({}).find("expected the mesh of the checkpoint, "), std::string::npos);
  make_mesh("8,1,1.01");
  EXPECT_NE(refused({}).find("other positions"), std::string::npos);
}

TEST_F(Checkpoint, FramesStayInTheirFormat) {
  const Words saved = joined(late_checkpoint, {"--set", "output.format=ensight", "--set", "time.end=4 ms"});
  ASSERT_EQ(run("out", saved).exit_code, 0);
  const ProgramResult refused = run("out", joined(late_checkpoint, {"--resume"}));
  EXPECT_EQ(refused.exit_code, 2) << refused.errors;
  EXPECT_NE(refused.errors.find("output.format"), std::string::npos) << refused.errors;
}

TEST_F(Checkpoint, EnsightFramesThatAreWholeAreNotTouched) {
  const Words ensight{"--set", "output.format=ensight"};
  ASSERT_EQ(run("whole", ensight).exit_code, 0);
  ASSERT_EQ(run("again", joined(ensight, joined(every_checkpoint, {"--set", "time.end=4 ms"}))).exit_code, 0);
  const auto inodes = [&] {  // a file that is replaced has another one
    std::map<std::string, ino_t> of_names;
    for (const auto& entry : fs::directory_iterator(folder / "again/frames")) {
      struct stat status {};
      EXPECT_EQ(::lstat(entry.path().c_str(), &status), 0) << entry.path();
      of_names[entry.path().filename()] = status.st_ino;
    }
    return of_names;
  };
  const std::map<std::string, ino_t> before = inodes();
  ASSERT_GT(before.size(), 8);
  write_text(folder / "again/frames/region.element", "cut off");
  const ProgramResult again = run("again", joined(ensight, joined(every_checkpoint, {"--resume"})));
  ASSERT_EQ(again.exit_code, 0) << again.errors;
  expect_same("again", "whole");
  const std::map<std::string, ino_t> after = inodes();
  for (const std::string name : {"mesh.geo", "fiber.element", "potential_000000.node", "recovery_000000.element",
                                 "potential_000001.node", "recovery_000001.element"})
    EXPECT_EQ(after.at(name), before.at(name)) << name;
}

TEST_F(Checkpoint, ARunIntoTheResultsOfTheOtherFormatLeavesNothingOfThem) {
  const Words short_run{"--set", "time.end=2 ms"},
      ensight{"--set", "output.format=ensight", "--set", "output.fields=[potential, phi_e, recovery]"};
  ASSERT_EQ(run("vtu", short_run).exit_code, 0);
  ASSERT_EQ(run("ensight", joined(short_run, ensight)).exit_code, 0);
  fs::copy(folder / "vtu", folder / "was_vtu", fs::copy_options::recursive);
  fs::copy(folder / "ensight", folder / "was_ensight", fs::copy_options::recursive);
  const ProgramResult over_vtu = run("was_vtu", joined(short_run, ensight));
  EXPECT_NE(over_vtu.errors.find("open potential.case in ParaView"), std::string::npos) << over_vtu.errors;
  expect_same("was_vtu", "ensight");
  ASSERT_EQ(run("was_ensight", short_run).exit_code, 0);
  expect_same("was_ensight", "vtu");
  EXPECT_FALSE(fs::exists(folder / "was_vtu/potential.pvd"));
}

TEST_F(Checkpoint, ThoseAfterAResumptionHaveTheNamesOfARunThatWasNeverEnded) {
  const Words adaptive{"--set", "time.adaptive.enabled=true"};
  for (const Words& settings : {Words(), adaptive}) {
    ASSERT_EQ(run("saved", joined(settings, every_checkpoint)).exit_code, 0);
    const auto names_in = [&](const std::string& output) {
      std::vector<std::string> names;
      for (const fs::path& file : checkpoints(output)) names.push_back(file.filename());
      return names;
    };
    const std::vector<std::string> expected = names_in("saved");
    ASSERT_GE(expected.size(), 4);
    copy_with_checkpoints("saved", "again", expected.size() / 2);
    ASSERT_EQ(run("again", joined(settings, joined(every_checkpoint, {"--resume"}))).exit_code, 0);
    EXPECT_EQ(names_in("again"), expected);
  }
}

TEST_F(Checkpoint, CheckSaysHowManyAreKept) {
  const ProgramResult checked =
      run_program({"check", folder / "bar.yaml", "--set", "checkpoint={interval: 0.1 s}"}, folder.path());
  EXPECT_EQ(checked.exit_code, 0) << checked.errors;
  EXPECT_NE(checked.output.find("checkpoints: every 100 ms, the newest 2 kept"), std::string::npos) << checked.output;
}

TEST_F(Checkpoint, HowManyStepsAreMadeBetweenLooksChangesNothing) {
  const Words adaptive{"--set", "time={end: 43 ms, step: 0.1 ms, adaptive: {enabled: true}}", "--set",
                       "output.interval=2.75 ms"};
  const Words saving = joined(adaptive, {"--set", "checkpoint={interval: 5.1 ms, keep: 1000}"});
  ASSERT_EQ(run("whole", joined(adaptive, {"--look-every", "1"})).exit_code, 0);
  ASSERT_EQ(run("saved", joined(saving, {"--look-every", "1"})).exit_code, 0);
  for (const char* steps : {"3", "8"}) {
    ASSERT_EQ(run("flown", joined(saving, {"--look-every", steps})).exit_code, 0);
    expect_same("flown", "whole");
    const std::vector<fs::path> files = checkpoints("flown"), expected = checkpoints("saved");
    ASSERT_EQ(files.size(), expected.size());
    for (std::size_t k = 0; k < files.size(); ++k) {
      EXPECT_EQ(files[k].filename(), expected[k].filename());
      copy_with_checkpoints("flown", "again", k + 1 < files.size() ? k + 1 : k);
      ASSERT_EQ(run("again", joined(adaptive, {"--resume", "--look-every", steps})).exit_code, 0) << k;
      expect_same("again", "whole");
    }
    fs::remove_all(folder / "again");
    ProgramResult part = run("again", joined(adaptive, {"--stop-after", "1 ms", "--look-every", steps}));
    int parts = 1;
    for (; part.exit_code == 5; ++parts)
      part = run("again", joined(adaptive, {"--resume", "--stop-after", "1 ms", "--look-every", steps}));
    EXPECT_EQ(part.exit_code, 0) << part.errors;
    EXPECT_GT(parts, 4);
    expect_same("again", "whole");
  }
}

TEST_F(Checkpoint, ANumberOfStepsBetweenLooksIsWholeAndNotTooLarge) {
  for (const char* wrong : {"0", "9", "-1", "2.5", "many", ""}) {
    const ProgramResult result = run("out", {"--look-every", wrong});
    EXPECT_EQ(result.exit_code, 2) << wrong;
    EXPECT_NE(result.errors.find("--look-every: expected a whole number of steps from 1 to 8"), std::string::npos)
        << result.errors;
  }
}

TEST_F(Checkpoint, ADurationIsReadWithItsUnit) {
  for (const char* wrong : {"1", "h", "0 s", "-1 h", "1 x", "1h 3", ""}) {
    const ProgramResult result = run("out", {"--stop-after", wrong});
    EXPECT_EQ(result.exit_code, 2) << wrong;
    EXPECT_NE(result.errors.find("--stop-after"), std::string::npos) << result.errors;
  }
  EXPECT_EQ(run("out", {"--stop-after=1h 30min"}).exit_code, 0);
}

}  // namespace
}  // namespace cardiowarp::test
