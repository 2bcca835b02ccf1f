// What FrameOutput does where a GPU does not give the values of a frame, which is played here.

#include "app/output/frame_output.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>

#include "app/config/config.hpp"
#include "app/output/frame_files.hpp"
#include "app/output/frame_writer.hpp"
#include "fem/input_error.hpp"
#include "kernels/backend/device_error.hpp"
#include "kernels/backend/device_wait.hpp"
#include "tests/support/resting_simulation.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/text_file.hpp"

namespace cardiowarp {
namespace {

namespace fs = std::filesystem;

/// Waits for what a thread does; a minute is for ever.
template <class Predicate>
[[nodiscard]] bool comes_true(const Predicate& predicate) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!predicate()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

/// What happens to frames, by their numbers. `await` and `write` are also told how often they were called for the
/// frame.
struct Play {
  std::function<void(std::size_t frame, int times)> await = [](std::size_t, int) {}, write = await;
  std::function<void()> drop = [] {};
  std::array<std::atomic<int>, 4> awaited = {}, written = {};  ///< times, by frame
};

class PlayedFrame final : public Frame {
 public:
  PlayedFrame(Play& play, const FrameLayout& layout) : play_(play), layout_(layout) {}
  ~PlayedFrame() override { play_.drop(); }
  void take(Simulation&, std::size_t number, Real) override { number_ = number; }
  void await() override { play_.await(number_, ++play_.awaited.at(number_)); }
  std::vector<FileMark> write(const fs::path& directory) override {
    play_.write(number_, ++play_.written.at(number_));
    for (const std::string& name : files_written_with(layout_, number_)) test::write_text(directory / name, "values");
    return marks_written_with(directory, layout_, number_);
  }

 private:
  Play& play_;
  const FrameLayout& layout_;
  std::size_t number_ = 0;
};

class PlayedFrames final : public FrameWriter {
 public:
  explicit PlayedFrames(Play& play) : play_(play) {}
  const FrameLayout& layout() const override { return *layout_; }
  std::unique_ptr<Frame> make_frame() override { return std::make_unique<PlayedFrame>(play_, *layout_); }

 private:
  Play& play_;
  std::unique_ptr<FrameLayout> layout_ = frame_layout(OutputFormat::ensight, {true, {}});
};

class FramesOfAFailingGpu : public testing::Test {
 protected:
  void SetUp() override { create_frames_folder(folder); }
  std::unique_ptr<FrameOutput> output_with(int threads) {
    return std::make_unique<FrameOutput>(std::make_unique<PlayedFrames>(play), folder, threads);
  }
  bool is_there(int frame) const { return fs::exists(folder / fmt::format("frames/potential_{:06}.node", frame)); }
  bool is_listed(const std::string& frames) const {
    return test::read_text(folder / "potential.case").find("number of steps: " + frames + "\n") != std::string::npos;
  }

  const test::TemporaryDirectory directory;
  const fs::path folder = directory / "run";
  test::RestingSimulation simulation;
  Play play;
};

TEST_F(FramesOfAFailingGpu, AFrameWhoseValuesAreHereStaysWhereALaterOneFails) {
  for (const bool is_written_at_once : {true, false}) {
    SCOPED_TRACE(is_written_at_once);
    for (int frame = 0; frame < 4; ++frame) play.awaited.at(frame) = play.written.at(frame) = 0;
    remove_earlier_run(folder);
    const std::unique_ptr<FrameOutput> output = output_with(2);
    play.await = [&](std::size_t frame, int times) {  // from the failure on every call of CUDA fails
      if (frame == 1 || times > 1) throw DeviceError("an illegal address");
    };
    play.write = [&](std::size_t, int times) {
      ASSERT_TRUE(comes_true([&] { return play.awaited.at(1) > 0; }));
      std::this_thread::sleep_for(std::chrono::milliseconds(20));  // by then it has failed
      if (times == 1 && !is_written_at_once) throw InputError("no room");
    };
    for (const Real time_ms : {0.0, 1.0}) output->write_frame(time_ms, simulation);
    EXPECT_THROW(output->finish(), DeviceError);
    EXPECT_EQ(output->frames(), 1);
    EXPECT_EQ(play.written.at(0), is_written_at_once ? 1 : 2);
    EXPECT_TRUE(is_there(0));
    EXPECT_FALSE(is_there(1));
    output->finish();
    EXPECT_TRUE(is_listed("1"));
  }
}

TEST_F(FramesOfAFailingGpu, WhatIsDroppedWaitsForTheGpuWithoutKeepingOthersWaiting) {
  const std::unique_ptr<FrameOutput> output = output_with(1);
  std::atomic<int> drops = 0, answers = 0;
  play.await = [](std::size_t, int) { throw DeviceError("an illegal address"); };
  play.drop = [&] {
    ++drops;
    std::thread([&] {
      EXPECT_EQ(output->frames(), 0);
      ++answers;
    }).detach();
    EXPECT_TRUE(comes_true([&] { return answers == drops; }));
  };
  output->write_frame(0, simulation);
  EXPECT_THROW(output->finish(), DeviceError);
  EXPECT_EQ(drops, 1);
  play.drop = [] {};
}

TEST_F(FramesOfAFailingGpu, TwoWhoFindAFailureWriteEachFrameOnce) {
  const std::unique_ptr<FrameOutput> output = output_with(1);
  std::atomic<bool> is_released = false;
  play.await = [&](std::size_t, int times) {
    if (times == 1) throw DeviceError("not yet");
    EXPECT_TRUE(comes_true([&] { return is_released.load(); }));
  };
  output->write_frame(0, simulation);
  std::future<void> first = std::async(std::launch::async, [&] { output->finish(); });
  ASSERT_TRUE(comes_true([&] { return play.awaited.at(0) == 2; }));
  std::future<void> second = std::async(std::launch::async, [&] { output->finish(); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // by then it waits
  is_released = true;
  first.get();
  second.get();
  EXPECT_EQ(output->frames(), 1);
  EXPECT_EQ(play.written.at(0), 1);
  EXPECT_TRUE(is_there(0));
}

TEST_F(FramesOfAFailingGpu, WhereItIsGivenUpAFrameThatIsHereIsStillWrittenOnceMore) {
  const auto give_up = [&] {  // in a process of its own: whoever waits for a GPU that was given up waits for ever
    const std::unique_ptr<FrameOutput> output = output_with(2);
    play.await = [&](std::size_t frame, int) {
      if (frame == 0) return;
      const DeviceWait wait;
      while (true) ::pause();
    };
    play.write = [&](std::size_t, int times) {
      if (!comes_true([&] { return play.awaited.at(1) > 0; })) std::_Exit(9);
      if (times == 1) throw InputError("no room");
    };
    for (const Real time_ms : {0.0, 1.0}) output->write_frame(time_ms, simulation);
    const auto finish = [&] {
      try {
        output->finish();
      } catch (const DeviceError&) {
      }
    };
    std::thread(finish).detach();  // waits for the second frame
    std::uint64_t look = DeviceWait::look();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    while (!DeviceWait::is_waiting(look) || !DeviceWait::give_up(look)) look = DeviceWait::look();
    finish();
    std::_Exit(output->frames() == 1 ? 7 : 8);
  };
  EXPECT_EXIT(give_up(), testing::ExitedWithCode(7), "");
  EXPECT_TRUE(is_there(0));
  EXPECT_TRUE(is_listed("1"));
}

}  // namespace
}  // namespace cardiowarp
