// Runs that go on although a checkpoint or a result has been damaged: what does not fit is written anew, or named and
// left as it is.

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/checkpoint_runs.hpp"

namespace cardiowarp::test {
namespace {

namespace fs = std::filesystem;

TEST_F(Checkpoint, ADamagedOneIsPassedOverForTheOneBefore) {
  ASSERT_EQ(run("saved", every_checkpoint).exit_code, 0);
  for (const bool is_torn : {true, false}) {
    copy_with_checkpoints("saved", "again", 3);
    const fs::path newest = checkpoints("again").back();
    std::string bytes = read_text(newest);
    if (is_torn)
      bytes.resize(bytes.size() - 1000);
    else
      bytes[bytes.size() / 2] ^= 1;
    write_text(newest, bytes);
    const ProgramResult again = run("again", joined(every_checkpoint, {"--resume"}));
    ASSERT_EQ(again.exit_code, 0) << again.errors;
    EXPECT_NE(again.errors.find(is_torn ? "it is cut off" : "is damaged"), std::string::npos) << again.errors;
    EXPECT_NE(again.errors.find("going on from the checkpoint before"), std::string::npos) << again.errors;
    expect_same("again", "saved");
  }
}

/// A file with other bytes: cut off, of the same length, empty, or not there.
std::vector<std::string> damaged(const std::string& bytes) {
  std::string changed = bytes;
  changed[bytes.size() / 2] ^= 1;
  return {bytes.substr(0, bytes.size() - 1), changed, ""};
}

TEST_F(Checkpoint, AFrameThatIsNotAsItWasWrittenIsWrittenAnewFromAnEarlierCheckpoint) {
  for (const char* format : {"vtu", "ensight"}) {
    const Words settings{"--set", std::string("output.format=") + format};
    ASSERT_EQ(run("saved", joined(settings, every_checkpoint)).exit_code, 0);
    const bool is_vtu = std::string(format) == "vtu";
    const std::string frame = is_vtu ? "frames/potential_000003.vtu" : "frames/recovery_000003.element";
    const std::string another = is_vtu ? "frames/potential_000004.vtu" : "frames/recovery_000004.element";
    std::vector<std::string> texts = damaged(read_text(folder / "saved" / frame));
    texts.push_back(read_text(folder / "saved" / another));  // a foreign one, in EnSight of the same length
    for (const std::string& text : texts) {
      copy_with_checkpoints("saved", "again", checkpoints("saved").size() - 1);
      write_text(folder / "again" / frame, text);
      const ProgramResult again = run("again", joined(settings, joined(every_checkpoint, {"--resume"})));
      ASSERT_EQ(again.exit_code, 0) << again.errors;
      EXPECT_NE(again.errors.find(frame + "', which was written before the checkpoint: "), std::string::npos)
          << again.errors;
      EXPECT_NE(again.errors.find("going on from the checkpoint before"), std::string::npos) << again.errors;
      EXPECT_NE(again.errors.find("at t = 1.8 ms"), std::string::npos) << again.errors;  // the frame is at 2.25 ms
      expect_same("again", "saved");
    }
  }
}

TEST_F(Checkpoint, WhatIsDamagedBeforeTheOldestIsWrittenAnewFromTheStart) {
  for (const char* format : {"vtu", "ensight"}) {
    const Words saved = joined(late_checkpoint, {"--set", std::string("output.format=") + format});
    const bool is_vtu = std::string(format) == "vtu";
    ASSERT_EQ(run(format, saved).exit_code, 0);
    const std::vector<const char*> files =
        is_vtu ? std::vector{"frames/potential_000001.vtu", "frames/potential_000003.vtu", "probes.csv"}
               : std::vector{"frames/recovery_000003.element"};
    for (const char* file : files) {
      fs::remove_all(folder / "again");
      fs::copy(folder / format, folder / "again", fs::copy_options::recursive);
      ASSERT_TRUE(fs::remove(folder / "again" / file));
      const ProgramResult again = run("again", joined(saved, {"--resume"}));
      ASSERT_EQ(again.exit_code, 0) << again.errors;
      EXPECT_NE(again.errors.find(file), std::string::npos) << again.errors;
      EXPECT_NE(again.errors.find("is older than that: the run begins anew at t = 0 instead of going on at 8 ms"),
                std::string::npos)
          << again.errors;
      expect_same("again", format);
      EXPECT_FALSE(summary("again").contains("resumed_from_ms") && !summary("again")["resumed_from_ms"].is_null());
    }
  }
}

TEST_F(Checkpoint, ARunThatBeginsAnewBeginsWithTheStateThatItBeganWith) {
  ASSERT_EQ(run("source", joined(late_checkpoint, {"--set", "time.end=4 ms"})).exit_code, 0);
  ASSERT_EQ(run("whole", joined(late_checkpoint, {"--from", folder / "source"})).exit_code, 0);
  fs::copy(folder / "whole", folder / "again", fs::copy_options::recursive);
  fs::remove_all(folder / "source");
  ASSERT_TRUE(fs::remove(folder / "again/frames/potential_000002.vtu"));
  const ProgramResult again = run("again", joined(late_checkpoint, {"--resume"}));
  ASSERT_EQ(again.exit_code, 0) << again.errors;
  EXPECT_NE(again.errors.find("the run begins anew at t = 0"), std::string::npos) << again.errors;
  expect_same("again", "whole");
  EXPECT_EQ(summary("again")["from"], summary("whole")["from"]);
}

TEST_F(Checkpoint, WhatARunCanWriteAnewWithoutGoingBackItDoes) {
  const Words ensight{"--set", "output.format=ensight"};
  ASSERT_EQ(run("vtu", late_checkpoint).exit_code, 0);
  ASSERT_EQ(run("ensight", joined(ensight, late_checkpoint)).exit_code, 0);
  const std::vector<std::pair<const char*, const char*>> files{{"vtu", "frames/potential_000000.vtu"},
                                                               {"vtu", "potential.pvd"},
                                                               {"vtu", "maps.vtu"},
                                                               {"vtu", "frames/potential_000010.vtu"},
                                                               {"ensight", "frames/mesh.geo"},
                                                               {"ensight", "frames/fiber.element"},
                                                               {"ensight", "frames/region.element"},
                                                               {"ensight", "frames/potential_000000.node"},
                                                               {"ensight", "potential.case"}};
  for (const auto& [format, file] : files)
    for (const std::string& text : damaged(read_text(folder / format / file))) {
      copy_with_checkpoints(format, "again", 1);
      write_text(folder / "again" / file, text);
      const Words words = format == std::string("vtu") ? late_checkpoint : joined(ensight, late_checkpoint);
      const ProgramResult again = run("again", joined(words, {"--resume"}));
      ASSERT_EQ(again.exit_code, 0) << file << again.errors;
      EXPECT_EQ(again.errors.find("the checkpoint before"), std::string::npos) << again.errors;
      expect_same("again", format);
    }
}

TEST_F(Checkpoint, RowsOfProbesThatAreNotAsTheyWereWrittenAreWrittenAnew) {
  ASSERT_EQ(run("saved", every_checkpoint).exit_code, 0);
  const std::string rows = read_text(folder / "saved/probes.csv");
  for (const char* row : {"\n5.3", "\n0.7"}) {  // before that there is no checkpoint
    copy_with_checkpoints("saved", "again", checkpoints("saved").size() - 1);
    if (row[1] == '0')
      for (const fs::path& file : checkpoints("again"))
        if (file.filename() < "step_000000000008") fs::remove(file);
    std::string other = rows;
    const std::size_t place = other.find(row);
    ASSERT_NE(place, std::string::npos);
    other[other.find(',', place) + 3] ^= 1;
    write_text(folder / "again/probes.csv", other);
    const ProgramResult again = run("again", joined(every_checkpoint, {"--resume"}));
    EXPECT_NE(again.errors.find("bytes are others than the run had written"), std::string::npos) << again.errors;
    ASSERT_EQ(again.exit_code, 0) << again.errors;
    EXPECT_EQ(again.errors.find("the run begins anew at t = 0") != std::string::npos, row[1] == '0') << again.errors;
    expect_same("again", "saved");
  }
}

TEST_F(Checkpoint, WhatIsNoRegularFileIsNamedAndLeftAsItIs) {
  ASSERT_EQ(run("saved", every_checkpoint).exit_code, 0);
  for (const char* name : {"frames/potential_000003.vtu", "frames/potential_000000.vtu", "probes.csv", "maps.vtu",
                           "potential.pvd", "resolved.yaml"}) {
    copy_with_checkpoints("saved", "again", checkpoints("saved").size() - 1);
    const fs::path file = folder / "again" / name;
    const auto expect_refused = [&](const char* kind) {
      const ProgramResult again = run("again", joined(every_checkpoint, {"--resume"}));
      EXPECT_EQ(again.exit_code, 2) << again.errors;
      EXPECT_NE(again.errors.find(file.string()), std::string::npos) << again.errors;
      EXPECT_NE(again.errors.find(kind), std::string::npos) << again.errors;
      fs::remove(file);
    };
    fs::remove(file);
    ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
    expect_refused("a FIFO");
    fs::create_symlink("nowhere", file);
    expect_refused("a symbolic link");
    fs::create_symlink("/dev/zero", file);
    expect_refused("a symbolic link");
    fs::create_directory(file);
    expect_refused("a directory");
  }
}

}  // namespace
}  // namespace cardiowarp::test
