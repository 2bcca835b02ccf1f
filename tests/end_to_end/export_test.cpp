// `cardiowarp export`: arrays of results as text and in openCARP's formats.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/bar_runs.hpp"

namespace cardiowarp::test {
namespace {

class Export : public BarRuns {
 protected:
  void SetUp() override {
    BarRuns::SetUp();
    ASSERT_EQ(run("out", {"--set", "output.maps=[activation_time, conduction_velocity]"}).exit_code, 0);
  }
  ProgramResult exported(const std::string& file, const std::string& field, const std::string& output) const {
    return run_program({"export", folder / file, "--field", field, "--output", folder / output}, folder.path());
  }
  std::vector<std::string> lines(const std::string& file) const {
    std::istringstream text(read_text(folder / file));
    std::vector<std::string> all;
    for (std::string line; std::getline(text, line);) all.push_back(line);
    return all;
  }
};

TEST_F(Export, ANodesValueIsALineOfDatAndBehindItsPlaceInCsv) {
  const ProgramResult dat = exported("out/maps.vtu", "activation_time", "act.dat");
  EXPECT_EQ(dat.exit_code, 0) << dat.errors;
  EXPECT_EQ(dat.output, (folder / "act.dat").string() + ": activation_time of 153 nodes\n");
  ASSERT_EQ(exported("out/maps.vtu", "activation_time", "act.csv").exit_code, 0);
  const std::vector<std::string> values = lines("act.dat"), rows = lines("act.csv");
  ASSERT_EQ(values.size(), 153);
  ASSERT_EQ(rows.size(), 154);
  EXPECT_EQ(rows[0], "x,y,z,activation_time");
  Words numbers;
  for (std::size_t node = 0; node < values.size(); ++node)
    EXPECT_TRUE(rows[node + 1].ends_with("," + values[node])) << rows[node + 1];
  EXPECT_EQ(rows[1].substr(0, 6), "0,0,0,");
  EXPECT_EQ(std::ranges::count(values, "-1"), summary("out")["maps"][0]["missing"].get<int>());
  ASSERT_EQ(exported("out/maps.vtu", "conduction_velocity", "cv.csv").exit_code, 0);
  EXPECT_EQ(lines("cv.csv")[0], "x,y,z,conduction_velocity_x,conduction_velocity_y,conduction_velocity_z");
}

TEST_F(Export, AllFramesAreInAnIgbFileWithItsHead) {
  ASSERT_EQ(exported("out/potential.pvd", "potential", "vm.igb").exit_code, 0);
  const std::string igb = read_text(folder / "vm.igb");
  ASSERT_EQ(igb.size(), 1024 + std::size_t{9} * 153 * sizeof(float));
  EXPECT_TRUE(igb.starts_with("x:153 y:1 z:1 t:9 type:float systeme:little_endian\r\n")) << igb.substr(0, 200);
  EXPECT_NE(igb.find("org_t:0 dim_t:8 "), std::string::npos);
  EXPECT_EQ(igb.find('\f'), 1023);
  float first = 0, last = 0;
  std::memcpy(&first, igb.data() + 1024, sizeof first);
  EXPECT_EQ(first, -80.F);
  ASSERT_EQ(exported("out/frames/potential_000008.vtu", "potential", "end.dat").exit_code, 0);
  std::memcpy(&last, igb.data() + igb.size() - sizeof last, sizeof last);
  EXPECT_FLOAT_EQ(last, std::stof(lines("end.dat").back()));
}

TEST_F(Export, TheErrorOfFrontsInEachElementIsAtMostThatOfTheWorst) {
  ASSERT_EQ(exported("out/maps.vtu", "front_velocity_error", "error.csv").exit_code, 0);
  const std::vector<std::string> rows = lines("error.csv");
  ASSERT_EQ(rows.size(), summary("out")["mesh"]["elements"].get<std::size_t>() + 1);
  double largest = 0;
  for (std::size_t row = 1; row < rows.size(); ++row) {
    const double error = std::stod(rows[row].substr(rows[row].rfind(',') + 1));
    if (std::abs(error) > std::abs(largest)) largest = error;
  }
  EXPECT_LT(largest, 0) << "fronts are slower on edges at the vertices";
  EXPECT_NEAR(largest, summary("out")["mesh_velocity_error"]["worst_percent"].get<double>(), 1e-6 * std::abs(largest));
}

TEST_F(Export, AWaveThatDoesNotTurnHasNoFilaments) {
  const ProgramResult none = exported("out/potential.pvd", "filaments", "turns.csv");
  EXPECT_EQ(none.exit_code, 0) << none.errors;
  EXPECT_EQ(none.output, (folder / "turns.csv").string() + ": 0 filaments\n");
  EXPECT_EQ(read_text(folder / "turns.csv"), "time_ms,x,y,z,length_mm\n");
}

TEST_F(Export, WhatCannotBeIsRefusedAndNothingIsWritten) {
  const std::string maps = (folder / "out/maps.vtu").string();
  const auto refused = [&](const std::string& file, const std::string& field, const std::string& output) {
    const ProgramResult result = exported(file, field, output);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_FALSE(std::filesystem::exists(folder / output));
    return result.errors;
  };
  EXPECT_EQ(refused("out/maps.vtu", "apd90", "a.dat"), "error: " + maps +
                                                           ": expected an array 'apd90', got activation_time, fiber, "
                                                           "region, conduction_velocity, front_velocity_error\n");
  EXPECT_EQ(refused("out/maps.vtu", "fiber", "a.dat"),
            "error: --field: expected an array with one number a place for .dat, got 'fiber' with 3\n");
  EXPECT_NE(refused("out/maps.vtu", "region", "a.igb").find("expected an array of nodes for .igb"), std::string::npos);
  EXPECT_NE(refused("out/potential.pvd", "potential", "a.dat").find("FILE: expected a .vtu file, got"),
            std::string::npos);
  EXPECT_NE(refused("out/maps.vtu", "activation_time", "a.txt").find("ends in .dat, .csv or .igb"), std::string::npos);
  EXPECT_NE(refused("none.vtu", "activation_time", "a.dat").find("No such file or directory"), std::string::npos);
  write_text(folder / "cut.vtu", read_text(folder / "out/maps.vtu").substr(0, 3000));
  EXPECT_NE(refused("cut.vtu", "activation_time", "a.dat").find("cut.vtu: "), std::string::npos);
}

TEST_F(Export, QuietSaysNothingButWarnings) {
  const ProgramResult quiet = run("quiet", {"--quiet", "--set", "stimuli.0.amplitude=1"});
  EXPECT_EQ(quiet.exit_code, 0);
  EXPECT_EQ(quiet.errors.find("info:"), std::string::npos) << quiet.errors;
  EXPECT_NE(quiet.errors.find("warning:"), std::string::npos) << "nothing was activated";
  const ProgramResult both = run("both", {"--quiet", "--log-level", "debug"});
  EXPECT_EQ(both.exit_code, 2);
  EXPECT_NE(both.errors.find("--quiet: expected no --log-level beside it, got 'debug'"), std::string::npos);
}

}  // namespace
}  // namespace cardiowarp::test
