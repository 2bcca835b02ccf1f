// Restitution: speed and duration of the wave after paced ones, for every model with switches and each of its parameter
// sets, against finite differences with sharp switches that a script computed (tests/data/cells/reference.py). A
// structured bar with points at the nodes has the same equations in space as the script's cable; what differs is the
// steps in time and the switches, which the program makes over a width.

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/program.hpp"
#include "tests/support/run_results.hpp"
#include "tests/support/temporary_directory.hpp"

namespace cardiowarp::test {
namespace {

/// A line of restitution.txt.
struct PacedCable {
  std::string model, set, period_ms, beats;
  Real speed_mm_per_ms, apd90_ms;  ///< 0 where the wave did not come, −1 where the next pulse came first

  friend std::ostream& operator<<(std::ostream& out, const PacedCable& cable) {
    return out << cable.model << " " << cable.set << " " << cable.period_ms << " ms, " << cable.beats
               << " beats before";
  }
};

std::vector<PacedCable> paced_cables() {
  std::ifstream file(CARDIOWARP_CELLS "/restitution.txt");
  std::vector<PacedCable> cables;
  std::string line, words[6];
  std::getline(file, line);  // the header
  while (std::getline(file, line)) {
    std::istringstream in(line);
    for (std::string& word : words) std::getline(in, word, ',');
    cables.push_back({words[0], words[1], words[2], words[3], std::stod(words[4]), std::stod(words[5])});
  }
  return cables;
}

std::string cable_yaml(const PacedCable& cable) {
  return "mesh: {file: bar.msh}\ncell_model: {name: " + cable.model + (cable.set.empty() ? "" : ", set: " + cable.set) +
         "}\ndiffusivity: {isotropic: 0.1171}\nstimuli:\n  - {where: {box: {min: [-1, -1, -1], max: [1.01, 9, 9]}}, "
         "duration: 2 ms, amplitude: 43}\nprepace: {beats: " +
         cable.beats + ", period: " + cable.period_ms + ", cache: cache}\ntime: {end: " + cable.period_ms +
         ", step: 0.01, adaptive: {enabled: true, tolerance: 3.0e-4, min_step: 1.0e-4}}\n" +
         "output: {directory: result, interval: " + cable.period_ms + "}\n";
}

class Restitution : public testing::TestWithParam<PacedCable> {};

TEST_P(Restitution, IsThatOfSharpSwitches) {
  const PacedCable& cable = GetParam();
  const TemporaryDirectory folder;
  const ProgramResult made = run_program(
      {"mesh", "slab", "--size", "20,0.25,0.25", "--edge", "0.25mm", "--output", folder / "bar.msh"}, folder.path());
  ASSERT_EQ(made.exit_code, 0) << made.errors;
  write_text(folder / "bar.yaml", cable_yaml(cable));
  const ProgramResult run = run_program({"run", folder / "bar.yaml", "--backend", "cpu"}, folder.path());
  ASSERT_EQ(run.exit_code, 0) << run.errors;

  const auto maps = folder / "result/maps.vtu";
  const std::vector<Real> activation = point_values(maps, "activation_time"), apd90 = point_values(maps, "apd90");
  const auto node = [&](Real x) { return static_cast<std::size_t>(node_at(maps, {x, 0, 0})); };
  const Real from_ms = activation.at(node(5)), to_ms = activation.at(node(15));
  std::printf("RESULT restitution model=%s set=%s period_ms=%s speed_mm_per_ms=%.4f apd90_ms=%.2f\n",
              cable.model.c_str(), cable.set.c_str(), cable.period_ms.c_str(), 10 / (to_ms - from_ms),
              apd90.at(node(10)));
  if (cable.speed_mm_per_ms == 0) {
    EXPECT_LE(to_ms, 0) << "the wave came";
    return;
  }
  ASSERT_GT(from_ms, 0) << "no wave came";
  EXPECT_NEAR(10 / (to_ms - from_ms), cable.speed_mm_per_ms, 0.005 * cable.speed_mm_per_ms);
  EXPECT_NEAR(apd90.at(node(10)), cable.apd90_ms, 0.4);
}

INSTANTIATE_TEST_SUITE_P(OfEveryModelWithSwitches, Restitution, testing::ValuesIn(paced_cables()),
                         [](const auto& tested) {
                           return tested.param.model + "_" + tested.param.set + "_" + tested.param.period_ms +
                                  "_after_" + tested.param.beats;
                         });

TEST(RestitutionOfTheScript, HasEveryModelWithSwitchesAndEachOfItsParameterSets) {
  EXPECT_EQ(paced_cables().size(), 14u);
}

}  // namespace
}  // namespace cardiowarp::test
