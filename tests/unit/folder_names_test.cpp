#include "app/files/folder_names.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "tests/support/temporary_directory.hpp"
#include "tests/support/text_file.hpp"

namespace cardiowarp {
namespace {

TEST(FolderNames, AreThoseOfFilesFoldersAndLinksButNotOfTheFolderItself) {
  const test::TemporaryDirectory folder;
  test::write_text(folder / ".hidden", "");
  test::write_text(folder / "a.vtu", "");
  std::filesystem::create_directory(folder / "folder");
  std::filesystem::create_symlink("nothing", folder / "link");
  std::error_code error = std::make_error_code(std::errc::io_error);
  std::vector<std::string> names = names_in(folder.path(), error);
  std::ranges::sort(names);
  EXPECT_EQ(names, (std::vector<std::string>{".hidden", "a.vtu", "folder", "link"}));
  EXPECT_FALSE(error);
}

TEST(FolderNames, OfWhatIsNoFolderAreNoneWithTheReason) {
  const test::TemporaryDirectory folder;
  std::error_code error;
  EXPECT_TRUE(names_in(folder / "none", error).empty());
  EXPECT_EQ(error, std::errc::no_such_file_or_directory);
  test::write_text(folder / "file", "");
  EXPECT_TRUE(names_in(folder / "file", error).empty());
  EXPECT_EQ(error, std::errc::not_a_directory);
}

TEST(NumberInName, IsThatOfNamesThatDifferInItAlone) {
  constexpr const char* first = "potential_000000.vtu";
  EXPECT_EQ(number_in_name("potential_000031.vtu", first), "000031");
  EXPECT_EQ(number_in_name("potential_1000031.vtu", first), "1000031");
  for (const char* other : {"potential_31.vtu", "potential_00003x.vtu", "potential_000031.vtk", "otential_000031.vtu",
                            "potential_000031.vtu.part", "potential_-00031.vtu", ""})
    EXPECT_FALSE(number_in_name(other, first)) << other;
  EXPECT_EQ(number_in_name("mesh.geo", "mesh.geo"), "");
  for (const char* other : {"mesh.geo1", "mesh1.geo", "1mesh.geo", "mesh.ge"})
    EXPECT_FALSE(number_in_name(other, "mesh.geo")) << other;
}

}  // namespace
}  // namespace cardiowarp
