#include "app/output/recorder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "app/config/config.hpp"
#include "tests/support/input_error_of.hpp"
#include "tests/support/resting_simulation.hpp"
#include "tests/support/single_run.hpp"
#include "tests/support/small_mesh.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/text_file.hpp"

namespace cardiowarp {
namespace {

namespace fs = std::filesystem;

using test::RestingSimulation;

/// A simulation whose potential in mV is its time in ms, also at times inside the last step.
class RisingSimulation final : public RestingSimulation {
 public:
  bool interpolates() const override { return true; }
  void look_at(Real time_ms) override { shown_ms_ = time_ms; }

 private:
  StepReport step(Real time_ms, std::optional<Real> largest_error) override {
    shown_ms_ = time_ms;
    return RestingSimulation::step(time_ms, largest_error);
  }
  void read(Answer answer, std::size_t number, std::span<Real> values) override {
    if (answer == Answer::potential || answer == Answer::probes)
      std::ranges::fill(values, shown_ms_);
    else
      RestingSimulation::read(answer, number, values);
  }
  Real shown_ms_ = 0;
};

class RecorderTest : public testing::Test {
 protected:
  RecorderTest() {
    config.mesh.file = directory / "heart.msh";
    config.output.directory = folder;
    config.output.interval_ms = 5;
    config.probes = {{.name = "apex", .point = {}, .place = {}}};
    problem.probes.resize(1);
  }

  std::string text(const char* name) const { return test::read_text(folder / name); }
  /// All files of an earlier run.
  void make_earlier_run() const {
    fs::create_directories(folder / "frames");
    for (const char* name : earlier) test::write_text(folder / name, "earlier");
  }
  std::vector<std::string> left_of_the_earlier_run() const {
    std::vector<std::string> left;
    for (const char* name : earlier)
      if (fs::is_regular_file(folder / name) && text(name) == "earlier") left.emplace_back(name);
    return left;
  }

  static constexpr const char* earlier[] = {
      "summary.json", "potential.pvd", "potential.case", "maps.vtu", "frames/potential_000000.vtu", "probes.csv"};
  const test::TemporaryDirectory directory;
  const fs::path folder = directory / "out";
  const Mesh mesh = test::small_mesh();
  Problem problem = resting_problem(mesh, 1, 0);
  Config config;
  RestingSimulation simulation;
};

TEST_F(RecorderTest, TheRowOfAFrameIsInTheFileBeforeTheFrameIsListed) {
  Recorder recorder(config, problem, simulation);
  recorder.record();
  EXPECT_EQ(text("probes.csv"), "time_ms,apex\n0,-80\n");
  fs::create_directory(folder / "potential.pvd.part");  // the next frame is written, but cannot be listed
  for (const Real time_ms : {4.9, 5.0}) {
    simulation.step_to(time_ms);
    if (time_ms < 5)
      recorder.record();
    else
      EXPECT_NE(test::input_error_of([&] { recorder.record(); }).find("potential.pvd.part"), std::string::npos);
  }
  EXPECT_EQ(text("probes.csv"), "time_ms,apex\n0,-80\n4.9,-80\n5,-80\n");
  EXPECT_EQ(recorder.frames(), 1);
}

TEST_F(RecorderTest, TheRowOfTheLastFrameIsInTheFileBeforeTheFrameIsListed) {
  Recorder recorder(config, problem, simulation);
  recorder.record();
  simulation.step_to(3);
  recorder.record();
  EXPECT_EQ(recorder.frames(), 1);
  fs::create_directory(folder / "potential.pvd.part");
  EXPECT_NE(test::input_error_of([&] { recorder.finish(); }).find("potential.pvd.part"), std::string::npos);
  EXPECT_EQ(text("probes.csv"), "time_ms,apex\n0,-80\n3,-80\n");
}

TEST(FrameThreads, AreAsManyAsFramesHaveTwoGibibytesOfValues) {
  OutputConfig vtu, single, ensight;
  single.precision = OutputPrecision::single_precision;
  ensight.format = OutputFormat::ensight;
  EXPECT_EQ(frame_bytes(vtu, {true, {}}, 1001, 5003), 16016u);
  EXPECT_EQ(frame_bytes(vtu, {true, {"h", "m"}}, 1001, 5003), 16016u + 32 * 5003);
  EXPECT_EQ(frame_bytes(single, {true, {"h", "m"}}, 1001, 5003), 8008u + 32 * 5003);
  EXPECT_EQ(frame_bytes(ensight, {true, {"h", "m"}}, 1001, 5003), 4004u + 24 * 5003);
  EXPECT_EQ(frame_bytes(ensight, {false, {"h"}}, 1001, 5003), 12u * 5003);
  EXPECT_EQ(frame_bytes(ensight, {false, {}}, 1001, 5003), 0u);
  const int most = frame_threads("gpu", 0);
  EXPECT_GE(most, 1);
  EXPECT_EQ(frame_threads("gpu", std::size_t{3} << 30), 1);
  EXPECT_EQ(frame_threads("gpu", std::size_t{1} << 30), std::min(most, 2));
  EXPECT_EQ(frame_threads("cpu", 1), 0);
}

TEST_F(RecorderTest, RemovesTheFilesOfAnEarlierRun) {
  make_earlier_run();
  test::write_text(folder / "resolved.yaml", "earlier");
  config.probes.clear();
  problem.probes.clear();
  const Recorder recorder(config, problem, simulation);
  EXPECT_EQ(left_of_the_earlier_run(), std::vector<std::string>());
  for (const char* name : earlier) EXPECT_FALSE(fs::exists(folder / name)) << name;
  EXPECT_NE(text("resolved.yaml").find("alpha"), std::string::npos);
}

TEST_F(RecorderTest, RemovesFramesOfStatesThatOnlyAnEarlierRunKnew) {
  make_earlier_run();
  for (const char* name : {"membrane.Ca_i_000000.element", "membrane.Ca_i_1000017.element", "Ca_i_00001.element",
                           "mine.element", "_000003.element"})
    test::write_text(folder / "frames" / name, "earlier");
  const Recorder recorder(config, problem, simulation);
  EXPECT_FALSE(fs::exists(folder / "frames/membrane.Ca_i_000000.element"));
  EXPECT_FALSE(fs::exists(folder / "frames/membrane.Ca_i_1000017.element"));
  for (const char* name : {"Ca_i_00001.element", "mine.element", "_000003.element"})
    EXPECT_TRUE(fs::exists(folder / "frames" / name)) << name;
}

TEST_F(RecorderTest, RemovesTheSummaryThenTheFramesThenTheProbes) {
  // Wherever removing stops, what goes before is gone, and what goes after is whole.
  const std::vector<std::string> order(std::begin(earlier), std::end(earlier));
  for (std::size_t stop = 0; stop < order.size(); ++stop) {
    if (order[stop].starts_with("frames")) continue;  // what a frame's name stands for else is left alone
    make_earlier_run();
    fs::remove(folder / order[stop]);
    fs::create_directory(folder / order[stop]);
    const std::string message = test::input_error_of([&] { Recorder(config, problem, simulation); });
    EXPECT_NE(message.find(order[stop]), std::string::npos) << message;
    EXPECT_EQ(left_of_the_earlier_run(),
              std::vector<std::string>(order.begin() + static_cast<std::ptrdiff_t>(stop) + 1, order.end()));
    fs::remove_all(folder);
  }
}

TEST_F(RecorderTest, SaysBeforeARunWhichResultCannotBeReplaced) {
  const fs::path outside = directory / "outside";
  test::write_text(outside, "precious");
  EXPECT_NO_THROW(require_results_replaceable(folder));  // there is nothing
  make_earlier_run();
  EXPECT_NO_THROW(require_results_replaceable(folder));
  for (const char* name :
       {"summary.json", "summary.json.part", "resolved.yaml", "resolved.yaml.part", "probes.csv", "potential.pvd",
        "potential.pvd.part", "maps.vtu", "maps.vtu.part", "frames", "frames/potential_000000.vtu",
        "frames/potential_000123.vtu.part", "potential.case", "potential.case.part", "frames/mesh.geo",
        "frames/region.element.part", "frames/potential_000000.node", "frames/w_000009.element"}) {
    fs::remove_all(folder / name);
    fs::create_symlink(outside, folder / name);
    EXPECT_EQ(test::input_error_of([&] { require_results_replaceable(folder); }),
              "cannot write '" + (folder / name).string() + "': expected a " +
                  (std::string(name) == "frames" ? "directory" : "regular file") + " or nothing, got a symbolic link");
    fs::remove(folder / name);
    if (std::string(name) == "frames") make_earlier_run();
  }
  EXPECT_EQ(test::read_text(outside), "precious");
}

TEST_F(RecorderTest, FramesInsideAStepShowTheStateThere) {
  RisingSimulation rising;
  Recorder recorder(config, problem, rising);
  std::vector<Real> shown;
  recorder.after_frames([&] {
    std::vector<Real> potential_mv(1);
    rising.potential_mv(potential_mv);
    shown.push_back(potential_mv.front());
  });
  recorder.record();
  for (const Real time_ms : {2.0, 13.0, 15.0, 16.0}) {
    rising.step_to(time_ms);
    recorder.record();
  }
  recorder.finish();
  EXPECT_EQ(shown, (std::vector<Real>{0, 5, 10, 15, 16}));
  EXPECT_EQ(text("probes.csv"), "time_ms,apex\n0,0\n2,2\n5,5\n10,10\n13,13\n15,15\n16,16\n");
  EXPECT_EQ(recorder.frames(), 5);
}

}  // namespace
}  // namespace cardiowarp
