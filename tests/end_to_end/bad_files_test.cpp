// Files, folders and words of the command line that nothing can be made of: what is said, and what stays as it was.

#include <gtest/gtest.h>

#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "app/files/folder_lock.hpp"
#include "tests/support/program.hpp"
#include "tests/support/result_files.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/two_tetrahedra.hpp"

namespace cardiowarp::test {
namespace {

namespace fs = std::filesystem;

class BadFiles : public testing::Test {
 protected:
  void SetUp() override { write_two_tetrahedra(folder); }
  TemporaryDirectory folder;
};

TEST_F(BadFiles, AMissingConfigurationIsNamed) {
  const ProgramResult result = run_program({"run", folder / "none.yaml"}, folder.path());
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.errors.find("none.yaml"), std::string::npos);
}

TEST_F(BadFiles, AnUnknownCommandGetsTheNearestOne) {
  const ProgramResult result = run_program({"rnu", folder / "two.yaml"}, folder.path());
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.errors.find("did you mean 'run'"), std::string::npos) << result.errors;
}

TEST_F(BadFiles, UnknownWordsOfTheCommandLineGetTheNearestOne) {
  struct Wrong {
    std::vector<std::string> arguments;
    std::string expected;
  };
  const std::string file = folder / "two.yaml";
  for (const Wrong& wrong :
       {Wrong{{"mesh", "biventrical"},
              "unknown command 'biventrical'; did you mean 'biventricle'?; commands: biventricle, slab"},
        Wrong{{"mesh", "quux"}, "unknown command 'quux'; commands: biventricle"},
        Wrong{{"bench", "spmvv", "a.msh"}, "unknown command 'spmvv'; did you mean 'spmv'?"},
        Wrong{{"mesh", "slab", "--sise", "1,1,1"},
              "unknown option '--sise'; did you mean '--size'? (see cardiowarp mesh slab --help)"},
        Wrong{{"run", file, "--outptu=x"},
              "unknown option '--outptu'; did you mean '--output'? (see cardiowarp run --help)"},
        Wrong{{"run", file, "--log-levl", "error"}, "did you mean '--log-level'?"},
        Wrong{{"rnu", file, "--set", "time.step=1"}, "unknown command 'rnu'; did you mean 'run'?"},
        Wrong{{"mesh", "biventrical", "--edge", "3mm"}, "unknown command 'biventrical'; did you mean 'biventricle'?"},
        Wrong{{"--log-level", "error", "run", file, "--set", "time.step=1", "--stepp", "3"},
              "unknown option '--stepp'"},
        Wrong{{"--log-level", "error", "rnu", file}, "unknown command 'rnu'; did you mean 'run'?"},
        Wrong{{"mesh", "--log-level", "error", "slab", "--sise", "3"},
              "unknown option '--sise'; did you mean '--size'?"},
        Wrong{{"run", "--", file, "b.yaml"}, "b.yaml"},
        Wrong{{"--log-level", "error", "run", "--backend", "cpu"}, "FILE is required"},
        Wrong{{"run"}, "FILE is required"},
        Wrong{{"run", file, "--backend", "cuda"}, "error: --backend cuda: backend: expected one of"},
        Wrong{{"compare", file, "--figure", "x.png"},
              "--figure: expected a file name that ends in .svg, got 'x.png'"}}) {
    const ProgramResult result = run_program(wrong.arguments, folder.path());
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_NE(result.errors.find(wrong.expected), std::string::npos) << result.errors;
  }
}

TEST_F(BadFiles, WordsInTheWrongPlaceAreAnsweredWithWhatIsExpectedThere) {
  struct Wrong {
    std::vector<std::string> arguments;
    std::string expected;
  };
  const std::string file = folder / "two.yaml", mesh = folder / "two.pts";
  const std::vector<Wrong> mistakes{
      {{}, "error: expected a command after 'cardiowarp': run, check, compare"},
      {{"--threads", "2"}, "expected a command after 'cardiowarp': run"},
      {{"mesh"},
       "expected a command after 'cardiowarp mesh': biventricle, slab, fill, refine, convert, quality, fibers, "
       "coordinates, purkinje (see"},
      {{"help", "rnu"}, "help: expected a command or nothing after it, got 'rnu'"},
      {{"version"}, "did you mean '--version'?"},
      {{"-V"}, "unknown option '-V'; did you mean '--version'?"},
      {{"--verison"}, "unknown option '--verison'; did you mean '--version'?"},
      {{"slab", "--size", "1,1,1"}, "unknown command 'slab'; did you mean 'mesh slab'?"},
      {{"heart.yaml"}, "expected a command before the file, as in 'cardiowarp run heart.yaml'"},
      {{"run", file, "check"}, "unexpected 'check': expected one FILE, which is '" + file + "'"},
      {{"run"}, "FILE is required: YAML configuration (see cardiowarp run --help)"},
      {{"run", "--output", "heart.yaml"}, "; 'heart.yaml' is taken for the value of --output"},
      {{"run", file, "--output", "a", "--output", "b"}, "--output: expected once, got 'a', 'b' (see"},
      {{"--threads", "2", "run", file, "--threads", "3"}, "--threads: expected once, got '2', '3'"},
      {{"run", file, "--output"}, "--output: expected DIR after it, got nothing"},
      {{"run", file, "--output", "--resume"}, "--output: expected DIR after it, got the option '--resume'"},
      {{"run", file, "--set"}, "--set: expected KEY.PATH=VALUE after it, got nothing"},
      {{"run", file, "--set", "time.step"}, "--set: expected key.path=value, got 'time.step'"},
      {{"run", file, "--set", "time.step=0.1", "ms"},
       "unexpected 'ms' after '--set time.step=0.1': --set takes one word, KEY.PATH=VALUE (with quotes"},
      {{"run", file, "--set=time.step=0.1", "ms"}, "unexpected 'ms' after '--set=time.step=0.1': --set takes one word"},
      {{"run", file, "--set time.step=0.1"}, "option and value are two words: --set 'time.step=0.1'"},
      {{"run", file, "--resume", "true"}, "unexpected 'true' after --resume, which takes no value"},
      {{"run", file, "b.yaml"}, "unexpected 'b.yaml': expected one FILE, which is '" + file + "'; --output names"},
      {{"run", file, ""}, "unexpected empty word ''"},
      {{"run", file, "--output", ""}, "--output: expected DIR after it, got an empty word ''"},
      {{"mesh", "slab", "--size", "1,1,1", "--edge", "1", "--output", ""}, "--output: expected FILE after it, got an"},
      {{"run", file, "--from", ""}, "--from: expected CHECKPOINT after it, got an empty word ''"},
      {{"run", ""}, "FILE: expected the name of a file, got an empty word ''"},
      {{"run", file, "-o", "x"}, "unknown option '-o'; options have two dashes: --output"},
      {{"run", file, "-output", "x"}, "unknown option '-output'; did you mean '--output'?"},
      {{"run", file, "\u2014output", "x"}, "unknown option '\u2014output'; did you mean '--output'?"},
      {{"run", file, "--", "--output"}, "unexpected '--output': behind -- all words are files"},
      {{"check", file, "--resume"}, "unknown option '--resume'; it is an option of run"},
      {{"mesh", "slab", "--size", "1,1,1"}, "--edge is required: Edge of the cells"},
      {{"mesh", "biventricle", "3mm"}, "--edge is required: Mean edge length, e.g. 3mm; '3mm' belongs to no option"},
      {{"mesh", "biventricle", "--edge", "3", "mm"}, "unexpected 'mm' after '--edge 3': --edge takes one word, LENGTH"},
      {{"mesh", "slab", "--size", "20", "7", "3", "--edge", "1"}, "unexpected '7' after '--size 20': --size takes"},
      {{"mesh", "slab", "a.vtu", "--size", "1,1,1", "--edge", "1"},
       "unexpected 'a.vtu': cardiowarp mesh slab takes options only; --output names the result"},
      {{"mesh", "refine", mesh, "--levels", "two"}, "--levels: expected a whole number, got 'two'"},
      {{"mesh", "refine", mesh, "fine.msh"}, "expected one MESH, which is '" + mesh + "'; --output names the result"},
      {{"mesh", "refine", folder.path().string()}, "MESH: expected a file that ends in .msh, .vtu, .vtk, .pts, .ele, "},
      {{"info", file}, "cardiowarp info takes options only"}};
  for (const auto& [arguments, expected] : mistakes) {
    const ProgramResult result = run_program(arguments, folder.path());
    EXPECT_EQ(result.exit_code, 2) << expected;
    EXPECT_NE(result.errors.find(expected), std::string::npos) << expected << "\n" << result.errors;
    EXPECT_EQ(std::count(result.errors.begin(), result.errors.end(), '\n'), 1) << result.errors;
  }
}

TEST_F(BadFiles, HelpIsGivenWhereverItIsAskedFor) {
  const auto output_of = [&](const std::vector<std::string>& arguments) {
    const ProgramResult result = run_program(arguments, folder.path());
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_EQ(result.errors, "");
    return result.output;
  };
  const std::string all = output_of({"--help"}), of_run = output_of({"run", "--help"}),
                    of_slab = output_of({"mesh", "slab", "--help"});
  EXPECT_NE(all.find("Usage: cardiowarp [OPTIONS] SUBCOMMAND"), std::string::npos) << all;
  EXPECT_NE(of_run.find("Usage: cardiowarp run [OPTIONS] FILE"), std::string::npos) << of_run;
  EXPECT_NE(of_slab.find("Usage: cardiowarp mesh slab [OPTIONS]"), std::string::npos) << of_slab;
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"-h"}, {"help"}, {"help", "-h"}})
    EXPECT_EQ(output_of(arguments), all);
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"help", "run"},
                                                    {"-h", "run"},
                                                    {"run", "-h", "a.yaml"},
                                                    {"run", "a.yaml", "-h"},
                                                    {"run", "--output", "-h"},
                                                    {"run", "--ouput", "x", "--help"}})
    EXPECT_EQ(output_of(arguments), of_run);
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"help", "mesh", "slab"}, {"mesh", "slab", "--size", "-h"}, {"mesh", "-h", "slab"}})
    EXPECT_EQ(output_of(arguments), of_slab);
}

TEST_F(BadFiles, AMeshReadInAnotherUnitIsCheckedWithAWarningThatOffersItsOwn) {
  write_text(folder / "two.pts", "5\n0 0 0\n30 0 0\n0 30 0\n0 0 30\n60 60 60\n");
  const ProgramResult micrometres =
      run_program({"check", folder / "two.yaml", "--set", "mesh={file: two.pts}"}, folder.path());
  EXPECT_EQ(micrometres.exit_code, 0) << micrometres.errors;
  EXPECT_NE(micrometres.errors.find("mesh.file: read in um, the mesh is 0.06 × 0.06 × 0.06 mm"), std::string::npos)
      << micrometres.errors;
  EXPECT_NE(micrometres.errors.find("mesh.length_unit mm makes it 60 × 60 × 60 mm"), std::string::npos)
      << micrometres.errors;
  const ProgramResult millimetres = run_program({"check", folder / "two.yaml"}, folder.path());
  EXPECT_EQ(millimetres.errors.find("read in"), std::string::npos) << millimetres.errors;
  const ProgramResult refined = run_program(
      {"mesh", "refine", folder / "two.pts", "--levels", "1", "--output", folder / "fine.msh"}, folder.path());
  EXPECT_NE(refined.errors.find("--length-unit mm makes it 60 × 60 × 60 mm"), std::string::npos) << refined.errors;
}

TEST_F(BadFiles, ATildeIsTheHomeFolderAlsoInQuotesAndAfterAnEqualsSign) {
  const char* before = std::getenv("HOME");
  const std::string home = before ? before : "";
  setenv("HOME", folder.path().c_str(), 1);
  const ProgramResult result = run_program({"run", "~/two.yaml", "--output=~/there", "--log-level", "error"}, "/");
  if (before) setenv("HOME", home.c_str(), 1);
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_TRUE(fs::exists(folder / "there/maps.vtu"));
}

TEST_F(BadFiles, AMeshThatIsMissingBesideARelativeConfigurationGetsTheNearestMeshAlone) {
  fs::current_path(folder.path());
  write_text(folder / "my_heart.lon", "no mesh");
  fs::create_symlink("nowhere.msh", folder / "link.msh");
  const auto errors = [&](const std::string& mesh) {
    return run_program({"run", "two.yaml", "--set", "mesh.file=" + mesh}, folder.path()).errors;
  };
  EXPECT_NE(errors("twoo.pts").find("did you mean 'two.pts'?"), std::string::npos) << errors("twoo.pts");
  for (const char* mesh : {"my_heart.msh", "link.msh"})
    EXPECT_NE(errors(mesh).find("cardiowarp mesh"), std::string::npos) << errors(mesh);
  fs::current_path("/");
}

TEST_F(BadFiles, AnOutputFolderThatMayNotBeWrittenIsNamedByRunAndCheck) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  fs::create_directory(folder / "closed");
  fs::permissions(folder / "closed", fs::perms::owner_read | fs::perms::owner_exec);
  const ProgramResult run =
      run_program({"run", folder / "two.yaml", "--output", folder / "closed/result"}, folder.path());
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_NE(run.errors.find("output.directory: cannot be written: '"), std::string::npos) << run.errors;
  const ProgramResult check =
      run_program({"check", folder / "two.yaml", "--set", "output.directory=closed/result"}, folder.path());
  EXPECT_EQ(check.exit_code, 2);
  EXPECT_EQ(check.errors, run.errors);
}

TEST_F(BadFiles, ResultsThatCannotBeReplacedAreNamedByRunAndCheckAndAnEarlierRunStays) {
  const std::string outside = folder / "outside", result = folder / "result";
  write_text(outside, "precious");
  struct InTheWay {
    std::string name;  ///< in the output folder
    std::function<void(const fs::path&)> make;
    std::string kind;
  };
  const auto directory = [](const fs::path& path) { fs::create_directory(path); };
  const auto filled = [](const fs::path& path) {
    fs::create_directory(path);
    write_text(path / "mine", "mine");
  };
  const auto link = [&](const fs::path& path) { fs::create_symlink(outside, path); };
  const auto fifo = [](const fs::path& path) { ASSERT_EQ(::mkfifo(path.c_str(), 0666), 0); };
  for (const InTheWay& way : {InTheWay{"summary.json", filled, "a directory"},
                              {"probes.csv", filled, "a directory"},
                              {"probes.csv", directory, "a directory"},
                              {"resolved.yaml", link, "a symbolic link"},
                              {"summary.json.part", link, "a symbolic link"},
                              {"summary.json.part", fifo, "a FIFO"},
                              {"maps.vtu", fifo, "a FIFO"},
                              {"frames", link, "a symbolic link"},
                              {"frames/potential_000001.vtu.part", fifo, "a FIFO"}}) {
    ASSERT_EQ(run_program({"run", folder / "two.yaml"}, folder.path()).exit_code, 0);
    const std::string summary = read_text(folder / "result/summary.json"),
                      frames = read_text(folder / "result/potential.pvd");
    fs::remove_all(result + "/" + way.name);
    way.make(result + "/" + way.name);
    for (const char* command : {"run", "check"}) {
      const ProgramResult refused = run_program({command, folder / "two.yaml"}, folder.path());
      EXPECT_EQ(refused.exit_code, 2) << way.name;
      EXPECT_NE(refused.errors.find("error: output.directory: cannot write '" + result + "/" + way.name),
                std::string::npos)
          << refused.errors;
      EXPECT_NE(refused.errors.find("got " + way.kind), std::string::npos) << refused.errors;
    }
    if (way.name != "summary.json") {
      EXPECT_EQ(read_text(folder / "result/summary.json"), summary);
    }
    EXPECT_EQ(read_text(folder / "result/potential.pvd"), frames);
    EXPECT_EQ(read_text(outside), "precious");
    fs::remove_all(result);
  }
}

TEST_F(BadFiles, AnOutputFolderWithAnImpossibleNameIsRefusedByRunAndCheck) {
  fs::create_symlink("loop", folder / "loop");
  fs::create_symlink("nowhere", folder / "broken");
  const std::string far = folder / "not/yet/there";
  std::string deep = folder.path();
  while (deep.size() < 4090) deep += "/0123456789";
  for (const auto& [name, reason] : std::vector<std::pair<std::string, std::string>>{
           {folder / "loop", "Too many levels of symbolic links"},
           {folder / "loop/result", "Too many levels of symbolic links"},
           {folder / "broken", "is no directory"},
           {folder / std::string(300, 'x'), "File name too long"},
           {far + "/" + std::string(256, 'x') + "/result", "File name too long"},
           {deep, "File name too long"}})
    for (const char* command : {"run", "check"}) {
      const ProgramResult result = run_program(
          {command, folder / "two.yaml", "--log-level", "error", "--set", "output.directory=" + name}, folder.path());
      EXPECT_EQ(result.exit_code, 2) << command << " " << name;
      EXPECT_EQ(result.errors.find("error: output.directory: "), 0u) << result.errors;
      EXPECT_NE(result.errors.find(reason), std::string::npos) << result.errors;
    }
  EXPECT_EQ(
      run_program({"check", folder / "two.yaml", "--set", "output.directory=" + far + "/" + std::string(255, 'x')},
                  folder.path())
          .exit_code,
      0);
  EXPECT_FALSE(fs::exists(folder / "not"));
  EXPECT_FALSE(fs::exists(folder / "nowhere"));
}

TEST_F(BadFiles, PipesAndDevicesAreRefusedAsInputAtOnce) {
  ASSERT_EQ(::mkfifo((folder / "fifo.msh").c_str(), 0666), 0);
  ASSERT_EQ(::mkfifo((folder / "fifo.vtx").c_str(), 0666), 0);
  for (const auto& [setting, message] : std::vector<std::pair<std::string, std::string>>{
           {"mesh.file=fifo.msh", "fifo.msh: cannot be read: expected a regular file, got a FIFO"},
           {"stimuli.0.where={nodes: /dev/zero}", "'/dev/zero': expected a regular file, got a device"},
           {"stimuli.0.where={nodes: fifo.vtx}", "fifo.vtx': expected a regular file, got a FIFO"}}) {
    const ProgramResult result = run_program({"run", folder / "two.yaml", "--set", setting}, folder.path());
    EXPECT_EQ(result.exit_code, 2) << setting;
    EXPECT_NE(result.errors.find(message), std::string::npos) << result.errors;
  }
  EXPECT_FALSE(fs::exists(folder / "result"));
}

TEST_F(BadFiles, AFolderThatAnotherRunWritesIntoIsRefused) {
  const FolderLock other_run(folder / "result");
  write_text(folder / "result/potential.pvd", "of the other run");
  const ProgramResult result = run_program({"run", folder / "two.yaml"}, folder.path());
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.errors.find("output.directory: another run is writing into"), std::string::npos) << result.errors;
  EXPECT_EQ(read_text(folder / "result/potential.pvd"), "of the other run");
}

TEST_F(BadFiles, ATruncatedBinaryMeshIsRefused) {
  for (const std::string suffix : {"msh", "vtu"}) {
    const fs::path mesh = folder / ("bar." + suffix);
    ASSERT_EQ(
        run_program({"mesh", "slab", "--size", "3,1,1", "--edge", "0.5", "--output", mesh}, folder.path()).exit_code,
        0);
    const auto whole = fs::file_size(mesh);
    for (const double kept : {0.0, 0.2, 0.5, 0.9, 0.99}) {
      fs::resize_file(mesh, static_cast<std::uintmax_t>(kept * static_cast<double>(whole)));
      const ProgramResult result =
          run_program({"run", folder / "two.yaml", "--set", "mesh.file=" + mesh.string()}, folder.path());
      EXPECT_EQ(result.exit_code, 2) << suffix << " " << kept << ": " << result.errors;
      EXPECT_NE(result.errors.find("bar." + suffix), std::string::npos) << result.errors;
      EXPECT_FALSE(fs::exists(folder / "result"));
      fs::remove(mesh);
      run_program({"mesh", "slab", "--size", "3,1,1", "--edge", "0.5", "--output", mesh}, folder.path());
    }
  }
}

TEST_F(BadFiles, UnreferencedNodesAreDroppedWithACount) {
  write_text(folder / "two.pts", "6\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n2 2 2\n9 9 9\n");
  const ProgramResult result = run_program({"run", folder / "two.yaml"}, folder.path());
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_NE(result.errors.find("1 nodes of no tetrahedron were dropped"), std::string::npos) << result.errors;
  EXPECT_EQ(point_values(folder / "result/maps.vtu", "activation_time").size(), 5u);
}

TEST_F(BadFiles, AnOutputDirectoryThatCannotBeMadeIsNamed) {
  write_text(folder / "file", "in the way");
  const ProgramResult result =
      run_program({"run", folder / "two.yaml", "--output", folder / "file/result"}, folder.path());
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.errors.find("file/result"), std::string::npos) << result.errors;
  EXPECT_EQ(read_text(folder / "file"), "in the way");
}

TEST_F(BadFiles, AFullDiskStopsTheRunAndTheFramesWrittenStayReadable) {
  // A limit on the file size that probes.csv reaches long after the first frames
  ASSERT_EQ(
      run_program({"mesh", "slab", "--size", "3,1,1", "--edge", "0.5", "--output", folder / "bar.msh"}, folder.path())
          .exit_code,
      0);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit limit{40'000, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &limit);
  const ProgramResult result =
      run_program({"run", folder / "two.yaml", "--set", "mesh.file=bar.msh", "--set",
                   "stimuli.0.where={box: {min: [0,0,0], max: [1,1,1]}}", "--set", "time.end=400", "--set",
                   "output.interval=10", "--set", "probes=[{name: a, point: [1, 0.5, 0.5]}]"},
                  folder.path());
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(result.exit_code, 2) << result.errors;
  EXPECT_NE(result.errors.find("probes.csv"), std::string::npos) << result.errors;
  const auto frames = read_pvd(folder / "result/potential.pvd");
  ASSERT_GE(frames.size(), 2u);
  for (const PvdFrame& frame : frames) EXPECT_EQ(point_values(frame.file, "potential").size(), 7u * 3 * 3);
}

}  // namespace
}  // namespace cardiowarp::test
