// Runs that cannot go on and runs that are warned of: what is said, the exit code, and the files that stay.

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/support/program.hpp"
#include "tests/support/run_of_a_bar.hpp"
#include "tests/support/run_results.hpp"

namespace cardiowarp::test {
namespace {

TEST_F(Run, OfAStimulusThatHyperpolarizesStopsWithThePlaceAndKeepsTheLastGoodFrame) {
  const ProgramResult result = run({"--set", "stimuli.0.amplitude=-200 mV/ms", "--set", "output.interval=0.1"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_NE(result.errors.find("μ2 + φ > 0"), std::string::npos) << result.errors;
  const auto frames = read_pvd(folder / "result/potential.pvd");
  ASSERT_GE(frames.size(), 2u);
  const FailedStep failed = failed_step(result.errors);
  EXPECT_EQ(failed.step, static_cast<int>(frames.size()));
  EXPECT_NEAR(failed.time_ms, frames.back().time_ms + 0.1, 1e-6);
  EXPECT_LT(failed.potential_mv, -110);
  for (const Real coordinate : failed.at) {  // inside the stimulus
    EXPECT_GE(coordinate, 0);
    EXPECT_LE(coordinate, 1);
  }
  EXPECT_EQ(node_at(frames[0].file, failed.at), failed.node);
  for (const Real potential : point_values(frames.back().file, "potential")) {
    EXPECT_TRUE(std::isfinite(potential));
    EXPECT_GT(potential, -110);
  }
  EXPECT_NE(read_text(folder / "result/summary.json").find("\"failed\""), std::string::npos);
}

TEST_F(Run, ThatDoesNotConvergeStopsWithExitCode3) {
  const ProgramResult newton = run(
      {"--set", "time.scheme=backward_euler", "--set", "newton.max_iterations=1", "--set", "newton.tolerance=1e-12"});
  EXPECT_EQ(newton.exit_code, 3);
  EXPECT_NE(newton.errors.find("Newton did not converge: max|Δφ| = "), std::string::npos) << newton.errors;
  EXPECT_NE(newton.errors.find("iterations in the step: 1 "), std::string::npos) << newton.errors;
  const ProgramResult stages = run({"--set", "newton.max_iterations=1", "--set", "newton.tolerance=1e-12"});
  EXPECT_EQ(stages.exit_code, 3);
  EXPECT_NE(stages.errors.find("(each of its stages has at most newton.max_iterations)"), std::string::npos)
      << stages.errors;
  const ProgramResult linear = run({"--set", "time.scheme=backward_euler", "--set", "linear_solver.max_iterations=1"});
  EXPECT_EQ(linear.exit_code, 3);
  EXPECT_NE(linear.errors.find("CG did not converge in 1 iterations"), std::string::npos) << linear.errors;
}

TEST_F(Run, InMixedPrecisionIsReportedAndEndsWithExitCode3WhereTheMatrixIsTooLargeForIt) {
  const ProgramResult checked =
      program({"check", folder / "bar.yaml", "--backend", "cpu", "--set", "linear_solver.precision=mixed"});
  EXPECT_NE(checked.output.find("\nsolver: plain in mixed precision ("), std::string::npos) << checked.output;
  EXPECT_EQ(run({"--set", "linear_solver.precision=mixed"}).exit_code, 0);
  EXPECT_NE(read_text(folder / "result/summary.json").find("\"precision\": \"mixed\""), std::string::npos);
  EXPECT_NE(read_text(folder / "result/resolved.yaml").find("precision: mixed"), std::string::npos);
  const ProgramResult beyond = run({"--set", "linear_solver.precision=mixed", "--set", "diffusivity.isotropic=1e42"});
  EXPECT_EQ(beyond.exit_code, 3) << beyond.errors;
  EXPECT_NE(beyond.errors.find("the matrix has entries that are not finite or, with linear_solver.precision: mixed or "
                               "single, beyond 3.4e38"),
            std::string::npos)
      << beyond.errors;
}

TEST_F(Run, InSinglePrecisionSaysSoAndTakesMixedWhereMoreIsAskedFor) {
  const std::vector<std::string> single{"--set", "linear_solver.precision=single"};
  EXPECT_EQ(run(single).exit_code, 0);
  std::string summary = read_text(folder / "result/summary.json");
  EXPECT_NE(summary.find("\"precision\": \"single\""), std::string::npos) << summary;
  EXPECT_EQ(summary.find("precision_reason"), std::string::npos) << summary;
  const std::string why = "the run asks for linear solves to 1.0e-10, and single precision holds no more than 5e-07";
  const ProgramResult mixed = run({"--set", "linear_solver.precision=single", "--set", "time.scheme=backward_euler",
                                   "--set", "newton.forcing=fixed", "--set", "linear_solver.tolerance=1e-10"});
  EXPECT_EQ(mixed.exit_code, 0) << mixed.errors;
  EXPECT_NE(mixed.errors.find("linear systems are solved in mixed precision: " + why), std::string::npos)
      << mixed.errors;
  summary = read_text(folder / "result/summary.json");
  EXPECT_NE(summary.find("\"precision\": \"mixed\""), std::string::npos) << summary;
  EXPECT_NE(summary.find("\"precision_reason\": \"" + why), std::string::npos) << summary;
  const ProgramResult checked =
      program({"check", folder / "bar.yaml", "--backend", "cpu", "--set", "linear_solver.precision=auto"});
  EXPECT_NE(checked.output.find("\nprecision: double (on a CPU "), std::string::npos) << checked.output;
  const ProgramResult refused =
      run({"--set", "linear_solver.precision=single", "--set", "linear_solver.preconditioner=block_jacobi"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.errors.find("linear_solver.precision: single needs linear_solver.preconditioner: jacobi"),
            std::string::npos)
      << refused.errors;
}

TEST_F(Run, WarnsOfAStepThatCanLosePositiveDefiniteness) {
  const ProgramResult result = program({"check", folder / "bar.yaml", "--set", "time.scheme=backward_euler", "--set",
                                        "time.step=6", "--set", "stimuli.0.duration=6"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_NE(result.errors.find("from 4.8"), std::string::npos) << result.errors;
}

TEST_F(Run, OfAnOrdinaryConfigurationIsCheckedWithoutAWarning) {
  const ProgramResult result = program({"check", folder / "bar.yaml"});
  EXPECT_NE(result.output.find("\nquadrature: vertices\ntime: sdirk2, "), std::string::npos) << result.output;
  EXPECT_EQ(result.errors.find("warning"), std::string::npos) << result.errors;
  EXPECT_NE(result.output.find("tissue: 384 elements, 0.008 cm³; diffusivity 0.2 mm²/ms in all directions\n"),
            std::string::npos)
      << result.output;
  EXPECT_NE(result.output.find("a frame every 5 ms: 5 frames, about "), std::string::npos) << result.output;
}

TEST_F(Run, FramesOfStepsThatAreNoMultiplesHaveTheirTimesInFewDigitsAndAWarning) {
  const ProgramResult result = run({"--set", "time.scheme=backward_euler", "--set", "time.end=2", "--set",
                                    "time.step=0.1", "--set", "output.interval=0.25"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_NE(result.errors.find("output.interval of 0.25 ms is no multiple of time.step, 0.1 ms"), std::string::npos)
      << result.errors;
  const std::string collection = read_text(folder / "result/potential.pvd");
  for (const char* time : {"\"0\"", "\"0.3\"", "\"0.5\"", "\"0.8\"", "\"1\""})
    EXPECT_NE(collection.find(std::string("timestep=") + time), std::string::npos) << collection;
  for (const char* interval : {"0.3", "7"}) {
    const ProgramResult other = run({"--set", "time.scheme=backward_euler", "--set", "time.end=2", "--set",
                                     "time.step=0.1", "--set", std::string("output.interval=") + interval});
    EXPECT_EQ(other.exit_code, 0) << other.errors;
    EXPECT_EQ(other.errors.find("no multiple"), std::string::npos) << other.errors;
  }
}

TEST_F(Run, WarnsOfAStimulusThatIsCutShortAndRefusesOneBetweenTwoSteps) {
  const ProgramResult shorter = program(
      {"check", folder / "bar.yaml", "--set", "time.scheme=backward_euler", "--set", "stimuli.0.duration=0.25"});
  EXPECT_EQ(shorter.exit_code, 0);
  EXPECT_NE(shorter.errors.find("is on for 0.2 ms"), std::string::npos) << shorter.errors;
  const ProgramResult none = program(
      {"check", folder / "bar.yaml", "--set", "time.scheme=backward_euler", "--set", "stimuli.0.duration=0.05"});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_NE(none.errors.find("on in no step"), std::string::npos) << none.errors;
  const ProgramResult late =
      program({"check", folder / "bar.yaml", "--set", "time.scheme=backward_euler", "--set", "stimuli.0.start=30"});
  EXPECT_EQ(late.exit_code, 0);
  EXPECT_NE(late.errors.find("on in no step"), std::string::npos) << late.errors;
}

TEST_F(Run, TooLongAStepForTheRecoveryEquationSaysSo) {
  // b < −1 takes r below 0; when φ then falls to rest, r is far below −γ (μ2 + φ)/μ1
  const ProgramResult result =
      run({"--set", "time.step=2", "--set", "cell_model.parameters={gamma: 5, b: -3, c: 1, mu1: 20}", "--set",
           "initial.potential=0", "--set",
           "stimuli=[{where: {box: {min: [0, 0, 0], max: [8, 1, 1]}}, start: 2, duration: 2, amplitude: -40}]"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_NE(result.errors.find("the equations of a cell's states have no solution"), std::string::npos)
      << result.errors;
}

TEST_F(Run, ANodeLeavingTheRangeOfItsOwnRegionIsNamed) {
  const ProgramResult result =
      run({"--set", "stimuli.0.amplitude=-60", "--set",
           "regions=[{where: {box: {min: [-1, -1, -1], max: [1, 2, 2]}}, cell_model: {parameters: {mu2: 0.15}}}]"});
  EXPECT_EQ(result.exit_code, 3);
  const auto frames = read_pvd(folder / "result/potential.pvd");
  ASSERT_GE(frames.size(), 2u);
  EXPECT_GT(frames.back().time_ms, 0);
  for (const PvdFrame& frame : frames)
    for (const Real potential : point_values(frame.file, "potential")) EXPECT_GT(potential, -95);
  const FailedStep failed = failed_step(result.errors);
  EXPECT_EQ(node_at(frames[0].file, failed.at), failed.node);
  EXPECT_LE(failed.at[0], 1);
  EXPECT_LT(failed.potential_mv, -95);
  EXPECT_GT(failed.potential_mv, -110);  // inside the range of the other elements
}

}  // namespace
}  // namespace cardiowarp::test
