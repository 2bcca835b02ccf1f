// `cardiowarp cell`, from a CellML file to a report and three files.

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/cellml_text.hpp"
#include "tests/support/program.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/text_file.hpp"

namespace cardiowarp::test {
namespace {

class CellCommand : public testing::Test {
 protected:
  void SetUp() override { write_text(folder / "small.cellml", small_cell); }
  ProgramResult cell(std::vector<std::string> words) const {
    words.insert(words.begin(), {"cell", folder / "small.cellml"});
    return run_program(std::move(words), folder.path());
  }
  void expect_refusal(std::vector<std::string> words, const std::string& message) const {
    const ProgramResult result = cell(std::move(words));
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_NE(result.errors.find(message), std::string::npos) << result.errors;
    EXPECT_TRUE(result.output.empty()) << result.output;
  }

  TemporaryDirectory folder;
};

TEST_F(CellCommand, AFileIsCheckedWithItsStatesKindsAndParameters) {
  const ProgramResult result = cell({"--beats", "0"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(result.output, R"(model: small (CellML 1.0), 2 states beside the potential, 3 parameters
potential: membrane.V, -80 mV at the beginning
stimulus: membrane.i_stim is switched off; 1 uA of it is -0.5 mV/ms

state   unit           initial  kind
gate.n  dimensionless      0.5  gate
gate.c  mM                   2  pool

parameter   unit  value
membrane.C  uF    2
leak.g      mS    0.1
leak.E      mV    -70
)");
}

TEST_F(CellCommand, BeatsAreWrittenAsCsvAndAsAPicture) {
  const std::filesystem::path out = folder / "out";
  const ProgramResult result = cell({"--beats", "7", "--period", "50 ms", "--amplitude", "30 V/s", "--duration", "2",
                                     "--set", "g=0.3", "--set", "leak.E=-7e1", "--output", out});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_NE(result.output.find("pulse: 30 mV/ms for 2 ms, every 50 ms"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("leak.g      mS    0.3"), std::string::npos) << result.output;
  std::istringstream beats(read_text(out / "cell_beats.csv")), trace(read_text(out / "cell_trace.csv"));
  std::string line;
  std::getline(beats, line);
  EXPECT_EQ(line, "beat,rest_mV,peak_mV,dVdt_max_mV_per_ms,upstroke_ms,APD50_ms,APD90_ms");
  int count = 0;
  for (; std::getline(beats, line); ++count) EXPECT_TRUE(line.starts_with(std::to_string(count + 1) + ","));
  EXPECT_EQ(count, 7);
  std::getline(trace, line);
  EXPECT_EQ(line, "time_ms,potential_mV,gate.n,gate.c");
  double first = -1, last = -1;
  while (std::getline(trace, line)) {
    last = std::stod(line);
    if (first < 0) first = last;
  }
  EXPECT_EQ(first, 100);  // the last five beats
  EXPECT_EQ(last, 350);
  const std::string figure = read_text(out / "cell_potential.svg");
  EXPECT_TRUE(figure.starts_with("<svg")) << figure.substr(0, 100);
  EXPECT_NE(figure.find(">small</text>"), std::string::npos);
  EXPECT_TRUE(figure.ends_with("</svg>\n"));
  EXPECT_EQ(figure.find("nan"), std::string::npos);
}

TEST_F(CellCommand, RestitutionIsWrittenAsATableAndAPicture) {
  // A cell without a threshold rises by the same, so that each pulse captures; its way back ends above the level of 90
  // %.
  const std::filesystem::path out = folder / "out";
  const ProgramResult result = cell({"--protocol", "s1s2", "--beats", "2", "--period", "60 ms", "--intervals",
                                     "60,50.5,40", "--set", "E=-80", "--set", "g=1", "--output", out});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const std::string table = read_text(out / "cell_restitution.csv");
  EXPECT_TRUE(table.starts_with("interval_ms,captured,diastolic_ms,APD50_ms,APD90_ms\n60,yes,")) << table;
  EXPECT_NE(table.find("\n50.5,yes,"), std::string::npos) << table;
  EXPECT_NE(read_text(out / "cell_restitution.svg").find("APD90 in ms</text>"), std::string::npos);
  const ProgramResult dynamic = cell({"--protocol", "dynamic", "--beats", "2", "--intervals", "60"});
  EXPECT_NE(dynamic.output.find("interval_ms  captured"), std::string::npos) << dynamic.output;
}

TEST_F(CellCommand, ThePulseOfTheFileIsTakenWhereItDescribesOne) {
  // Its amplitude is annotated, its duration is not.
  const ProgramResult result = cell({});
  EXPECT_NE(result.output.find("pulse: 20 mV/ms for 1 ms, every 1000 ms"), std::string::npos) << result.output;
}

TEST_F(CellCommand, WrongArgumentsAreRefusedBeforeAnythingIsPrinted) {
  expect_refusal({"--set", "gg=1"}, "parameter: the model has no variable 'gg'");
  expect_refusal({"--set", "g"}, "--set: expected name=number, in the unit of the file, got 'g'");
  expect_refusal({"--set", "g=1 mV"}, "--set: expected name=number");
  expect_refusal({"--beats", "-1"}, "--beats: expected 0 to 100000, got -1");
  expect_refusal({"--period", "1 mm"}, "--period: expected a time (ms, s, us), got '1 mm'");
  expect_refusal({"--period", "0.5"}, "--period: expected a time from 1 to 1e+06 ms");
  expect_refusal({"--amplitude", "3 ms"}, "--amplitude: expected a rate of potential (mV/ms, V/s), got '3 ms'");
  expect_refusal({"--duration", "2 s"}, "--duration: expected a time from 0 to 1000 ms, got '2 s'");
  expect_refusal({"--potential", "n"}, "the potential gate.n has units 'dimensionless'");
  expect_refusal({"--stimulus-current", "n"}, "the stimulus gate.n is a state or time");
  expect_refusal({"--protocol", "s1s1"}, "--protocol: expected s1s2, dynamic, got 's1s1'; did you mean 's1s2'?");
  expect_refusal({"--protocol", "s1s2", "--beats", "0"}, "--beats: expected 1 to 100000, got 0");
  expect_refusal({"--protocol", "s1s2", "--intervals", "0"}, "--intervals: expected times from 1 to 1e6 ms, got 0");
  expect_refusal({"--intervals", "300"}, "--intervals: expected with --protocol alone");
  write_text(folder / "file", "");
  expect_refusal({"--output", folder / "file"}, "--output:");
  EXPECT_TRUE(std::filesystem::is_regular_file(folder / "file"));
}

TEST_F(CellCommand, AFileThatCannotBeComputedIsRefusedWithItsName) {
  write_text(folder / "small.cellml", with(small_cell, "<times/>", "<tims/>"));
  expect_refusal({}, "small.cellml: component 'leak': unknown function 'tims'");
}

TEST_F(CellCommand, ARateThatIsNoNumberEndsWithItsTime) {
  write_text(folder / "small.cellml",
             with(small_cell, "<apply><minus/><ci>n</ci>",
                  "<apply><minus/><apply><root/><apply><minus/><ci>c</ci><cn>1.9</cn></apply></apply>"));
  const ProgramResult result = cell({"--output", folder / "out"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_NE(result.errors.find("a rate is not a number"), std::string::npos) << result.errors;
  EXPECT_FALSE(std::filesystem::exists(folder / "out"));
}

TEST_F(CellCommand, PotentialsAtWhichRatesAreNoNumbersAreTold) {
  write_text(
      folder / "small.cellml",
      with(small_cell, "<apply><minus/><ci>V</ci><ci>E</ci></apply>",
           "<apply><divide/><ci>V</ci><apply><sin/><apply><plus/><ci>V</ci><cn>20</cn></apply></apply></apply>"));
  const ProgramResult result = cell({"--beats", "0"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_NE(result.errors.find("rates are not numbers at 1 of the potentials from -120 to 60 mV"), std::string::npos)
      << result.errors;
}

}  // namespace
}  // namespace cardiowarp::test
