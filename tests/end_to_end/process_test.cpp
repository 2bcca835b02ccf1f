// The program among others: standard streams that are closed, full or left by their reader, signals that its parent
// ignores, and a system that has no threads to give.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/program.hpp"
#include "tests/support/result_files.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/wave_yaml.hpp"

namespace cardiowarp::test {
namespace {

namespace fs = std::filesystem;

class Process : public testing::Test {
 protected:
  void SetUp() override {
    const ProgramResult made = run_program(
        {"mesh", "slab", "--size", "8,1,1", "--edge", "0.5mm", "--output", folder / "bar.msh"}, folder.path());
    ASSERT_EQ(made.exit_code, 0) << made.errors;
    write_text(folder / "bar.yaml",
               wave_yaml_with({{"end: 20 ms", "end: 4 ms"}, {"interval: 5 ms", "interval: 1 ms"}}));
  }

  /// Runs a shell script in the folder, in which $program is the program, and >&4 a pipe whose reader has left.
  ProgramResult shell(const std::string& script, const std::function<void(pid_t)>& meanwhile = {}) {
    const std::string setting = "program='" CARDIOWARP_PROGRAM "'; cd '" + folder.path().string() +
                                "'; rm -f pipe; mkfifo pipe; exec 3<>pipe 4>pipe 3>&-\n";
    return run_words({"/bin/sh", "-c", setting + script}, folder.path(), meanwhile);
  }

  /// All files of `result` are those of a run in `expected`, but for its seconds and its own place.
  void expect_same_files(const std::string& result, const std::string& expected) {
    int compared = 0;
    for (const auto& entry : fs::recursive_directory_iterator(folder / expected)) {
      const std::string name = entry.path().filename();
      if (entry.is_directory() || name == "summary.json" || name == "resolved.yaml") continue;
      const fs::path same = folder / result / fs::relative(entry.path(), folder / expected);
      EXPECT_EQ(read_text(same), read_text(entry.path())) << same;
      ++compared;
    }
    EXPECT_EQ(compared, 5 + 3);
  }

  TemporaryDirectory folder;
};

TEST_F(Process, KeepsItsFilesToThemselvesWhereStandardStreamsAreClosed) {
  ASSERT_EQ(shell("$program run bar.yaml").exit_code, 0);
  for (const std::string closed : {"<&-", ">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"}) {
    SCOPED_TRACE(closed);
    EXPECT_EQ(shell("$program run bar.yaml --output other " + closed).exit_code, 0);
    expect_same_files("other", "result");
    fs::remove_all(folder / "other");
  }
}

TEST_F(Process, HoldsStandardStreamsThatAreClosedForNoOtherFile) {
  for (const std::string stream : {"0", "1", "2"}) {
    std::string script = "exec $program run bar.yaml --set time.end=100000 --output held";
    script.append(stream).append(" ").append(stream).append(">&-");
    const fs::path frame = folder / ("held" + stream) / "frames/potential_000001.vtu";
    const ProgramResult ended = shell(script, [&](pid_t process) {
      EXPECT_TRUE(wait_until([&] { return fs::exists(frame); }));
      EXPECT_EQ(fs::read_symlink(fs::path("/proc") / std::to_string(process) / "fd" / stream), "/dev/null");
      ::kill(process, SIGTERM);
    });
    EXPECT_EQ(ended.exit_code, 130) << stream;
  }
}

TEST_F(Process, RunsToItsEndWhereItsMessagesCannotBeWritten) {
  ASSERT_EQ(shell("$program run bar.yaml").exit_code, 0);
  for (const std::string lost : {"2>/dev/full", "2>&4", ">&4 2>&4", ">/dev/full 2>/dev/full"}) {
    SCOPED_TRACE(lost);
    EXPECT_EQ(shell("$program run bar.yaml --output other " + lost).exit_code, 0);
    expect_same_files("other", "result");
    fs::remove_all(folder / "other");
  }
}

TEST_F(Process, ThatRefusesItsInputEndsWithItsExitCodeWhereItCannotSayWhy) {
  for (const char* lost : {"2>&-", "2>/dev/full", "2>&4"})
    for (std::string refused : {"run none.yaml", "runn bar.yaml", "check bar.yaml --set time.end=x"})
      EXPECT_EQ(shell("$program " + refused.append(" ").append(lost)).exit_code, 2) << refused;
}

TEST_F(Process, FailsWithTheReasonWhereItsReportCannotBeWritten) {
  for (const std::string command :
       {"check bar.yaml", "--help", "--version", "run --help", "info", "compare bar.yaml --steps 1 --repeats 1",
        "mesh slab --size 1,1,1 --edge 0.5mm --output slab.msh"}) {
    const ProgramResult full = shell("$program --log-level error " + command + " >/dev/full");
    EXPECT_EQ(full.exit_code, 2) << command;
    EXPECT_EQ(full.errors, "error: cannot write to standard output: No space left on device\n") << command;
    const ProgramResult unbuffered = shell("stdbuf -oL $program --log-level error " + command + " >/dev/full");
    EXPECT_EQ(unbuffered.exit_code, 2) << command;
    const ProgramResult closed = shell("$program --log-level error " + command + " >&-");
    EXPECT_EQ(closed.exit_code, 2) << command;
    EXPECT_EQ(closed.errors, "error: cannot write to standard output: Bad file descriptor\n") << command;
  }
}

TEST_F(Process, StillWritesItsFilesWhereItsReportCannotBeWritten) {
  for (const std::string lost : {">/dev/full", ">&4"}) {
    EXPECT_NE(shell("$program compare bar.yaml --steps 1 --repeats 1 --csv all.csv " + lost).exit_code, 0);
    EXPECT_NE(read_text(folder / "all.csv").find("linear_solve"), std::string::npos) << lost;
    fs::remove(folder / "all.csv");
  }
}

TEST_F(Process, EndsOfABrokenPipeWithoutAWordWhereTheReaderOfItsReportHasLeft) {
  for (const std::string command :
       {"check bar.yaml", "--help", "info", "bench spmv bar.msh --row-lengths lengths.csv"}) {
    const ProgramResult left = shell("exec $program --log-level error " + command + " >&4");
    EXPECT_EQ(left.exit_code, -SIGPIPE) << command;
    EXPECT_EQ(left.errors, "") << command;
    const ProgramResult told = shell("trap '' PIPE; exec $program --log-level error " + command + " >&4");
    EXPECT_EQ(told.exit_code, 2) << command;
    EXPECT_EQ(told.errors, "error: cannot write to standard output: Broken pipe\n") << command;
  }
}

TEST_F(Process, RunsToItsEndWhereTheTerminalOfItsProgressIsClosed) {
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (terminal < 0 || ::grantpt(terminal) != 0 || ::unlockpt(terminal) != 0) GTEST_SKIP() << "there is no terminal";
  const std::string name = ::ptsname(terminal);
  std::string shown;
  const ProgramResult result =
      shell("$program run bar.yaml --set time.end=30000 --set output.interval=15000 2>" + name, [&](pid_t) {
        char text[256];
        const int held = ::open(name.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC);  // a read before the run opens it waits
        while (shown.find(" left") == std::string::npos && shown.find("frames") == std::string::npos &&
               shown.find("error") == std::string::npos)
          shown.append(text, static_cast<std::size_t>(std::max<ssize_t>(0, ::read(terminal, text, sizeof text))));
        ::close(held);
        ::close(terminal);
      });
  EXPECT_NE(shown.find("of real time"), std::string::npos) << shown;
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(read_pvd(folder / "result/potential.pvd").size(), 3u);
}

TEST_F(Process, StartedToIgnoreASignalIgnoresIt) {
  const std::string run = "exec $program run bar.yaml --set time.end=200 --set output.interval=10";
  for (const int signal : {SIGHUP, SIGINT, SIGTERM}) {
    const ProgramResult result =
        shell("trap '' " + std::to_string(signal) + "; " + run + " --output ignoring", [&](pid_t process) {
          EXPECT_TRUE(wait_until([&] { return fs::exists(folder / "ignoring/frames/potential_000001.vtu"); }));
          ::kill(process, signal);
        });
    EXPECT_EQ(result.exit_code, 0) << signal << result.errors;
    EXPECT_EQ(read_pvd(folder / "ignoring/potential.pvd").size(), 21u);
    fs::remove_all(folder / "ignoring");
  }
}

/// Runs of the program on a system that starts only so many threads.
class ProcessWithFewThreads : public Process {
 protected:
  ProgramResult with_threads(int wanted, int to_be_had, const std::string& arguments) {
    return shell("OMP_NUM_THREADS=" + std::to_string(wanted) + " CARDIOWARP_TEST_THREADS=" + std::to_string(to_be_had) +
                 " LD_PRELOAD='" CARDIOWARP_NO_MORE_THREADS "' $program " + arguments);
  }
};

TEST_F(ProcessWithFewThreads, SaysHowManyThereAreBeforeItWritesAnything) {
  for (const std::string command : {"check", "run", "compare"}) {
    const ProgramResult result = with_threads(5, 2, command + " bar.yaml");
    EXPECT_EQ(result.exit_code, 2) << command;
    const std::size_t error = result.errors.find("error: ");  // behind a warning where 5 share fewer processors
    ASSERT_NE(error, std::string::npos) << result.errors;
    EXPECT_EQ(result.errors.substr(error),
              "error: threads: expected at most 3, as no more can be started (Resource temporarily unavailable), got "
              "5; --threads sets their number\n");
    EXPECT_EQ(result.output, "");
  }
  EXPECT_FALSE(fs::exists(folder / "result"));
}

TEST_F(ProcessWithFewThreads, DoesEverythingInOne) {
  EXPECT_EQ(shell("OMP_NUM_THREADS=1 $program run bar.yaml --backend cpu --output expected").exit_code, 0);
  for (const std::string command :
       {"check bar.yaml", "run bar.yaml --backend cpu", "mesh slab --size 1,1,1 --edge 0.5mm --output slab.vtu",
        "mesh slab --size 1,1,1 --edge 0.5mm --unstructured --output other.vtu",
        "mesh refine slab.vtu --levels 1 --output fine.vtu"}) {
    const ProgramResult result = with_threads(1, 0, command);
    EXPECT_EQ(result.exit_code, 0) << command << result.errors;
  }
  expect_same_files("result", "expected");
}

TEST_F(ProcessWithFewThreads, MakesMeshesAndSaysWhatItIsAlsoWithoutThoseItWouldComputeWith) {
  for (const std::string command : {"info", "mesh slab --size 1,1,1 --edge 0.5mm --output slab.vtu"}) {
    const ProgramResult result = with_threads(64, 0, command);
    EXPECT_EQ(result.exit_code, 0) << command << result.errors;
  }
}

}  // namespace
}  // namespace cardiowarp::test
