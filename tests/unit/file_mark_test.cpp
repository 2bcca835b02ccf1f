#include "app/checkpoint/file_mark.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <vector>

#include "app/files/regular_file.hpp"
#include "tests/support/input_error_of.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/text_file.hpp"

namespace cardiowarp {
namespace {

namespace fs = std::filesystem;

FileMark mark_of_text(const std::string& text) {
  ByteSum sum;
  sum.add(text);
  return sum.mark();
}

TEST(Checksum, TellsNumbersOfZerosApart) {
  const auto sum_of = [](const std::vector<std::byte>& bytes) {
    Checksum checksum;
    checksum.add(bytes);
    return checksum.value();
  };
  const std::byte zero{0};
  std::vector<std::uint64_t> sums;
  for (std::size_t count = 0; count <= 19; ++count) sums.push_back(sum_of(std::vector<std::byte>(count, zero)));
  for (std::size_t one = 0; one < sums.size(); ++one)
    for (std::size_t other = 0; other < one; ++other) EXPECT_NE(sums[one], sums[other]) << one << " and " << other;
}

TEST(Checksum, TellsTheOrderOfWhatItWasGivenApart) {
  Checksum one, other;
  for (const std::int64_t value : {3, 5}) one.add(value);
  for (const std::int64_t value : {5, 3}) other.add(value);
  EXPECT_NE(one.value(), other.value());
}

TEST(FileMark, DoesNotDependOnThePiecesThatBytesComeIn) {
  const std::string text = std::string("a mark\0of 23 bytes.\xff\x80\0", 22) + '\0';
  const FileMark whole = mark_of_text(text);
  EXPECT_EQ(whole.bytes, 23);
  for (std::size_t first = 0; first <= text.size(); ++first)
    for (std::size_t second = first; second <= text.size(); ++second) {
      ByteSum sum;
      sum.add(text.substr(0, first));
      EXPECT_EQ(sum.mark().bytes, first);
      sum.add(std::string_view(text).substr(first, second - first));
      sum.add(std::string_view(text).substr(second));
      ASSERT_EQ(sum.mark(), whole) << first << " " << second;
    }
}

TEST(FileMark, OfEveryOtherContentIsAnotherOne) {
  const test::TemporaryDirectory folder;
  const std::string text("some text of 21\0\0\0\0\0\0", 21);
  test::write_text(folder / "file", text);
  const FileMark mark = mark_of(folder / "file");
  EXPECT_EQ(mark, mark_of_text(text));
  EXPECT_EQ(why_changed(folder / "file", mark), "");
  for (std::size_t bit = 0; bit < 8 * text.size(); ++bit) {
    std::string other = text;
    other[bit / 8] = static_cast<char>(other[bit / 8] ^ (1 << bit % 8));
    test::write_text(folder / "file", other);
    ASSERT_EQ(why_changed(folder / "file", mark), "its bytes are others than the run had written") << bit;
  }
  for (std::size_t length = 0; length < 30; ++length) {
    if (length == text.size()) continue;
    std::string other = text;
    other.resize(length);
    test::write_text(folder / "file", other);
    EXPECT_EQ(why_changed(folder / "file", mark), "expected 21 bytes, got " + std::to_string(length));
    EXPECT_NE(mark_of_text(other).checksum, mark.checksum) << length;
  }
}

TEST(FileMark, OfAFileOfSeveralPiecesIsThatOfAllItsBytes) {
  const test::TemporaryDirectory folder;
  std::string text(200'003, 'x');
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>(i * i % 251);
  test::write_text(folder / "file", text);
  EXPECT_EQ(mark_of(folder / "file"), mark_of_text(text));
}

TEST(RegularFile, NothingElseIsFollowedOrWaitedFor) {
  const test::TemporaryDirectory folder;
  fs::create_directory(folder / "folder");
  ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
  test::write_text(folder / "file", "text");
  fs::create_symlink("file", folder / "link");
  fs::create_symlink("none", folder / "nowhere");
  const auto why = [&](const fs::path& file) { return test::input_error_of([&] { RegularFile{file}; }); };
  EXPECT_EQ(why(folder / "folder"), "expected a regular file, got a directory");
  EXPECT_EQ(why(folder / "fifo"), "expected a regular file, got a FIFO");
  EXPECT_EQ(why(folder / "link"), "expected a regular file, got a symbolic link");
  EXPECT_EQ(why(folder / "nowhere"), "expected a regular file, got a symbolic link");
  EXPECT_EQ(why("/dev/zero"), "expected a regular file, got a device");
  EXPECT_EQ(why(folder / "none"), "No such file or directory");
  EXPECT_EQ(test::input_error_of([&] { mark_of(folder / "fifo"); }),
            "cannot read '" + (folder / "fifo").string() + "': expected a regular file, got a FIFO");
  EXPECT_EQ(why_changed(folder / "none", {}), "No such file or directory");
}

TEST(RegularFile, GivesNoMoreThanIsAskedForAndThere) {
  const test::TemporaryDirectory folder;
  test::write_text(folder / "file", "0123456");
  const RegularFile file(folder / "file");
  EXPECT_EQ(file.bytes(), 7);
  for (const std::size_t asked : {0, 3, 7, 100}) {
    std::string found;
    file.read(asked, [&](std::string_view piece) { found += piece; });
    EXPECT_EQ(found, std::string("0123456").substr(0, asked));
  }
}

}  // namespace
}  // namespace cardiowarp
