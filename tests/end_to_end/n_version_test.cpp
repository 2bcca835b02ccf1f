// configs/niederer.yaml against the codes of the N-version benchmark.

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/program.hpp"
#include "tests/support/run_results.hpp"
#include "tests/support/temporary_directory.hpp"

namespace cardiowarp::test {
namespace {

/// The activation times in ms of the benchmark's eleven codes at the points P1 to P9, mean and standard deviation, with
/// steps of 0.01 ms: Niederer et al., Phil. Trans. R. Soc. A 369 (2011) 4331, supplement.
struct OfTheCodes {
  const char* point;
  Real mean_ms, deviation_ms;
};
using NinePoints = std::array<OfTheCodes, 9>;
constexpr NinePoints codes_at_half_mm{{{"P1", 1.04, 0.38},
                                       {"P2", 47.73, 8.33},
                                       {"P3", 27.37, 11.04},
                                       {"P4", 54.57, 11.97},
                                       {"P5", 105.66, 33.36},
                                       {"P6", 117.34, 34.83},
                                       {"P7", 106.80, 35.08},
                                       {"P8", 117.86, 36.11},
                                       {"P9", 55.17, 17.40}}};
constexpr NinePoints codes_at_fifth_mm{{{"P1", 1.05, 0.40},
                                        {"P2", 34.43, 1.48},
                                        {"P3", 11.29, 1.60},
                                        {"P4", 36.67, 2.98},
                                        {"P5", 38.56, 5.00},
                                        {"P6", 52.56, 7.10},
                                        {"P7", 40.52, 6.08},
                                        {"P8", 53.81, 8.17},
                                        {"P9", 24.58, 3.76}}};

/// When the column `number` of probes first rises through 0 mV, ms; −1 where it does not.
Real activation_ms(const std::vector<std::vector<Real>>& rows, std::size_t number) {
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const Real before = rows[i - 1][number], now = rows[i][number];
    if (before < 0 && now >= 0) return rows[i - 1][0] + (rows[i][0] - rows[i - 1][0]) * before / (before - now);
  }
  return -1;
}

/// What a run of the benchmark said; its activation times are within half a deviation of the codes' means.
std::string said_with_edges(const std::string& edge, const NinePoints& codes) {
  const TemporaryDirectory folder;
  const ProgramResult made =
      run_program({"mesh", "slab", "--size", "20,7,3", "--edge", edge, "--output", folder / "slab.msh"}, folder.path());
  EXPECT_EQ(made.exit_code, 0) << made.errors;
  const std::string file = CARDIOWARP_CONFIGS "/niederer.yaml";
  const std::string mesh = "mesh.file=" + (folder / "slab.msh").string();
  const ProgramResult run = run_program({"run", file, "--set", mesh, "--set", "time.adaptive.tolerance=0.03",
                                         "--backend", "cpu", "--output", folder / "out"},
                                        folder.path());
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  const auto rows = read_probes(folder / "out/probes.csv").rows;
  for (std::size_t i = 0; i < codes.size(); ++i)
    EXPECT_NEAR(activation_ms(rows, i + 1), codes[i].mean_ms, 0.5 * codes[i].deviation_ms) << codes[i].point;
  return run.errors;
}

TEST(NVersionBenchmark, ActivationAtItsNinePointsIsWithinHalfADeviationOfTheMeanOfItsCodes) {
  const std::string said = said_with_edges("0.5mm", codes_at_half_mm);
  // 0.5 mm are 5.8 and 16 thicknesses of a front: along the fibers 31 % are lost
  EXPECT_NE(
      said.find("expected of this mesh, quadrature and cells: fronts about 31 % too slow along the fibers and more "
                "than 60 % across them"),
      std::string::npos)
      << said;
}

TEST(NVersionBenchmarkLong, ActivationWithFineEdgesIsWithinHalfADeviationOfTheMeanOfItsCodes) {
  said_with_edges("0.2mm", codes_at_fifth_mm);
}

}  // namespace
}  // namespace cardiowarp::test
