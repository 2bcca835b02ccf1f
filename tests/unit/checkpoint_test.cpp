#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <filesystem>
#include <limits>
#include <numeric>
#include <string>

#include "app/checkpoint/checkpoint_file.hpp"
#include "app/checkpoint/checkpoint_folder.hpp"
#include "app/checkpoint/checksum.hpp"
#include "app/checkpoint/configuration_difference.hpp"
#include "app/checkpoint/state_archive.hpp"
#include "app/checkpoints.hpp"
#include "app/config/config.hpp"
#include "app/process/wall_clock.hpp"
#include "tests/support/file_size_limit.hpp"
#include "tests/support/input_error_of.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/text_file.hpp"

namespace cardiowarp {
namespace {

namespace fs = std::filesystem;

CheckpointSections small_sections() {
  StateArchive archive;
  Real time_ms = -0.0;
  bool flag = true;
  std::vector<Real> field{1, -2, std::numeric_limits<Real>::denorm_min(), 0.1};
  std::string text = "a\nb";
  std::optional<Real> absent;
  archive.value("time_ms", time_ms);
  archive.value("flag", flag);
  archive.values("field", field);
  archive.text("text", text);
  archive.value("absent", absent);
  return archive.sections();
}

TEST(CheckpointFile, ReturnsWhatItWasGivenBitForBit) {
  const test::TemporaryDirectory folder;
  write_checkpoint_file(folder / "a", small_sections());
  EXPECT_EQ(read_checkpoint_file(folder / "a"), small_sections());
  EXPECT_FALSE(fs::exists(folder / "a.part"));
  StateArchive archive(read_checkpoint_file(folder / "a"));
  Real time_ms = 1;
  bool flag = false;
  std::vector<Real> field;
  std::string text;
  std::optional<Real> absent = 1;
  archive.value("time_ms", time_ms);
  archive.value("flag", flag);
  archive.values("field", field);
  archive.text("text", text);
  archive.value("absent", absent);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(time_ms), std::bit_cast<std::uint64_t>(-0.0));
  EXPECT_TRUE(flag);
  EXPECT_EQ(field, (std::vector<Real>{1, -2, std::numeric_limits<Real>::denorm_min(), 0.1}));
  EXPECT_EQ(text, "a\nb");
  EXPECT_FALSE(absent);
}

TEST(CheckpointFile, NoticesEveryBitThatIsFlipped) {
  const test::TemporaryDirectory folder;
  write_checkpoint_file(folder / "a", small_sections());
  const std::string good = test::read_text(folder / "a");
  for (std::size_t bit = 0; bit < 8 * good.size(); ++bit) {
    std::string bad = good;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << bit % 8));
    test::write_text(folder / "a", bad);
    EXPECT_NE(test::input_error_of([&] { read_checkpoint_file(folder / "a"); }), "") << "bit " << bit;
  }
}

TEST(CheckpointFile, NoticesTheSignsOfTwoNumbersFlipped) {
  const test::TemporaryDirectory folder;
  write_checkpoint_file(folder / "a", small_sections());
  std::string bad = test::read_text(folder / "a");
  const std::size_t field = bad.find(std::string(6, '\0') + "\xf0\x3f");
  ASSERT_NE(field, std::string::npos);
  for (const std::size_t number : {0, 1})
    bad[field + 8 * number + 7] = static_cast<char>(bad[field + 8 * number + 7] ^ 0x80);
  test::write_text(folder / "a", bad);
  EXPECT_NE(test::input_error_of([&] { read_checkpoint_file(folder / "a"); }).find("'field' is damaged"),
            std::string::npos);
}

TEST(CheckpointFile, NoticesWhereItIsCutOffOrTooLong) {
  const test::TemporaryDirectory folder;
  write_checkpoint_file(folder / "a", small_sections());
  const std::string good = test::read_text(folder / "a");
  for (std::size_t length = 0; length < good.size(); ++length) {
    test::write_text(folder / "a", good.substr(0, length));
    EXPECT_NE(test::input_error_of([&] { read_checkpoint_file(folder / "a"); }), "") << length;
  }
  test::write_text(folder / "a", good + '\0');
  EXPECT_NE(test::input_error_of([&] { read_checkpoint_file(folder / "a"); }).find("too long"), std::string::npos);
  EXPECT_NE(test::input_error_of([&] { read_checkpoint_file(folder / "none"); }).find("No such file"),
            std::string::npos);
  EXPECT_NE(test::input_error_of([&] { read_checkpoint_file(folder.path()); }).find("no regular file"),
            std::string::npos);
}

/// Puts a number into a file, and the checksum of its `bytes` bytes from `begin` on behind them.
void put(std::string& file, std::size_t place, std::uint64_t number, std::size_t begin, std::size_t bytes) {
  std::memcpy(&file[place], &number, sizeof number);
  Checksum checksum;
  checksum.add(std::string_view(file).substr(begin, bytes));
  const std::uint64_t value = checksum.value();
  std::memcpy(&file[begin + bytes], &value, sizeof value);
}

TEST(CheckpointFile, WhoseTableDoesNotFitItsDataIsRefusedAlthoughItsChecksumsAreRight) {
  const test::TemporaryDirectory folder;
  const auto expect_refused = [&](const std::string& file) {
    test::write_text(folder / "a", file);
    EXPECT_NE(test::input_error_of([&] { read_checkpoint_file(folder / "a"); }).find("its table is damaged"),
              std::string::npos);
  };
  constexpr std::size_t table = 40;
  write_checkpoint_file(folder / "a", small_sections());
  std::string longer = test::read_text(folder / "a");
  std::uint64_t table_bytes = 0;
  std::memcpy(&table_bytes, &longer[16], sizeof table_bytes);
  put(longer, table, std::uint64_t{1} << 40, table, table_bytes);  // a section of a terabyte
  expect_refused(longer);
  write_checkpoint_file(folder / "a", {});
  std::string rest = test::read_text(folder / "a");
  put(rest, 24, 5, 0, 32);  // data that no section has
  expect_refused(rest + "other");
}

TEST(CheckpointFile, OfAnotherVersionIsRefused) {
  const test::TemporaryDirectory folder;
  write_checkpoint_file(folder / "a", small_sections());
  std::string other = test::read_text(folder / "a");
  other[8] = static_cast<char>(other[8] + 1);
  Checksum checksum;
  checksum.add(std::string_view(other).substr(0, 32));
  const std::uint64_t value = checksum.value();
  std::memcpy(&other[32], &value, sizeof value);
  test::write_text(folder / "a", other);
  EXPECT_NE(test::input_error_of([&] {
              read_checkpoint_file(folder / "a");
            }).find("it has version 4 of the format, this program reads version 3"),
            std::string::npos);
}

TEST(CheckpointFile, StaysAsItWasWhereANewOneCannotBeWritten) {
  const test::TemporaryDirectory folder;
  write_checkpoint_file(folder / "a", small_sections());
  {
    CheckpointSections large = small_sections();
    large["large"].resize(100000);
    const test::FileSizeLimit limit(4096);
    EXPECT_NE(test::input_error_of([&] { write_checkpoint_file(folder / "a", large); }).find("cannot write"),
              std::string::npos);
  }
  EXPECT_EQ(read_checkpoint_file(folder / "a"), small_sections());
  EXPECT_FALSE(fs::exists(folder / "a.part"));
}

TEST(StateArchive, SaysWhatACheckpointLacks) {
  StateArchive archive(small_sections());
  Real other = 0;
  std::vector<Real> five(5);
  EXPECT_EQ(test::input_error_of([&] { archive.value("other", other); }), "checkpoint: it has no 'other'");
  EXPECT_EQ(test::input_error_of([&] { archive.bytes("field", std::as_writable_bytes(std::span(five))); }),
            "checkpoint: expected 40 bytes of 'field', got 32");
  EXPECT_EQ(test::input_error_of([&] { archive.values("text", five); }),
            "checkpoint: expected a multiple of 8 bytes of 'text', got 3");
  StateArchive of_file(small_sections(), "a file");
  EXPECT_EQ(test::input_error_of([&] { of_file.value("other", other); }), "checkpoint 'a file': it has no 'other'");
}

TEST(CheckpointFolder, KeepsTheNewestAndNothingOfALaterFuture) {
  const test::TemporaryDirectory folder;
  for (const std::int64_t steps : {5, 17, 200, 3000}) write_checkpoint(folder.path(), steps, 10, small_sections());
  write_checkpoint(folder.path(), 201, 2, small_sections());
  const std::vector<fs::path> left = checkpoints_in(folder.path());
  ASSERT_EQ(left.size(), 2);
  EXPECT_EQ(left[0].filename(), "step_000000000201.checkpoint");
  EXPECT_EQ(left[1].filename(), "step_000000000200.checkpoint");
  test::write_text(left[0], "CWCKPT");
  EXPECT_EQ(newest_checkpoint(folder.path()).file, left[1]);
  remove_checkpoints(folder.path());
  EXPECT_TRUE(checkpoints_in(folder.path()).empty());
}

TEST(CheckpointFolder, PassesOverWhatIsUnusableAndNamesTheReasonOfTheNewest) {
  const test::TemporaryDirectory folder;
  for (const std::int64_t steps : {5, 17, 200, 3000}) write_checkpoint(folder.path(), steps, 10, small_sections());
  const std::vector<fs::path> all = checkpoints_in(folder.path());
  const auto newest_but = [&](std::size_t unusable) {
    return newest_checkpoint(folder.path(), "--resume", [=](const FoundCheckpoint& found) {
      const std::size_t place = std::find(all.begin(), all.end(), found.file) - all.begin();
      EXPECT_EQ(found.sections, small_sections());
      return place < unusable ? "reason " + std::to_string(place) : "";
    });
  };
  for (const std::size_t unusable : {0, 1, 3}) EXPECT_EQ(newest_but(unusable).file, all[unusable]);
  test::write_text(all[0], "CWCKPT");
  EXPECT_EQ(newest_but(3).file, all[3]);
  EXPECT_EQ(newest_but(3).unusable, "");
  EXPECT_EQ(newest_but(4).file, all[1]);  // the newest that is whole
  EXPECT_EQ(newest_but(4).unusable, "reason 1");
  EXPECT_EQ(newest_but(4).sections, small_sections());
  for (const fs::path& file : all) test::write_text(file, "");
  EXPECT_NE(test::input_error_of([&] { newest_but(0); }).find(" is whole"), std::string::npos);
}

TEST(CheckpointFolder, ThatCannotBeLookedIntoIsNotTakenForOneWithoutCheckpoints) {
  const test::TemporaryDirectory folder;
  EXPECT_NE(test::input_error_of([&] { newest_checkpoint(folder.path()); }).find("no checkpoint in"),
            std::string::npos);
  test::write_text(folder / "checkpoints", "");
  EXPECT_EQ(test::input_error_of([&] { newest_checkpoint(folder.path()); }),
            "--resume: cannot look into the folder '" + (folder / "checkpoints").string() + "': Not a directory");
}

TEST(SavedRun, RefusesACheckpointOfSomethingElseAndNamesIt) {
  const test::TemporaryDirectory folder;
  Config config;
  config.output.directory = folder.path();
  write_checkpoint(folder.path(), 5, 2, small_sections());
  const std::string file = (folder / "checkpoints/step_000000000005.checkpoint").string();
  const std::string refusal = test::input_error_of([&] { SavedRun{config}; });
  EXPECT_EQ(refusal, "--resume: checkpoint '" + file + "': it has no 'identity/configuration'");
}

constexpr const char* paced =
    "time: {end: 10}\nstimuli:\n  - {start: 1, duration: 1, period: 2, count: 3, amplitude: 4}\n";

TEST(ConfigurationDifference, NamesTheFirstKeyWithBothValues) {
  const auto with = [](std::string text, const std::string& old_part, const std::string& new_part) {
    return text.replace(text.find(old_part), old_part.size(), new_part);
  };
  EXPECT_EQ(configuration_difference(paced, paced, 5), "");
  EXPECT_EQ(configuration_difference(paced, with(paced, "end: 10", "end: 20"), 5), "");
  EXPECT_EQ(configuration_difference(paced, with(paced, "amplitude: 4", "amplitude: 5"), 5),
            "stimuli[0].amplitude: 4 in the checkpoint, 5 now");
  EXPECT_EQ(configuration_difference(paced, with(paced, ", amplitude: 4", ""), 5),
            "stimuli[0].amplitude: 4 in the checkpoint, not given now");
  EXPECT_EQ(configuration_difference(paced, std::string(paced) + "newton: {forcing: fixed}\n", 5),
            "newton.forcing: not given in the checkpoint, fixed now");
}

TEST(ConfigurationDifference, LeavesTheFolderOfPacedHeartsFreeAndNotTheirBeats) {
  const std::string before = std::string(paced) + "prepace: {beats: 60, cache: /a}\n";
  EXPECT_EQ(configuration_difference(before, std::string(paced) + "prepace: {beats: 60, cache: /b}\n", 5), "");
  EXPECT_EQ(configuration_difference(before, std::string(paced) + "prepace: {beats: 61, cache: /a}\n", 5),
            "prepace.beats: 60 in the checkpoint, 61 now");
  const auto steady = [](const char* keys) { return std::string(paced) + "initial: {steady: {" + keys + "}}\n"; };
  EXPECT_EQ(configuration_difference(steady("beats: 60, cache: /a"), steady("beats: 60, cache: /b"), 5), "");
  EXPECT_EQ(configuration_difference(steady("beats: 60"), steady("beats: 61"), 5),
            "initial.steady.beats: 60 in the checkpoint, 61 now");
}

TEST(ConfigurationDifference, OfModelsIsInTheirPlacesAndNamesAlone) {
  const auto with = [](const char* tag, const char* model, const char* more) {
    return fmt::format("regions:\n  - where: {{tag: {}}}\n    cell_model: {{name: {}, parameters: {{g_Na: {}}}}}\n",
                       tag, model, more);
  };
  EXPECT_EQ(difference_of_models(with("1", "a", "3"), with("1", "a", "4")), "");
  EXPECT_EQ(difference_of_models(with("1", "a", "3"), with("2", "a", "3")),
            "regions[0].where.tag: 1 in the checkpoint, 2 now");
  EXPECT_EQ(difference_of_models(with("1", "a", "3"), with("1", "b", "3")),
            "regions[0].cell_model.name: a in the checkpoint, b now");
  EXPECT_EQ(difference_of_models(paced, with("1", "b", "3")),
            "regions[0].cell_model.name: not given in the checkpoint, b now");
}

TEST(ConfigurationDifference, LeavesPulsesThatHaveNotBegunFree) {
  std::string more = paced;
  more.replace(more.find("count: 3"), 8, "count: 9");
  EXPECT_EQ(configuration_difference(paced, more, 7), "");
  EXPECT_EQ(configuration_difference(paced, more, 7.5), "stimuli[0].count: 3 in the checkpoint, 9 now");
}

TEST(WallClock, AddsUpUnits) {
  EXPECT_EQ(wall_clock_seconds("x", "1h"), 3600);
  EXPECT_EQ(wall_clock_seconds("x", " 1h 30 min "), 5400);
  EXPECT_EQ(wall_clock_seconds("x", "2.5s"), 2.5);
  EXPECT_EQ(wall_clock_seconds("x", "250 ms"), 0.25);
  EXPECT_EQ(wall_clock_seconds("x", "2d"), 172800);
}

}  // namespace
}  // namespace cardiowarp
