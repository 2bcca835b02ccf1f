// The program with every ionic cell model, from a YAML file to the files of a run.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "fem/cells/models.hpp"
#include "tests/support/program.hpp"
#include "tests/support/run_results.hpp"
#include "tests/support/temporary_directory.hpp"

namespace cardiowarp::test {
namespace {

/// A cable of 12 mm in which a front is 1 mm thick, stimulated at one end.
std::string cable_yaml(const IonicModel& model, const std::string& more) {
  const Real thickness = ionic_cell(model).front().thickness_square;
  return "mesh: {file: cable.msh}\ncell_model: {name: " + std::string(model.name()) +
         "}\ndiffusivity: {isotropic: " + std::to_string(1 / thickness) +
         "}\nstimuli:\n  - {where: {box: {min: [0, 0, 0], max: [3.1, 3, 3]}}, duration: 2 ms, amplitude: 50}\n"
         "time: {end: 40, step: 0.05, adaptive: {enabled: true}}\n"
         "probes:\n  - {name: far, point: [10.5, 0, 0]}\n" +
         more;
}

class IonicRuns : public testing::Test {
 protected:
  IonicRuns() {
    EXPECT_EQ(run({"mesh", "slab", "--size", "12,0.5,0.5", "--edge", "0.5mm", "--output", folder_ / "cable.msh"}), "");
  }
  /// The errors of the program; empty where it ended well.
  std::string run(std::vector<std::string> arguments) const {
    const ProgramResult result = run_program(std::move(arguments), folder_.path());
    return result.exit_code == 0 ? "" : result.errors;
  }
  std::string probes(const std::string& of) const { return read_text(folder_ / (of + "/probes.csv")); }

  const TemporaryDirectory folder_;
};

TEST_F(IonicRuns, OfEveryModelActivateACableAndAreThoseOfTheirResolvedConfiguration) {
  for (const IonicModel* model : ionic_models()) {
    const std::string name(model->name()), folder = name + "_out";
    write_text(folder_ / "cable.yaml", cable_yaml(*model, "output: {directory: " + folder + ", interval: 20}\n"));
    ASSERT_EQ(run({"run", folder_ / "cable.yaml", "--backend", "cpu"}), "") << name;
    const std::vector<Real> activation = point_values(folder_ / (folder + "/maps.vtu"), "activation_time");
    EXPECT_GE(std::ranges::min(activation), 0) << name;
    ASSERT_EQ(run({"run", folder_ / (folder + "/resolved.yaml"), "--output", folder_ / (name + "_again")}), "");
    EXPECT_EQ(probes(name + "_again"), probes(folder)) << name;
  }
}

TEST_F(IonicRuns, WriteTheStatesThatAreAskedForAndElseThePotentialAlone) {
  const IonicModel& model = *ionic_models().front();
  write_text(folder_ / "cable.yaml", cable_yaml(model, "output: {directory: alone, interval: 20}\n"));
  ASSERT_EQ(run({"run", folder_ / "cable.yaml", "--backend", "cpu"}), "");
  write_text(folder_ / "cable.yaml",
             cable_yaml(model, "output: {directory: with, interval: 20, fields: [potential, Ca_i]}\n"));
  ASSERT_EQ(run({"run", folder_ / "cable.yaml", "--backend", "cpu"}), "");
  const std::string last = read_pvd(folder_ / "with/potential.pvd").back().file;
  const std::vector<Real> calcium = cell_values(last, "Ca_i");
  EXPECT_GT(std::ranges::max(calcium), 1.5 * 0.000126);
  EXPECT_EQ(read_text(read_pvd(folder_ / "alone/potential.pvd").back().file).find("Name=\"Ca_i\""), std::string::npos);
  EXPECT_EQ(probes("with"), probes("alone"));
}

TEST_F(IonicRuns, GoOnFromACheckpointBitForBitAndForAnyNumberOfThreads) {
  const IonicModel& model = *ionic_models().front();
  write_text(folder_ / "cable.yaml", cable_yaml(model, "output: {directory: whole, interval: 20}\n"));
  ASSERT_EQ(run({"run", folder_ / "cable.yaml", "--backend", "cpu", "--threads", "1"}), "");
  const ProgramResult stopped = run_program({"run", folder_ / "cable.yaml", "--backend", "cpu", "--threads", "3",
                                             "--output", folder_ / "cut", "--stop-after", "20 ms"},
                                            folder_.path());
  ASSERT_EQ(stopped.exit_code, 5) << stopped.errors;
  ASSERT_EQ(run({"run", folder_ / "cable.yaml", "--backend", "cpu", "--threads", "2", "--output", folder_ / "cut",
                 "--resume"}),
            "");
  EXPECT_EQ(probes("cut"), probes("whole"));
  EXPECT_EQ(read_text(folder_ / "cut/maps.vtu"), read_text(folder_ / "whole/maps.vtu"));
}

TEST_F(IonicRuns, BeginEachRegionWhereItsSetBegins) {
  const IonicModel& model = *ionic_models().front();
  write_text(folder_ / "cable.yaml",
             cable_yaml(model,
                        "regions:\n  - {where: {box: {min: [5.1, -1, -1], max: [13, 9, 9]}}, cell_model: {set: "
                        "midmyocardial}}\noutput: {directory: sets, interval: 20, fields: [potential, Ca_SR]}\n"));
  ASSERT_EQ(run({"run", folder_ / "cable.yaml", "--backend", "cpu"}), "");
  const std::string first = read_pvd(folder_ / "sets/potential.pvd").front().file;
  const std::vector<Real> calcium = cell_values(first, "Ca_SR"), potential = point_values(first, "potential");
  EXPECT_EQ(std::ranges::min(calcium), model.sets()[0].states[14]);
  EXPECT_EQ(std::ranges::max(calcium), model.sets()[2].states[14]);
  EXPECT_DOUBLE_EQ(std::ranges::min(potential), model.sets()[2].potential_mv);
  EXPECT_DOUBLE_EQ(std::ranges::max(potential), model.sets()[0].potential_mv);
}

}  // namespace
}  // namespace cardiowarp::test
