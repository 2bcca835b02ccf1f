#include "meshes/pending_files.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "fem/input_error.hpp"
#include "fem/mesh.hpp"
#include "meshes/generate.hpp"
#include "meshes/mapped_file.hpp"
#include "meshes/mesh_file.hpp"
#include "tests/support/input_error_of.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/text_file.hpp"

namespace cardiowarp {
namespace {

namespace fs = std::filesystem;

struct PendingFilesTest : ::testing::Test {
  test::TemporaryDirectory folder;

  std::vector<PendingName> names(bool has_second = true) const {
    std::vector<PendingName> names;
    for (const std::string name : {"first", "second", "key"})
      names.push_back(
          {folder / name, folder / (name + ".part"), folder / (name + ".old"), name != "second" || has_second});
    return names;
  }

  /// The texts of the files there, by their names.
  std::map<std::string, std::string> found() const {
    std::map<std::string, std::string> texts;
    for (const auto& entry : fs::directory_iterator(folder.path()))
      if (entry.is_regular_file()) texts[entry.path().filename()] = test::read_text(entry.path());
    return texts;
  }

  void write_older() const {
    for (const PendingName& name : names()) test::write_text(name.file, "older");
  }
};

const std::map<std::string, std::string> older{{"first", "older"}, {"second", "older"}, {"key", "older"}};
const std::map<std::string, std::string> newer{{"first", "new"}, {"second", "new"}, {"key", "new"}};

TEST_F(PendingFilesTest, AllComeUnderTheirNamesAndNothingElseStays) {
  for (int time = 0; time < 2; ++time) {
    PendingFiles files(names());
    for (const PendingName& name : names()) test::write_text(name.temporary, "new");
    files.commit();
    EXPECT_EQ(found(), newer);
    write_older();
  }
}

TEST_F(PendingFilesTest, AnOlderFileThatTheNewResultLacksGoes) {
  write_older();
  PendingFiles files(names(false));
  for (const char* name : {"first.part", "key.part"}) test::write_text(folder / name, "new");
  files.commit();
  EXPECT_EQ(found(), (std::map<std::string, std::string>{{"first", "new"}, {"key", "new"}}));
}

TEST_F(PendingFilesTest, WithoutCommitTheOlderFilesStay) {
  write_older();
  { const PendingFiles files(names()); }
  EXPECT_EQ(found(), older);
}

TEST_F(PendingFilesTest, AfterAFailureAnywhereTheOlderFilesComeBack) {
  // Each name in turn is taken by something that is no file, after the temporaries were made.
  for (const char* taken : {"first.old", "second.old", "key.old"}) {
    write_older();
    {
      PendingFiles files(names());
      fs::create_directory(folder / taken);
      EXPECT_NE(test::input_error_of([&] { files.commit(); }).find(taken), std::string::npos) << taken;
    }
    EXPECT_EQ(found(), older) << taken;
    fs::remove(folder / taken);
  }
  // Each temporary in turn is replaced by another program.
  for (const char* replaced : {"first.part", "second.part", "key.part"}) {
    {
      PendingFiles files(names());
      fs::remove(folder / replaced);
      EXPECT_NE(test::input_error_of([&] { files.commit(); }).find(replaced), std::string::npos) << replaced;
    }
    EXPECT_EQ(found(), older) << replaced;
  }
}

TEST_F(PendingFilesTest, AMappedFileKnowsWhetherItsNameIsStillItsOwn) {
  const fs::path file = folder / "one", other = folder / "other";
  for (const fs::path& name : {file, other}) test::write_text(name, "the same");
  fs::last_write_time(other, fs::last_write_time(file));
  const MappedFile mapped(file);
  EXPECT_TRUE(mapped.is_still(file));
  EXPECT_FALSE(mapped.is_still(other));
  EXPECT_FALSE(mapped.is_still(folder / "none"));
  fs::rename(other, file);
  EXPECT_FALSE(mapped.is_still(file));
  EXPECT_EQ(mapped.text(), "the same");

  const MappedFile again(file);
  EXPECT_TRUE(again.is_still(file));
  fs::last_write_time(file, fs::last_write_time(file) + std::chrono::seconds(1));
  EXPECT_FALSE(again.is_still(file));
}

TEST_F(PendingFilesTest, WhoReadsAMeshThatIsBeingReplacedGetsOneOfTheTwoOrAMessage) {
  // Two meshes that differ in coordinates and in tags, so that a mixture shows.
  Mesh one = slab_mesh({4, 4, 4}, 1, true), two = slab_mesh({8, 8, 8}, 2, true);
  for (int& tag : one.element_tags) tag = 1;
  for (int& tag : two.element_tags) tag = 2;
  const fs::path file = folder / "bar.pts";
  write_mesh(one, file);
  std::atomic<bool> ended = false;
  std::thread writer([&] {
    for (bool second = true; !ended; second = !second) write_mesh(second ? two : one, file);
  });
  int whole = 0;
  for (int time = 0; time < 5000 && whole < 300; ++time) {
    try {
      const Mesh mesh = read_mesh(file);
      ++whole;
      EXPECT_EQ(mesh.element_tags.back(), mesh.nodes.back().x > 6 ? 2 : 1);
    } catch (const InputError&) {
    }
  }
  ended = true;
  writer.join();
  EXPECT_GT(whole, 0);
}

}  // namespace
}  // namespace cardiowarp
