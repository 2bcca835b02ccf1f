// Code that was compiled for a GPU, kept for later runs.

#include "app/start/code_cache.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "tests/support/temporary_directory.hpp"
#include "tests/support/text_file.hpp"

namespace cardiowarp {
namespace {

const CodeSource source{"the cells of a file", "text of a stage", "NVRTC 13.0 --gpu-architecture=sm_90"};
const std::string code("machine\0code\n\xff", 14);

class CodeCacheInAFolder : public testing::Test {
 protected:
  void SetUp() override { cache.keep(source, code, 0.5); }
  std::filesystem::path file() const { return cache.file_of(source); }

  const test::TemporaryDirectory folder;
  CodeCache cache{folder / "kept/code"};
};

TEST_F(CodeCacheInAFolder, FindsWhatItWasToldToKeepAndNothingElse) {
  EXPECT_EQ(cache.find(source), code);
  EXPECT_EQ(CodeCache(folder / "kept/code").find(source), code);
  EXPECT_EQ(CodeCache(folder / "elsewhere").find(source), std::nullopt);
  for (const CodeSource& other :
       {CodeSource{source.what, "text of another stage", source.compiler}, {source.what, source.text, "NVRTC 13.1"}})
    EXPECT_EQ(cache.find(other), std::nullopt);
}

TEST_F(CodeCacheInAFolder, TakesNoDamagedFileAndMakesItAnew) {
  const std::string whole = test::read_text(file());
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    test::write_text(file(), damaged);
    ASSERT_EQ(cache.find(source), std::nullopt) << "byte " << at;
    test::write_text(file(), whole.substr(0, at));
    ASSERT_EQ(cache.find(source), std::nullopt) << "cut at " << at;
  }
  test::write_text(file(), whole + " ");
  EXPECT_EQ(cache.find(source), std::nullopt);
  cache.keep(source, code, 0.5);
  EXPECT_EQ(cache.find(source), code);
}

TEST_F(CodeCacheInAFolder, TakesNoFileOfAnotherTextUnderItsName) {
  const CodeSource other{source.what, "text of another stage", source.compiler};
  cache.keep(other, code, 0.5);
  std::filesystem::rename(cache.file_of(other), file());
  EXPECT_EQ(cache.find(source), std::nullopt);
}

TEST_F(CodeCacheInAFolder, WaitsForNoFifoAndFollowsNoLink) {
  std::filesystem::remove(file());
  ASSERT_EQ(mkfifo(file().c_str(), 0600), 0);
  EXPECT_EQ(cache.find(source), std::nullopt);
  std::filesystem::remove(file());
  CodeCache elsewhere(folder / "elsewhere");
  elsewhere.keep(source, code, 0.5);
  std::filesystem::create_symlink(elsewhere.file_of(source), file());
  EXPECT_EQ(cache.find(source), std::nullopt);
}

TEST(CodeCacheWithoutAFolder, KeepsNothingAndIsNoError) {
  CodeCache cache{std::filesystem::path()};
  cache.keep(source, code, 0.5);
  EXPECT_EQ(cache.find(source), std::nullopt);
  CodeCache impossible("/proc/none");
  impossible.keep(source, code, 0.5);
  EXPECT_EQ(impossible.find(source), std::nullopt);
}

}  // namespace
}  // namespace cardiowarp
