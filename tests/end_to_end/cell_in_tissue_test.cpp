// Single cells of `cardiowarp cell` beside tissue that is stimulated as a whole, in which each node is such a cell.

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/program.hpp"
#include "tests/support/run_results.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/text_file.hpp"

namespace cardiowarp::test {
namespace {

/// `cell_trace.csv` at a time between two of its points.
double potential_at(const ProbeTable& trace, double time_ms) {
  std::size_t k = 1;
  while (trace.rows[k][0] < time_ms) ++k;
  const auto &before = trace.rows[k - 1], &after = trace.rows[k];
  return before[1] + (time_ms - before[0]) / (after[0] - before[0]) * (after[1] - before[1]);
}

struct KindOfCell {
  const char *model, *set;
};

class CellInTissue : public testing::TestWithParam<KindOfCell> {};

TEST_P(CellInTissue, IsTheSingleCell) {
  const auto [model, set] = GetParam();
  const TemporaryDirectory folder;
  const auto run = [&](std::vector<std::string> words) {
    const ProgramResult result = run_program(std::move(words), folder.path());
    ASSERT_EQ(result.exit_code, 0) << result.errors;
  };
  run({"mesh", "slab", "--size", "1,1,1", "--edge", "1mm", "--output", folder / "cube.msh"});
  const std::string choice = *set == 0 ? "" : ", set: " + std::string(set);
  write_text(
      folder / "cube.yaml",
      "mesh: {file: cube.msh}\ncell_model: {name: " + std::string(model) + choice +
          "}\nstimuli:\n  - {where: {box: {min: [-1, -1, -1], max: [2, 2, 2]}}, duration: 2 ms, amplitude: 37}\n"
          "time: {end: 450, step: 0.001, adaptive: {enabled: true, tolerance: 1.0e-6, min_step: 1.0e-6, "
          "max_step: 0.5}}\noutput: {directory: out, interval: 30}\nprobes:\n  - {name: one, point: [0, 0, 0]}\n");
  run({"run", folder / "cube.yaml", "--backend", "cpu"});
  std::vector<std::string> words{"cell",     model,        "--period", "450",      "--amplitude",
                                 "37 mV/ms", "--duration", "2 ms",     "--output", folder / "cell"};
  if (*set != 0) words.insert(words.end(), {"--set", set});
  run(words);
  const ProbeTable trace = read_probes(folder / "cell/cell_trace.csv"), probes = read_probes(folder / "out/probes.csv");
  double largest = 0, highest = -100;
  for (const auto& row : probes.rows) {
    highest = std::max(highest, row[1]);
    // The trace is interpolated linearly, between steps of up to 1 ms: not in the upstroke.
    if (row[0] > 5) largest = std::max(largest, std::abs(row[1] - potential_at(trace, row[0])));
  }
  EXPECT_GT(highest, 0);
  EXPECT_LT(largest, 0.12);
}

INSTANTIATE_TEST_SUITE_P(Models, CellInTissue,
                         testing::Values(KindOfCell{"aliev_panfilov", ""}, KindOfCell{"bueno_orovio", "endocardial"},
                                         KindOfCell{"ten_tusscher_2006", "midmyocardial"},
                                         KindOfCell{"luo_rudy_1991", ""}),
                         [](const auto& of) { return std::string(of.param.model); });

}  // namespace
}  // namespace cardiowarp::test
