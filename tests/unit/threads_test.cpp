#include "app/process/threads.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include "tests/support/input_error_of.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/text_file.hpp"

namespace cardiowarp::test {
namespace {

namespace fs = std::filesystem;

class CpuQuota : public testing::Test {
 protected:
  std::optional<double> quota(const std::string& groups) {
    write_text(folder / "groups", groups);
    return cpu_quota(folder / "groups", folder / "mounted");
  }

  void write(const fs::path& file, const std::string& text) {
    fs::create_directories((folder / "mounted" / file).parent_path());
    write_text(folder / "mounted" / file, text);
  }

  TemporaryDirectory folder;
};

TEST_F(CpuQuota, IsNoneWhereThereIsNoGroupAndNoLimit) {
  EXPECT_EQ(cpu_quota(folder / "nothing", folder / "nowhere"), std::nullopt);
  EXPECT_EQ(quota("0::/\n"), std::nullopt);
  EXPECT_EQ(quota("nonsense\n:\n\n"), std::nullopt);
  write("cpu.max", "max 100000\n");
  EXPECT_EQ(quota("0::/\n"), std::nullopt);
  write("cpu/cpu.cfs_quota_us", "-1\n");
  write("cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(quota("1:cpu:/\n0::/\n"), std::nullopt);
}

TEST_F(CpuQuota, IsThatOfTheGroup) {
  write("cpu.max", "150000 100000\n");
  EXPECT_EQ(quota("0::/\n"), 1.5);
}

TEST_F(CpuQuota, IsTheLeastOfTheGroupAndThoseAboveIt) {
  write("user.slice/cpu.max", "300000 100000\n");
  write("user.slice/session/deep/cpu.max", "400000 100000\n");
  EXPECT_EQ(quota("0::/user.slice/session/deep\n"), 3);
  write("user.slice/session/cpu.max", "20000 100000\n");
  EXPECT_EQ(quota("0::/user.slice/session/deep\n"), 0.2);
}

TEST_F(CpuQuota, IsFoundWhereAContainerSeesThePathOfItsHost) {
  write("cpu.max", "200000 100000\n");
  EXPECT_EQ(quota("0::/system.slice/of_the_host.scope\n"), 2);
  for (const char* path : {"", "/", "//", "/../../elsewhere", "no_slash", "/a//b/"})
    EXPECT_EQ(quota("0::" + std::string(path) + '\n'), 2) << path;
}

TEST_F(CpuQuota, IsThatOfVersionOneBesideOtherControllers) {
  write("cpu,cpuacct/job/cpu.cfs_quota_us", "250000\n");
  write("cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(quota("5:cpu,cpuacct:/job\n4:memory:/job\n3:cpuset:/job\n"), 2.5);
  EXPECT_EQ(quota("5:cpuset,cpuacct:/job\n"), std::nullopt);
}

TEST(ThreadsInUse, SaysWhereTheNumberComesFrom) {
  const int before = omp_get_max_threads();
  choose_threads("3");
  EXPECT_EQ(omp_get_max_threads(), 3);
  EXPECT_EQ(in_words(threads_in_use()), "3 CPU threads (--threads)");
  omp_set_num_threads(5);
  EXPECT_EQ(in_words(threads_in_use()), "5 CPU threads (OpenMP)");
  EXPECT_EQ(in_words({1, "all processors"}), "1 CPU thread");
  omp_set_num_threads(before);
}

TEST(ThreadsInUse, IsNotChangedByANumberThatIsRefused) {
  const int before = omp_get_max_threads();
  for (const char* number : {"0", "-1", "two", "", "2.5", "1e9", "3 4", "99999999999999999999"})
    EXPECT_NE(input_error_of([&] { choose_threads(number); }).find("--threads: expected a whole number"),
              std::string::npos)
        << number;
  EXPECT_EQ(omp_get_max_threads(), before);
}

}  // namespace
}  // namespace cardiowarp::test
