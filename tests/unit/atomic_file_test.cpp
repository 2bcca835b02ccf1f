#include "meshes/atomic_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "app/files/removed_at_signal.hpp"
#include "tests/support/file_size_limit.hpp"
#include "tests/support/input_error_of.hpp"
#include "tests/support/socket_file.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/text_file.hpp"

namespace cardiowarp {
namespace {

namespace fs = std::filesystem;

TEST(AtomicFile, ReplacesTheOldContentAndLeavesNoTemporary) {
  const test::TemporaryDirectory directory;
  write_file_atomically(directory / "a.txt", "a longer old text");
  write_file_atomically(directory / "a.txt", "new");
  EXPECT_EQ(test::read_text(directory / "a.txt"), "new");
  EXPECT_EQ(std::distance(fs::directory_iterator(directory.path()), {}), 1);
}

TEST(AtomicFileDeathTest, OfACommandThatASignalEndsLeavesNoTemporary) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const fs::path folder = fs::path(testing::TempDir()) / ("cardiowarp_removed_at_signal_" + std::to_string(signal));
    fs::create_directories(folder);
    const auto write_until_signal = [&] {
      ::signal(signal, SIG_DFL);
      const RemovedAtSignal at_signal;
      write_file_atomically(folder / "whole.txt", "whole");
      const PendingFile one(folder / "one.txt"), two(folder / "two.txt", folder / ".two.part.txt");
      { const PendingFile given_up(folder / "given_up.txt"); }
      if (std::distance(fs::directory_iterator(folder), {}) == 3) ::raise(signal);
    };
    EXPECT_EXIT(write_until_signal(), testing::KilledBySignal(signal), "");
    EXPECT_EQ(test::read_text(folder / "whole.txt"), "whole");
    EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 1) << signal;
    fs::remove_all(folder);
  }
}

TEST(AtomicFile, KeepsTheOldContentWhenTheDiskIsFull) {
  const test::TemporaryDirectory directory;
  write_file_atomically(directory / "a.txt", "old");
  const std::string message = test::input_error_of([&] {
    const test::FileSizeLimit limit(100);
    write_file_atomically(directory / "a.txt", std::string(101, 'x'));
  });
  EXPECT_EQ(message, "cannot write '" + (directory / "a.txt").string() + "': File too large");
  EXPECT_EQ(test::read_text(directory / "a.txt"), "old");
  EXPECT_EQ(std::distance(fs::directory_iterator(directory.path()), {}), 1);
}

TEST(AtomicFile, NamesTheFileAndTheReasonWhenTheFolderIsMissing) {
  const test::TemporaryDirectory directory;
  const fs::path file = directory / "no/such/a.txt";
  EXPECT_EQ(test::input_error_of([&] { write_file_atomically(file, "x"); }),
            "cannot write '" + file.string() + "': No such file or directory");
}

/// What is no regular file, each under a name of its kind.
class StrangeFiles : public testing::Test {
 protected:
  void SetUp() override {
    test::write_text(outside, "precious");
    fs::create_directory(directory / "directory");
    ASSERT_EQ(::mkfifo((directory / "fifo").c_str(), 0666), 0);
    test::make_socket(directory / "socket");
    fs::create_symlink(outside, directory / "link");
    fs::create_symlink("nowhere", directory / "broken");
    fs::create_symlink("loop", directory / "loop");
  }
  /// Everything is as SetUp has left it.
  void expect_untouched() const {
    EXPECT_EQ(test::read_text(outside), "precious");
    EXPECT_TRUE(fs::is_directory(directory / "directory"));
    EXPECT_TRUE(fs::is_fifo(directory / "fifo"));
    EXPECT_TRUE(fs::is_socket(directory / "socket"));
    for (const char* link : {"link", "broken", "loop"})
      EXPECT_TRUE(fs::is_symlink(fs::symlink_status(directory / link))) << link;
    EXPECT_EQ(std::distance(fs::directory_iterator(directory.path()), {}), 7);
    EXPECT_FALSE(fs::exists(directory / "nowhere"));
  }

  const std::vector<std::pair<std::string, std::string>> kinds{
      {"directory", "a directory"},  {"fifo", "a FIFO"},         {"socket", "a socket"}, {"link", "a symbolic link"},
      {"broken", "a symbolic link"}, {"loop", "a symbolic link"}};
  const test::TemporaryDirectory directory;
  const fs::path outside = directory / "outside";
};

TEST_F(StrangeFiles, AreNeitherReplacedNorFollowedNorWaitedForNorRemoved) {
  for (const auto& [name, kind] : kinds) {
    const fs::path file = directory / name;
    const std::string reason = "'" + file.string() + "': expected a regular file or nothing, got " + kind;
    EXPECT_EQ(test::input_error_of([&] { require_replaceable(file); }), "cannot write " + reason);
    EXPECT_EQ(test::input_error_of([&] { write_file_atomically(file, "x"); }), "cannot write " + reason);
    EXPECT_EQ(test::input_error_of([&] { create_file(file); }), "cannot write " + reason);
    EXPECT_EQ(test::input_error_of([&] { remove_file(file); }), "cannot remove " + reason);
    expect_untouched();
  }
}

TEST_F(StrangeFiles, AreRefusedUnderTheNameOfTheTemporary) {
  for (const auto& [name, kind] : kinds) {
    fs::rename(directory / name, directory / (name + ".part"));
    const fs::path file = directory / name;
    const std::string message =
        "cannot write '" + file.string() + ".part': expected a regular file or nothing, got " + kind;
    EXPECT_EQ(test::input_error_of([&] { require_replaceable(file); }), message);
    EXPECT_EQ(test::input_error_of([&] { write_file_atomically(file, "x"); }), message);
    fs::rename(directory / (name + ".part"), directory / name);
    expect_untouched();
  }
}

TEST_F(StrangeFiles, AreRefusedWhereTheyTakeTheNameWhileTheFileIsWritten) {
  for (const auto& [name, kind] : kinds) {
    const fs::path file = directory / name, away = directory / "away";
    fs::rename(file, away);
    {
      PendingFile pending(file);
      fs::rename(away, file);
      EXPECT_EQ(test::input_error_of([&] { pending.commit(); }),
                "cannot write '" + file.string() + "': expected a regular file or nothing, got " + kind);
    }
    expect_untouched();
  }
}

TEST(AtomicFile, IsNoDevice) {
  EXPECT_EQ(test::input_error_of([] { require_replaceable("/dev/null"); }),
            "cannot write '/dev/null': expected a regular file or nothing, got a device");
}

TEST(AtomicFile, ReplacesTheTemporaryOfAKilledProgramWithoutWritingIntoIt) {
  const test::TemporaryDirectory directory;
  test::write_text(directory / "outside", "precious");
  fs::create_hard_link(directory / "outside", directory / "a.txt.part");
  EXPECT_NO_THROW(require_replaceable(directory / "a.txt"));
  write_file_atomically(directory / "a.txt", "new");
  EXPECT_EQ(test::read_text(directory / "a.txt"), "new");
  EXPECT_EQ(test::read_text(directory / "outside"), "precious");
  EXPECT_FALSE(fs::exists(directory / "a.txt.part"));
}

TEST(AtomicFile, LeavesTheTemporaryToAnotherProgramThatHasReplacedIt) {
  const test::TemporaryDirectory directory;
  write_file_atomically(directory / "a.txt", "old");
  const fs::path temporary = directory / "a.txt.part";
  {
    PendingFile pending(directory / "a.txt");
    fs::rename(temporary, directory / "away");
    test::write_text(temporary, "of another program");
    EXPECT_EQ(test::input_error_of([&] { pending.commit(); }), "cannot write '" + (directory / "a.txt").string() +
                                                                   "': another program has replaced '" +
                                                                   temporary.string() + "'");
  }
  EXPECT_EQ(test::read_text(directory / "a.txt"), "old");
  EXPECT_EQ(test::read_text(temporary), "of another program");
}

TEST(AtomicFile, HasNoNameThatTheSystemDoesNotTake) {
  const test::TemporaryDirectory directory;
  const std::string longest(255, 'x');  // and its temporary is longer
  EXPECT_EQ(test::input_error_of([&] { require_replaceable(directory / longest); }),
            "cannot write '" + (directory / longest).string() + ".part': File name too long");
  fs::create_symlink("loop", directory / "loop");
  EXPECT_EQ(test::input_error_of([&] { require_replaceable(directory / "loop/a.txt"); }),
            "cannot write '" + (directory / "loop/a.txt").string() + "': Too many levels of symbolic links");
}

TEST(RemoveFile, RemovesARegularFileAndNothingWhereThereIsNone) {
  const test::TemporaryDirectory directory;
  test::write_text(directory / "a.txt", "old");
  for (int twice = 0; twice < 2; ++twice) {
    remove_file(directory / "a.txt");
    EXPECT_FALSE(fs::exists(directory / "a.txt"));
  }
}

}  // namespace
}  // namespace cardiowarp
