#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdarg>
#include <filesystem>
#include <iterator>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "app/config/config.hpp"
#include "app/output/recorder.hpp"
#include "app/simulation/problem.hpp"
#include "tests/support/file_size_limit.hpp"
#include "tests/support/input_error_of.hpp"
#include "tests/support/resting_simulation.hpp"
#include "tests/support/single_run.hpp"
#include "tests/support/text_file.hpp"
#include "tests/support/vtk_files.hpp"

namespace cardiowarp {
namespace {

namespace fs = std::filesystem;

using test::GridFile;
using test::noise;
using test::values_of;
using test::VtkOutput;
using VtkOutputInThreads = test::VtkOutputTest;

/// Waits for what a thread does; a minute is for ever.
template <class Predicate>
[[nodiscard]] bool comes_true(const Predicate& predicate) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!predicate())
    if (std::chrono::steady_clock::now() > end) return false;
  return true;
}

/// Whoever begins to write `file` waits until it is released, before its temporary is made. There is one at a time.
class HeldFile {
 public:
  explicit HeldFile(const fs::path& file) : temporary_(file.string() + ".part") {
    const std::lock_guard lock(mutex);
    held = temporary_;
    waiting = opened = false;
  }
  ~HeldFile() { release(); }
  HeldFile(const HeldFile&) = delete;
  HeldFile& operator=(const HeldFile&) = delete;
  void release() {
    const std::lock_guard lock(mutex);
    held.clear();
    released.notify_all();
  }
  /// True when the writer has come to it.
  [[nodiscard]] bool has_writer() const {
    return comes_true([&] {
      const std::lock_guard lock(mutex);
      return waiting;
    });
  }
  /// True when the released writer has made its temporary and is done with it.
  [[nodiscard]] bool is_closed() const {
    return comes_true([&] {
      const std::lock_guard lock(mutex);
      return opened && !fs::exists(temporary_);
    });
  }

  /// Called in place of `open` of the C library.
  static int open(const char* file, int flags, mode_t mode, int (*open_at_once)(const char*, int, ...)) {
    std::unique_lock lock(mutex);
    const bool waits = !held.empty() && held == file;
    waiting = waiting || waits;
    released.wait(lock, [&] { return held.empty() || held != file; });
    const int descriptor = open_at_once(file, flags, mode);
    if (waits) opened = true;
    return descriptor;
  }

 private:
  std::string temporary_;

  inline static std::mutex mutex;
  inline static std::condition_variable released;
  inline static std::string held;
  inline static bool waiting = false, opened = false;
};

}  // namespace
}  // namespace cardiowarp

// The linker's --wrap=open puts the first in place of every `open` of this program; the second is the C library's.
// NOLINTBEGIN(cert-dcl37-c,cert-dcl51-cpp,cert-dcl50-cpp,readability-identifier-naming)
extern "C" int __real_open(const char* file, int flags, ...);
extern "C" int __wrap_open(const char* file, int flags, ...);
extern "C" int __wrap_open(const char* file, int flags, ...) {
  mode_t mode = 0;
  if ((flags & O_CREAT) != 0) {
    va_list rest;
    va_start(rest, flags);
    mode = va_arg(rest, mode_t);
    va_end(rest);
  }
  return cardiowarp::HeldFile::open(file, flags, mode, &__real_open);
}
// NOLINTEND(cert-dcl37-c,cert-dcl51-cpp,cert-dcl50-cpp,readability-identifier-naming)

namespace cardiowarp {
namespace {

TEST_F(VtkOutputInThreads, FramesWrittenByThreadsAreThoseWrittenInTurn) {
  constexpr int frames = 23;
  const Mesh large = with_nodes(4099);
  const auto write_all = [&](VtkOutput& output) {
    std::vector<Real> values(large.nodes.size()), more(recovery.size());  // renewed while frames are being written
    for (int k = 0; k < frames; ++k) {
      std::ranges::generate(values, [&, node = 0.0]() mutable { return std::sin(++node * (k + 1)); });
      std::ranges::fill(more, k);
      output.write_frame(k / 8.0, values, more);
    }
  };
  const auto files = [&] {
    std::vector<std::string> texts{test::read_text(config.directory / "potential.pvd")};
    for (int k = 0; k < frames; ++k) texts.push_back(test::read_text(frame(fmt::format("{:06}", k))));
    return texts;
  };
  VtkOutput in_turn(large, tissue, config, {"recovery"});
  write_all(in_turn);
  const std::vector<std::string> expected = files();

  for (const int threads : {1, 3, 2 * frames}) {
    SCOPED_TRACE(threads);
    VtkOutput output(large, tissue, config, {"recovery"}, threads);
    write_all(output);
    output.finish();
    EXPECT_EQ(output.frames(), frames);
    EXPECT_EQ(files(), expected);
  }
}

TEST_F(VtkOutputInThreads, TheCallerGoesOnAndFramesAreListedInTheOrderOfTheirTimes) {
  VtkOutput output(mesh, tissue, config, {"recovery"}, 2);
  HeldFile held(frame("000000"));
  output.write_frame(0, potential, recovery);
  output.write_frame(1, potential, recovery);
  ASSERT_TRUE(comes_true([&] { return fs::exists(frame("000001")); }));
  output.list_complete_frames();
  EXPECT_EQ(output.frames(), 0);
  EXPECT_FALSE(fs::exists(config.directory / "potential.pvd"));

  held.release();
  ASSERT_TRUE(comes_true([&] {
    output.list_complete_frames();
    return output.frames() == 2;
  }));
  EXPECT_EQ(listed(), (std::vector<std::string>{"000000", "000001"}));
  EXPECT_EQ(values_of(GridFile(frame("000000")).point_array("potential")), potential);
}

TEST_F(VtkOutputInThreads, FramesUnderWayAreCompletedAtTheEnd) {
  {
    VtkOutput output(mesh, tissue, config, {"recovery"}, 7);
    for (const Real time_ms : {0.0, 1.0, 2.0, 3.0, 4.0}) output.write_frame(time_ms, potential, recovery);
  }
  EXPECT_EQ(listed(), (std::vector<std::string>{"000000", "000001", "000002", "000003", "000004"}));
  EXPECT_EQ(values_of(GridFile(frame("000004")).point_array("potential")), potential);
}

TEST_F(VtkOutputInThreads, MapsAreThereBeforeTheFramesUnderWay) {
  Problem problem = resting_problem(mesh, 1, 0);
  Config of_run;
  of_run.mesh.file = directory / "heart.msh";
  of_run.output.directory = config.directory;
  test::RestingSimulation simulation;
  Recorder recorder(of_run, problem, simulation, 2);
  HeldFile held(frame("000000"));
  recorder.record();
  simulation.step_to(3);
  std::thread finishing([&] { recorder.finish(); });
  const bool are_there = comes_true([&] { return fs::exists(config.directory / "maps.vtu"); });
  EXPECT_TRUE(listed().empty());
  held.release();
  finishing.join();
  EXPECT_TRUE(are_there);
  EXPECT_EQ(listed(), (std::vector<std::string>{"000000", "000001"}));
}

TEST_F(VtkOutputInThreads, AFrameThatFailsInAThreadIsNamedAndNoneAfterItStays) {
  const Mesh large = with_nodes(20000);
  const std::vector<Real> rest(large.nodes.size(), -80);
  VtkOutput output(large, tissue, config, {"recovery"}, 4);
  testing::internal::CaptureStderr();
  const std::string message = test::input_error_of([&] {
    const test::FileSizeLimit limit(100000);
    for (int k = 0; k < 9; ++k) output.write_frame(k, k == 3 ? noise(large.nodes.size()) : rest, recovery);
    output.finish();
  });
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(message, "cannot write '" + frame("000003").string() + "': File too large");
  EXPECT_EQ(output.frames(), 3);
  EXPECT_EQ(listed(), (std::vector<std::string>{"000000", "000001", "000002"}));
  EXPECT_EQ(std::distance(fs::directory_iterator(config.directory / "frames"), {}), 3);
}

TEST_F(VtkOutputInThreads, AFrameThatFailsBesideOthersIsWrittenOnceMoreByItself) {
  const Mesh large = with_nodes(20000);
  const std::vector<Real> values = noise(large.nodes.size());
  VtkOutput output(large, tissue, config, {"recovery"}, 7);
  HeldFile held(frame("000001"));
  for (int k = 0; k < 4; ++k) output.write_frame(k, values, recovery);
  for (const char* number : {"000000", "000002", "000003"})
    ASSERT_TRUE(comes_true([&] { return fs::exists(frame(number)); }));
  ASSERT_TRUE(held.has_writer());
  {
    const test::FileSizeLimit limit(100000);
    held.release();
    ASSERT_TRUE(held.is_closed());
  }
  EXPECT_FALSE(fs::exists(frame("000001")));
  output.finish();
  EXPECT_EQ(listed(), (std::vector<std::string>{"000000", "000001", "000002", "000003"}));
  for (const std::string& number : listed())
    EXPECT_EQ(values_of(GridFile(frame(number)).point_array("potential")), values) << number;
  output.write_frame(4, values, recovery);
  output.finish();
  EXPECT_EQ(output.frames(), 5);
}

TEST_F(VtkOutputInThreads, ARunThatCannotGoOnLeavesTheFirstFrameOfTheEarlierOne) {
  {
    VtkOutput output(mesh, tissue, config, {"recovery"});
    for (const Real time_ms : {0.0, 1.0}) output.write_frame(time_ms, potential, recovery);
  }
  const std::string before = test::read_text(frame("000000"));
  test::GivenFields fields;
  fields.potential = potential;
  fields.states = recovery;
  const auto go_on = [&](int threads) {
    VtuGrid grid(mesh, tissue);
    FrameOutput output(make_vtu_frames(grid, {true, {"recovery"}}, {0}), config.directory, threads, true);
    output.write_frame(0, fields);
    output.go_on_after({{0, 1}, {{}, mark_of(frame("000001"))}});
    const std::vector<FileMark> marks{mark_of(frame("000000")), mark_of(frame("000001"))};
    EXPECT_EQ(output.written().marks, marks);
  };
  for (const int threads : {0, 1, 3}) {
    SCOPED_TRACE(threads);
    EXPECT_EQ(test::input_error_of([&] {
                const test::FileSizeLimit limit(100);
                go_on(threads);
              }),
              "cannot write '" + frame("000000").string() + "': File too large");
    EXPECT_EQ(test::read_text(frame("000000")), before);
    EXPECT_EQ(listed(), (std::vector<std::string>{"000000", "000001"}));
    go_on(threads);
    EXPECT_EQ(test::read_text(frame("000000")), before);
  }
}

TEST_F(VtkOutputInThreads, ACollectionThatCannotBeWrittenLeavesNoFrameAfterTheOneItLacks) {
  VtkOutput output(mesh, tissue, config, {"recovery"}, 3);
  output.write_frame(0, potential, recovery);
  output.finish();
  fs::remove(config.directory / "potential.pvd");
  fs::create_directory(config.directory / "potential.pvd");
  EXPECT_EQ(test::input_error_of([&] {
              for (int k = 1; k < 4; ++k) output.write_frame(k, potential, recovery);  // which may tell it already
              output.finish();
            }),
            "cannot write '" + (config.directory / "potential.pvd").string() +
                "': expected a regular file or nothing, got a directory");
  EXPECT_EQ(output.frames(), 1);
  EXPECT_TRUE(fs::exists(frame("000001")));
  EXPECT_FALSE(fs::exists(frame("000002")));
  EXPECT_FALSE(fs::exists(frame("000003")));
}

}  // namespace
}  // namespace cardiowarp
