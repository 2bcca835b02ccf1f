// `cardiowarp sweep`, `restitution` and `erp`: many runs of one file, against the same runs made by hand.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/program.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/text_file.hpp"

namespace cardiowarp::test {
namespace {

using Row = std::vector<std::string>;

std::vector<Row> rows_of(const std::filesystem::path& csv) {
  std::ifstream file(csv);
  std::vector<Row> rows;
  for (std::string line; std::getline(file, line);) {
    std::istringstream texts(line);
    rows.emplace_back();
    for (std::string text; std::getline(texts, text, ',');) rows.back().push_back(text);
    if (line.ends_with(',')) rows.back().emplace_back();
  }
  return rows;
}

std::string cell(const std::vector<Row>& rows, std::size_t row, const std::string& column) {
  for (std::size_t k = 0; k < rows.at(0).size(); ++k)
    if (rows[0][k] == column) return rows.at(row).at(k);
  ADD_FAILURE() << "no column " << column;
  return "";
}

nlohmann::json summary_in(const std::filesystem::path& folder) {
  return nlohmann::json::parse(read_text(folder / "summary.json"));
}

/// The last wave of a column of `probes.csv`, with straight lines between its rows.
struct LastWave {
  double rise_ms = -1;  ///< through -50 mV
  double apd90_ms = -1, diastolic_ms = -1;
};

LastWave last_wave(const std::filesystem::path& csv, std::size_t column) {
  std::vector<Row> rows = rows_of(csv);
  double rest = 0;
  for (std::size_t k = 1; k < rows.size(); ++k) rest = std::min(rest, std::stod(rows[k][column]));
  LastWave wave;
  double peak = rest, fallen_ms = -1;
  bool is_active = false;
  for (std::size_t k = 2; k < rows.size(); ++k) {
    const double t0 = std::stod(rows[k - 1][0]), t1 = std::stod(rows[k][0]);
    const double v0 = std::stod(rows[k - 1][column]), v1 = std::stod(rows[k][column]);
    const auto crossing = [&](double level) { return t0 + (level - v0) / (v1 - v0) * (t1 - t0); };
    if (!is_active && v0 < -50 && v1 >= -50) {
      is_active = true;
      peak = v1;
      wave = {.rise_ms = crossing(-50), .diastolic_ms = fallen_ms < 0 ? -1 : crossing(-50) - fallen_ms};
    }
    peak = std::max(peak, v1);
    if (const double level = peak - 0.9 * (peak - rest); is_active && v0 > level && v1 <= level) {
      is_active = false;
      fallen_ms = crossing(level);
      wave.apd90_ms = fallen_ms - wave.rise_ms;
    }
  }
  return wave;
}

class StudyCommands : public testing::Test {
 protected:
  void SetUp() override {
    const ProgramResult made = run_program(
        {"mesh", "slab", "--size", "18,0.5,0.5", "--edge", "0.5mm", "--output", folder / "bar.msh"}, folder.path());
    ASSERT_EQ(made.exit_code, 0) << made.errors;
    write_text(yaml, R"(mesh: {file: bar.msh}
cell_model: {name: mitchell_schaeffer}
diffusivity: {isotropic: 0.25 mm^2/ms}
stimuli:
  - {name: S1, where: {box: {min: [0, 0, 0], max: [1, 1, 1]}}, duration: 2 ms, amplitude: 50 mV/ms}
  - {name: S2, where: {box: {min: [0, 0, 0], max: [1, 1, 1]}}, start: 420 ms, duration: 2 ms, amplitude: 50 mV/ms}
time: {end: 760 ms, step: 0.05 ms, adaptive: {enabled: true}}
output: {directory: out, interval: 25 ms}
probes:
  - {name: near, point: [9, 0.25, 0.25]}
  - {name: far, point: [15, 0.25, 0.25]}
)");
  }

  /// The command with the file and `--threads 2 --backend cpu`.
  ProgramResult program(const std::string& command, std::vector<std::string> words,
                        const std::function<void(pid_t)>& meanwhile = {}) const {
    words.insert(words.begin(), {command, yaml, "--threads", "2", "--backend", "cpu"});
    return run_program(std::move(words), folder.path(), meanwhile);
  }
  void expect_refusal(const std::string& command, std::vector<std::string> words, const std::string& message) const {
    const ProgramResult result = program(command, std::move(words));
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_NE(result.errors.find(message), std::string::npos) << result.errors;
    EXPECT_FALSE(std::filesystem::exists(folder / "out_sweep"));
  }

  const TemporaryDirectory folder;
  const std::filesystem::path yaml = folder / "bar.yaml";
};

TEST_F(StudyCommands, ASweepHasTheBitsOfRunsByHandAndATable) {
  const ProgramResult swept = program(
      "sweep", {"--over", "diffusivity.isotropic=0.2,0.4,0.3", "--over", "time.end=30 ms,91 ms", "--jobs", "3"});
  ASSERT_EQ(swept.exit_code, 0) << swept.errors;
  EXPECT_NE(swept.output.find("001  0.2                    30 ms     completed"), std::string::npos) << swept.output;
  const std::vector<Row> rows = rows_of(folder / "out_sweep/sweep.csv");
  ASSERT_EQ(rows.size(), 7);
  EXPECT_EQ(cell(rows, 4, "run"), "004");
  EXPECT_EQ(cell(rows, 4, "diffusivity.isotropic"), "0.4");
  EXPECT_EQ(cell(rows, 4, "time.end"), "91 ms");

  const ProgramResult run =
      program("run", {"--set", "diffusivity.isotropic=0.4", "--set", "time.end=91 ms", "--output", folder / "by_hand"});
  ASSERT_EQ(run.exit_code, 0) << run.errors;
  for (const char* file : {"maps.vtu", "probes.csv", "frames/potential_000001.vtu"})
    EXPECT_EQ(read_text(folder / "out_sweep/004" / file), read_text(folder / "by_hand" / file)) << file;
  const nlohmann::json by_hand = summary_in(folder / "by_hand");
  EXPECT_NEAR(std::stod(cell(rows, 4, "last_ms")), by_hand["activation"]["last_ms"].get<double>(), 1e-4);
  EXPECT_NEAR(std::stod(cell(rows, 4, "far_activation_time")),
              by_hand["probes"][1]["beats"][0]["activation_time"].get<double>(), 1e-4);
  EXPECT_EQ(cell(rows, 4, "S1_captured"), "1");
  EXPECT_NE(read_text(folder / "out_sweep/sweep.svg").find("time.end = 91 ms"), std::string::npos);
}

TEST_F(StudyCommands, ResumeKeepsWhatIsCompleteAndMakesWhatIsMissingOrOther) {
  const std::vector<std::string> words{"--over", "diffusivity.isotropic=0.2,0.4,0.3", "--set", "time.end=20 ms"};
  ASSERT_EQ(program("sweep", words).exit_code, 0);
  const std::string maps = read_text(folder / "out_sweep/002/maps.vtu");
  std::filesystem::remove_all(folder / "out_sweep/002");
  std::vector<std::string> resumed = words;
  resumed.emplace_back("--resume");
  const ProgramResult again = program("sweep", resumed);
  ASSERT_EQ(again.exit_code, 0) << again.errors;
  EXPECT_NE(again.errors.find("run 001 (diffusivity.isotropic = 0.2) is kept"), std::string::npos) << again.errors;
  EXPECT_EQ(again.errors.find("run 002 (diffusivity.isotropic = 0.4) is kept"), std::string::npos) << again.errors;
  EXPECT_EQ(read_text(folder / "out_sweep/002/maps.vtu"), maps);

  resumed.insert(resumed.end(), {"--set", "time.step=0.04 ms"});
  const ProgramResult other = program("sweep", resumed);
  ASSERT_EQ(other.exit_code, 0) << other.errors;
  EXPECT_EQ(other.errors.find("is kept"), std::string::npos) << other.errors;
  EXPECT_NE(read_text(folder / "out_sweep/002/maps.vtu"), maps);
}

TEST_F(StudyCommands, ResumeLooksAtTheContentOfFilesAndNotAtTheirTimes) {
  const std::vector<std::string> words{"--over", "diffusivity.isotropic=0.2,0.4", "--set", "time.end=20 ms", "--resume",
                                       "--set",  "checkpoint={interval: 5 ms}"};
  ASSERT_EQ(program("sweep", words).exit_code, 0);
  const auto kept = [&] {
    const ProgramResult again = program("sweep", words);
    EXPECT_EQ(again.exit_code, 0) << again.errors;
    std::size_t runs = 0;
    for (std::size_t at = again.errors.find("is kept"); at != std::string::npos;
         at = again.errors.find("is kept", at + 1))
      ++runs;
    return runs;
  };
  EXPECT_EQ(kept(), 2);
  std::filesystem::remove(folder / "out_sweep/001/maps.vtu");
  EXPECT_EQ(kept(), 1);
  EXPECT_TRUE(std::filesystem::exists(folder / "out_sweep/001/maps.vtu"));
  const auto time = std::filesystem::last_write_time(folder / "bar.msh");
  ASSERT_EQ(run_program({"mesh", "slab", "--size", "12,0.5,0.5", "--edge", "0.5mm", "--output", folder / "bar.msh"},
                        folder.path())
                .exit_code,
            0);
  std::filesystem::last_write_time(folder / "bar.msh", time - std::chrono::hours(9));
  const ProgramResult other = program("sweep", words);
  EXPECT_EQ(other.errors.find("is kept"), std::string::npos) << other.errors;
}

TEST_F(StudyCommands, ASweepOfAPacedHeartEndsAtASignalWhateverRunItMeets) {
  std::vector<std::string> words{"--over", "time.end=700,710,720,730,740,750",
                                 "--jobs", "4",
                                 "--set",  "stimuli[0].period=300 ms",
                                 "--set",  "stimuli[0].count=1",
                                 "--set",  "prepace.beats=2",
                                 "--set",  "prepace.cache=" + (folder / "cache").string()};
  const ProgramResult ended = program("sweep", words, [&](pid_t process) {
    ASSERT_TRUE(wait_until([&] { return std::filesystem::exists(folder / "out_sweep/001.inputs"); }));
    kill(process, SIGINT);
  });
  EXPECT_EQ(ended.exit_code, 130) << ended.errors;
  words.emplace_back("--resume");
  EXPECT_EQ(program("sweep", words).exit_code, 0);
}

TEST_F(StudyCommands, NothingIsWrittenThroughALinkAndNoFolderIsSharedByTwo) {
  const std::vector<std::string> words{"--over", "time.end=20 ms,21 ms"};
  std::filesystem::create_directory(folder / "out_sweep");
  write_text(folder / "other.txt", "mine");
  std::filesystem::create_symlink(folder / "other.txt", folder / "out_sweep/001.log");
  EXPECT_EQ(program("sweep", words).exit_code, 2);
  EXPECT_EQ(read_text(folder / "other.txt"), "mine");
  std::filesystem::remove(folder / "out_sweep/001.log");
  const int held = open((folder / "out_sweep").c_str(), O_RDONLY | O_DIRECTORY);
  ASSERT_EQ(flock(held, LOCK_EX | LOCK_NB), 0);
  const ProgramResult second = program("sweep", words);
  EXPECT_EQ(second.exit_code, 2) << second.errors;
  close(held);
  EXPECT_FALSE(std::filesystem::exists(folder / "out_sweep/001"));
}

TEST_F(StudyCommands, ASignalEndsASweepThatCanGoOn) {
  const std::vector<std::string> words{
      "--over", "time.step=0.01,0.02,0.03,0.04,0.05,0.06", "--set", "time.adaptive.enabled=false", "--jobs", "1"};
  const ProgramResult ended = program("sweep", words, [&](pid_t process) {
    ASSERT_TRUE(wait_until([&] { return std::filesystem::exists(folder / "out_sweep/001/probes.csv"); }));
    kill(process, SIGINT);
  });
  EXPECT_EQ(ended.exit_code, 130) << ended.errors;
  EXPECT_NE(ended.errors.find("--resume goes on with the sweep"), std::string::npos) << ended.errors;
  EXPECT_EQ(cell(rows_of(folder / "out_sweep/sweep.csv"), 6, "status"), "not run");
  std::vector<std::string> resumed{"--resume", "--set", "time.end=760 ms"};
  resumed.insert(resumed.end(), words.begin(), words.end());
  const ProgramResult whole = program("sweep", resumed);
  ASSERT_EQ(whole.exit_code, 0) << whole.errors;
  const std::vector<Row> rows = rows_of(folder / "out_sweep/sweep.csv");
  for (std::size_t row = 1; row <= 6; ++row) EXPECT_EQ(cell(rows, row, "status"), "completed");
}

TEST_F(StudyCommands, ARunThatFailsIsToldAndTheOthersAreMade) {
  const ProgramResult swept =
      program("sweep", {"--over", "mesh.file=bar.msh,none.msh,./bar.msh", "--set", "time.end=20 ms"});
  EXPECT_EQ(swept.exit_code, 2);
  EXPECT_NE(swept.errors.find("warning: run 002 (mesh.file = none.msh): "), std::string::npos) << swept.errors;
  const std::vector<Row> rows = rows_of(folder / "out_sweep/sweep.csv");
  EXPECT_EQ(cell(rows, 2, "status"), "failed");
  EXPECT_EQ(cell(rows, 3, "status"), "completed");
  EXPECT_NE(read_text(folder / "out_sweep/002.log").find("none.msh"), std::string::npos);
}

TEST_F(StudyCommands, MistakesAreToldBeforeAnythingIsRun) {
  expect_refusal("sweep", {"--over", "time.step=0.1,banana"}, "time.step: expected");
  expect_refusal("sweep", {"--over", "time.stop=0.1,0.2"}, "time.stop");
  expect_refusal("sweep", {}, "sweep: expected --over KEY.PATH=VALUE,VALUE or --table FILE, got none");
  expect_refusal("sweep", {"--over", "time.step=0.1,0.2", "--random", "3"}, "expected a range");
  expect_refusal("sweep", {"--over", "time.step=0.1,0.2", "--jobs", "0"}, "--jobs: expected a number from 1");
  expect_refusal("sweep", {"--over", "time.step=0.1,0.2", "--seed", "4"}, "--seed: expected --random N beside it");
  expect_refusal("restitution", {}, "restitution: expected --intervals MS,MS or --periods MS,MS, got neither");
  expect_refusal("restitution", {"--intervals", "300,-1"}, "--intervals: expected positive times in ms, got -1");
  expect_refusal("restitution", {"--intervals", "300", "--stimulus", "S1"},
                 "--stimulus S1: expected one pulse that begins after");
  expect_refusal("restitution", {"--periods", "300", "--stimulus", "S1"}, "--stimulus S1: expected one with a period");
  expect_refusal("sweep", {"--over", "output.directory=a,b"}, "output.directory: expected another key");
  expect_refusal(
      "restitution",
      {"--periods", "300", "--stimulus", "S2", "--set", "stimuli[1].period=300 ms", "--set", "stimuli[1].count=1"},
      "--stimulus S2: expected several pulses (count), or prepace, got one");
  expect_refusal(
      "restitution",
      {"--periods", "300", "--stimulus", "S2", "--set", "stimuli[1].period=300 ms", "--set", "stimuli[1].count=3"},
      "time.end: expected a time after the last pulse of S2, at 1020 ms, got 760 ms");
  expect_refusal("erp", {"--set", "stimuli[1].start=200 ms"},
                 "expected S2 to capture at the interval of the file, 200 ms");
}

TEST_F(StudyCommands, RestitutionHasTheWaveOfS2AtEachInterval) {
  const ProgramResult result = program("restitution", {"--intervals", "420,350,15"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const std::vector<Row> rows = rows_of(folder / "out_restitution/restitution.csv");
  EXPECT_EQ(cell(rows, 0, "interval_ms"), "interval_ms");
  ASSERT_EQ(program("run", {"--set", "stimuli[1].start=350 ms", "--set", "time.end=690 ms"}).exit_code, 0);
  const LastWave near = last_wave(folder / "out/probes.csv", 1), far = last_wave(folder / "out/probes.csv", 2);
  EXPECT_NEAR(std::stod(cell(rows, 2, "speed_m_per_s")), 6 / (far.rise_ms - near.rise_ms), 2e-3);
  EXPECT_NEAR(std::stod(cell(rows, 2, "apd90_ms")), far.apd90_ms, 0.5);
  EXPECT_NEAR(std::stod(cell(rows, 2, "diastolic_ms")), far.diastolic_ms, 0.5);
  EXPECT_EQ(cell(rows, rows.size() - 1, "speed_m_per_s"), "") << "the wave of S1, which passes the probes after S2";
  EXPECT_GT(std::stod(cell(rows, 1, "apd90_ms")), 5 + std::stod(cell(rows, 2, "apd90_ms")));
  EXPECT_TRUE(std::filesystem::exists(folder / "out_restitution/restitution.svg"));
}

TEST_F(StudyCommands, PeriodsArePacedAsManyTimesAsInTheFile) {
  const ProgramResult result =
      program("restitution", {"--periods", "500,400", "--stimulus", "S2", "--set", "stimuli[0].start=3000 ms", "--set",
                              "stimuli[1].start=0 ms", "--set", "stimuli[1].period=450 ms", "--set",
                              "stimuli[1].count=3", "--set", "time.end=1300 ms"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const nlohmann::json summary = summary_in(folder / "out_restitution/period_400ms");
  EXPECT_EQ(summary["stimuli"][1]["pulses"], 3);
  EXPECT_EQ(summary["simulated_ms"], 1200);
  const std::vector<Row> rows = rows_of(folder / "out_restitution/restitution.csv");
  const LastWave far = last_wave(folder / "out_restitution/period_400ms/probes.csv", 2);
  EXPECT_GT(far.rise_ms, 800);
  EXPECT_NEAR(std::stod(cell(rows, 2, "apd90_ms")), far.apd90_ms, 0.5);
  EXPECT_NEAR(std::stod(cell(rows, 2, "diastolic_ms")), far.diastolic_ms, 0.5);
}

TEST_F(StudyCommands, TheRefractoryPeriodIsBetweenARunThatCapturesAndOneThatDoesNot) {
  for (const char* jobs : {"1", "3"}) {
    const ProgramResult result = program("erp", {"--jobs", jobs});
    ASSERT_EQ(result.exit_code, 0) << result.errors;
    const std::size_t begin = result.output.find("ERP: ");
    ASSERT_NE(begin, std::string::npos) << result.output;
    const int erp = std::stoi(result.output.substr(begin + 5));
    for (const int interval : {erp, erp + 1}) {
      ASSERT_EQ(program("run", {"--set", "stimuli[1].start=" + std::to_string(interval)}).exit_code, 0);
      EXPECT_EQ(summary_in(folder / "out")["stimuli"][1]["captured"] == true, interval > erp) << interval;
    }
  }
}

TEST_F(StudyCommands, TheRefractoryPeriodOfS3IsThatOfTheLastPulseOfAProtocol) {
  const std::vector<std::string> protocol{
      "--set",
      "stimuli=[{name: S1, where: {box: {min: [0, 0, 0], max: [1, 1, 1]}}, duration: 2 ms, amplitude: 50 mV/ms, "
      "intervals: [350, 330]}]",
      "--set", "time.end=900 ms"};
  const ProgramResult result = program("erp", protocol);
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const std::size_t begin = result.output.find("ERP: ");
  ASSERT_NE(begin, std::string::npos) << result.output;
  EXPECT_NE(result.output.find("(S3 captures at", begin), std::string::npos) << result.output;
  const int erp = std::stoi(result.output.substr(begin + 5));
  for (const int interval : {erp, erp + 1}) {
    std::vector<std::string> words = protocol;
    words.insert(words.end(), {"--set", "stimuli[0].intervals[1]=" + std::to_string(interval)});
    ASSERT_EQ(program("run", words).exit_code, 0);
    const nlohmann::json stimuli = summary_in(folder / "out")["stimuli"];
    ASSERT_EQ(stimuli.size(), 3);
    EXPECT_EQ(stimuli[1]["captured"], true);
    EXPECT_EQ(stimuli[2]["captured"] == true, interval > erp) << interval;
  }
}

}  // namespace
}  // namespace cardiowarp::test
