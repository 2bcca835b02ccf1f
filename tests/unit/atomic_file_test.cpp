#include "app/atomic_file.hpp"

#include <gtest/gtest.h>

#include "tests/support/file_size_limit.hpp"
#include "tests/support/input_error_of.hpp"
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

TEST(AtomicFile, DoesNotReplaceAFolderOfTheSameName) {
  const test::TemporaryDirectory directory;
  fs::create_directory(directory / "a.txt");
  EXPECT_EQ(test::input_error_of([&] { write_file_atomically(directory / "a.txt", "x"); }),
            "cannot write '" + (directory / "a.txt").string() + "': Is a directory");
  EXPECT_FALSE(fs::exists(directory / "a.txt.part"));
}

}  // namespace
}  // namespace cardiowarp
