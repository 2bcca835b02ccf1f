#include "app/output/frame_list.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <regex>
#include <string>
#include <vector>

#include "app/config/config.hpp"
#include "tests/support/input_error_of.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/text_file.hpp"

namespace cardiowarp {
namespace {

namespace fs = std::filesystem;

struct FrameListTest : ::testing::Test {
  test::TemporaryDirectory folder;
  std::unique_ptr<FrameLayout> layout = frame_layout(OutputFormat::vtu, {});
  fs::path file = folder / "potential.pvd";

  /// The frames that the file lists; fails where it is not a whole list of the first ones.
  std::size_t listed() const {
    const std::string text = test::read_text(file);
    EXPECT_TRUE(text.starts_with("<?xml")) << text;
    EXPECT_TRUE(text.ends_with("  </Collection>\n</VTKFile>\n")) << text;
    const std::regex entry("<DataSet timestep=\"([0-9]+)\" file=\"([^\"]*)\"/>");
    std::size_t number = 0;
    for (std::sregex_iterator found(text.begin(), text.end(), entry); found != std::sregex_iterator(); ++found)
      EXPECT_EQ((*found)[2], layout->files_of(number++).front());
    return number;
  }

  static void add(FrameList& list, std::size_t number) { list.add(static_cast<Real>(number), {{number, 7 * number}}); }
};

TEST_F(FrameListTest, AShortListHasEachFrameAtOnce) {
  FrameList list(folder.path(), *layout, false);
  for (std::size_t number = 0; number < 256; ++number) {
    add(list, number);
    if (number % 50 == 0 || number > 250) {
      EXPECT_EQ(listed(), number + 1);
    }
  }
}

TEST_F(FrameListTest, ALongListIsWrittenForAShareOfItsFramesAndLacksAFew) {
  FrameList list(folder.path(), *layout, false);
  constexpr std::size_t frames = 20'000;
  std::size_t written = 0;
  std::uintmax_t bytes_before = 0, bytes_written = 0;
  for (std::size_t number = 0; number < frames; ++number) {
    add(list, number);
    const std::uintmax_t bytes = fs::file_size(file);
    if (bytes != bytes_before) ++written, bytes_written += bytes;
    bytes_before = bytes;
    if (number % 1999 == 0) {
      EXPECT_GE(listed() * 256, number * 255);
    }
  }
  EXPECT_LT(written, frames / 8);
  EXPECT_LT(bytes_written,
            frames * 300 * 80);  // of lines with less than 80 bytes; written whole: 10,000 of them a frame
  list.write_all();
  EXPECT_EQ(listed(), frames);
  EXPECT_EQ(list.written().times_ms.size(), frames);
}

TEST_F(FrameListTest, WhatALongListLacksIsWrittenASecondLater) {
  FrameList list(folder.path(), *layout, false);
  std::size_t number = 0;
  for (; number < 300 || listed() == number; ++number) add(list, number);
  while (listed() < number) list.write_if_late();  // a list that never is hangs
  EXPECT_EQ(listed(), number);
}

TEST_F(FrameListTest, AFrameThatCannotBeListedIsNotInTheList) {
  FrameList list(folder.path(), *layout, false);
  add(list, 0);
  fs::create_directory(folder / "potential.pvd.part");
  EXPECT_NE(test::input_error_of([&] { add(list, 1); }).find("potential.pvd"), std::string::npos);
  EXPECT_EQ(list.written().times_ms.size(), 1u);
  EXPECT_EQ(list.written().marks, (std::vector<FileMark>{{0, 0}}));
  EXPECT_EQ(listed(), 1u);
  fs::remove(folder / "potential.pvd.part");
  add(list, 1);
  EXPECT_EQ(listed(), 2u);
  EXPECT_EQ(list.written().marks, (std::vector<FileMark>{{0, 0}, {1, 7}}));
}

TEST_F(FrameListTest, AHeldListWritesNothingBeforeItGoesOn) {
  test::write_text(file, "of the earlier run");
  FrameList list(folder.path(), *layout, true);
  add(list, 0);
  list.write_if_late();
  list.write_all();
  EXPECT_EQ(test::read_text(file), "of the earlier run");
  list.go_on_after({{0, 1, 2}, {{9, 9}, {8, 8}, {7, 7}}});
  EXPECT_EQ(listed(), 3u);
  add(list, 3);
  EXPECT_EQ(listed(), 4u);
  EXPECT_EQ(list.written().marks, (std::vector<FileMark>{{9, 9}, {8, 8}, {7, 7}, {3, 21}}));
}

TEST_F(FrameListTest, AListThatCannotGoOnStaysAsItWas) {
  test::write_text(file, "of the earlier run");
  FrameList list(folder.path(), *layout, true);
  add(list, 0);
  fs::create_directory(folder / "potential.pvd.part");
  EXPECT_NE(test::input_error_of([&] {
              list.go_on_after({{0, 1, 2}, {{9, 9}, {8, 8}, {7, 7}}});
            }).find("potential.pvd"),
            std::string::npos);
  EXPECT_EQ(list.written().times_ms.size(), 1u);
  EXPECT_EQ(test::read_text(file), "of the earlier run");
}

TEST_F(FrameListTest, ACheckReadsAFrameAnewForAnotherMarkAndLeavesTheFirstOut) {
  fs::create_directories(folder / "frames");
  WrittenFrames written;
  for (std::size_t number = 0; number < 3; ++number) {
    test::write_text(folder / layout->files_of(number).front(), "frame " + std::to_string(number));
    written.times_ms.push_back(static_cast<Real>(number));
    written.marks.push_back(marks_written_with(folder.path(), *layout, number).front());
  }
  FrameCheck check(folder.path(), *layout);
  EXPECT_EQ(check.first_changed(written), "");
  WrittenFrames other = written;
  other.marks[0] = other.marks[1] = written.marks[2];
  const std::string first = (folder / layout->files_of(1).front()).string();
  EXPECT_EQ(check.first_changed(other),
            "'" + first + "', which was written before the checkpoint: its bytes are others than the run had written");
  EXPECT_EQ(check.first_changed(written), "");
  written.marks[0] = {};
  EXPECT_EQ(check.first_changed(written), "");
  written.marks.pop_back();
  EXPECT_EQ(check.first_changed(written), "expected the marks of the files of 3 frames, got 2");
}

}  // namespace
}  // namespace cardiowarp
