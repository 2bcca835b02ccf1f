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
                                     "--parameters", "g=0.3,leak.E=-7e1", "--output", out});
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
  // A cell without a threshold rises by the same, and far enough, so that each pulse captures; its way back ends above
  // the level of 90 %.
  const std::filesystem::path out = folder / "out";
  const ProgramResult result = cell({"--protocol", "s1s2", "--beats", "2", "--period", "60 ms", "--intervals",
                                     "60,50.5,40", "--parameters", "E=-80,g=1", "--amplitude", "120", "--output", out});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const std::string table = read_text(out / "cell_restitution.csv");
  EXPECT_TRUE(table.starts_with("interval_ms,captured,diastolic_ms,APD50_ms,APD90_ms\n60,yes,")) << table;
  EXPECT_NE(table.find("\n50.5,yes,"), std::string::npos) << table;
  EXPECT_NE(read_text(out / "cell_restitution.svg").find("APD90 in ms</text>"), std::string::npos);
  EXPECT_NE(result.output.find("S2 captures down to 40 ms and may do so earlier"), std::string::npos) << result.output;
}

TEST_F(CellCommand, BothProtocolsHaveFilesOfTheirOwn) {
  const std::filesystem::path out = folder / "out";
  const ProgramResult result = cell({"--protocol", "restitution", "--beats", "5", "--period", "60 ms", "--intervals",
                                     "60,50", "--parameters", "E=-80,g=1", "--amplitude", "120", "--output", out});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const std::string table = read_text(out / "cell_dynamic.csv");
  EXPECT_TRUE(table.starts_with("interval_ms,captured,diastolic_ms,APD50_ms,APD90_ms,rhythm\n60,yes,")) << table;
  EXPECT_NE(table.find(",1:1\n50,yes,"), std::string::npos) << table;
  EXPECT_NE(read_text(out / "cell_dynamic.svg").find("period in ms</text>"), std::string::npos);
  EXPECT_TRUE(read_text(out / "cell_restitution.csv").starts_with("interval_ms,captured"));
  EXPECT_NE(result.output.find("each pulse captures, and beats do not alternate"), std::string::npos) << result.output;
}

class BuiltInCell : public CellCommand {
 protected:
  ProgramResult built_in(std::vector<std::string> words) const {
    words.insert(words.begin(), "cell");
    return run_program(std::move(words), folder.path());
  }
  void expect_refusal_of(std::vector<std::string> words, const std::string& message) const {
    const ProgramResult result = built_in(std::move(words));
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_NE(result.errors.find(message), std::string::npos) << result.errors;
    EXPECT_TRUE(result.output.empty()) << result.output;
  }
};

TEST_F(BuiltInCell, IsPrintedAndBeatsWithItsSetAndParameters) {
  const std::filesystem::path out = folder / "out";
  const ProgramResult result = built_in({"ten_tusscher_2006", "--set", "midmyocardial", "--beats", "2", "--parameters",
                                         "g_Kr=0.1,g_Ks=0.05", "--output", out});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_TRUE(
      result.output.starts_with("model: ten_tusscher_2006, midmyocardial, 18 states beside the potential, 17 "
                                "parameters\npotential: -85.423 mV at the beginning\n"))
      << result.output;
  EXPECT_NE(result.output.find("\ng_Ks       nS/pF        0.05      slow delayed rectifier\n"), std::string::npos)
      << result.output;
  EXPECT_NE(result.output.find("pulse: 40 mV/ms for 1 ms, every 1000 ms"), std::string::npos);
  EXPECT_TRUE(read_text(out / "cell_trace.csv").starts_with("time_ms,potential_mV,m,h,j,d,"));
  const std::string beats = read_text(out / "cell_beats.csv");
  EXPECT_NE(beats.find("\n2,"), std::string::npos) << beats;
  const ProgramResult usual = built_in({"ten_tusscher_2006", "--set", "midmyocardial", "--beats", "2"});
  const auto last_number = [](const std::string& text) { return std::stod(text.substr(text.rfind(' ') + 1)); };
  EXPECT_GT(last_number(result.output.substr(0, result.output.rfind('\n', result.output.size() - 2))),
            last_number(usual.output) + 5);
}

TEST_F(BuiltInCell, WrongArgumentsAreRefusedWithWhatIsExpected) {
  expect_refusal_of({"ten_tuscher_2006"}, "MODEL: expected aliev_panfilov, ");
  expect_refusal_of({"ten_tuscher_2006"}, "got 'ten_tuscher_2006'; did you mean 'ten_tusscher_2006'?");
  expect_refusal_of(
      {"ten_tusscher_2006", "--set", "endocadial"},
      "--set: expected epicardial, endocardial, midmyocardial of ten_tusscher_2006, got 'endocadial'; did "
      "you mean 'endocardial'?");
  expect_refusal_of({"luo_rudy_1991", "--set", "epi"}, "--set: expected none, as there is one kind of luo_rudy_1991");
  expect_refusal_of({"luo_rudy_1991", "--set", "g_Na=1"}, "--parameters NAME=VALUE changes one");
  expect_refusal_of({"ten_tusscher_2006", "--parameters", "g_Kr=0.1,g_ks=1"},
                    "of ten_tusscher_2006, got 'g_ks'; did you mean 'g_Ks'?");
  expect_refusal_of({"ten_tusscher_2006", "--parameters", "g_Kr=-1"},
                    "--parameters: g_Kr: expected a number not negative, got -1");
  expect_refusal_of({"ten_tusscher_2006", "--parameters", "g_Kr=1 mm"},
                    "--parameters: g_Kr: expected a number (nS/pF), got '1 mm'");
  expect_refusal_of({"mitchell_schaeffer", "--parameters", "tau_in=1 mV"},
                    "--parameters: tau_in: expected a time (ms, s, us), got '1 mV'");
  expect_refusal_of({"ten_tusscher_2006", "--potential", "V"}, "--potential: expected with a CellML file alone");
  expect_refusal_of({"ten_tusscher_2006", "--stimulus-current", "V"}, "--stimulus-current: expected with a CellML");
  expect_refusal_of({"no.cellml"}, "no.cellml: there is no such file");
}

TEST_F(BuiltInCell, ACellWithoutASolutionEndsWithItsTime) {
  const ProgramResult result = built_in({"luo_rudy_1991", "--amplitude", "1e9", "--output", folder / "out"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_NE(result.errors.find("luo_rudy_1991: at "), std::string::npos) << result.errors;
  EXPECT_FALSE(std::filesystem::exists(folder / "out"));
}

TEST_F(CellCommand, ThePulseOfTheFileIsTakenWhereItDescribesOne) {
  // Its amplitude is annotated, its duration is not.
  const ProgramResult result = cell({});
  EXPECT_NE(result.output.find("pulse: 20 mV/ms for 1 ms, every 1000 ms"), std::string::npos) << result.output;
}

TEST_F(CellCommand, WrongArgumentsAreRefusedBeforeAnythingIsPrinted) {
  expect_refusal({"--parameters", "gg=1"}, "parameter: the model has no variable 'gg'");
  expect_refusal({"--parameters", "g"}, "--parameters: expected NAME=NUMBER, got 'g'");
  expect_refusal({"--parameters", "g=1 mV"},
                 "--parameters: expected NAME=NUMBER in the unit of the file, got 'g=1 mV'");
  expect_refusal({"--set", "g=1"},
                 "--set: expected none, as a CellML file has no sets of parameters, got 'g=1': --parameters");
  expect_refusal({"--beats", "-1"}, "--beats: expected 0 to 100000, got -1");
  expect_refusal({"--period", "1 mm"}, "--period: expected a time (ms, s, us), got '1 mm'");
  expect_refusal({"--period", "0.5"}, "--period: expected a time from 1 to 1e+06 ms");
  expect_refusal({"--amplitude", "3 ms"}, "--amplitude: expected a rate of potential (mV/ms, V/s), got '3 ms'");
  expect_refusal({"--duration", "2 s"}, "--duration: expected a time from 0 to 1000 ms, got '2 s'");
  expect_refusal({"--potential", "n"}, "the potential gate.n has units 'dimensionless'");
  expect_refusal({"--stimulus-current", "n"}, "the stimulus gate.n is a state or time");
  expect_refusal({"--protocol", "s1s1"},
                 "--protocol: expected s1s2, dynamic, restitution, got 's1s1'; did you mean 's1s2'?");
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
