// The commands that write a mesh or a field on one: lengths that no mesh can have, and files that are not replaced, or
// not left half written.

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/program.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/two_tetrahedra.hpp"

namespace cardiowarp::test {
namespace {

namespace fs = std::filesystem;

class MeshCommand : public testing::Test {
 protected:
  void SetUp() override { write_two_tetrahedra(folder); }
  TemporaryDirectory folder;
};

TEST_F(MeshCommand, AMeshIsNotMadeInPlaceOfTheOneItIsMadeOf) {
  const auto content = [&](const char* name) { return read_text(folder / name); };
  ASSERT_EQ(
      run_program({"mesh", "slab", "--size", "2,1,1", "--edge", "1", "--output", folder / "slab.vtu"}, folder.path())
          .exit_code,
      0);
  const std::string slab = content("slab.vtu"), two = content("two.elem");
  fs::create_symlink(folder / "slab.vtu", folder / "link.vtu");
  fs::create_hard_link(folder / "slab.vtu", folder / "hard.vtu");
  fs::create_hard_link(folder / "two.elem", folder / "other.elem");
  for (const auto& [input, output] : std::vector<std::pair<std::string, std::string>>{{"slab.vtu", "slab.vtu"},
                                                                                      {"slab.vtu", "./slab.vtu"},
                                                                                      {"slab.vtu", "hard.vtu"},
                                                                                      {"link.vtu", "slab.vtu"},
                                                                                      {"two.pts", "two.pts"},
                                                                                      {"two.pts", "other.pts"}}) {
    const ProgramResult refined =
        run_program({"mesh", "refine", folder / input, "--output", folder.path() / output}, folder.path());
    EXPECT_EQ(refined.exit_code, 2) << output;
    EXPECT_NE(refined.errors.find("is the file to be read"), std::string::npos) << refined.errors;
  }
  const ProgramResult field = run_program(
      {"laplace", folder / "slab.vtu", "--at", "x0=1", "--at", "x1=0", "--output", folder / "hard.vtu"}, folder.path());
  EXPECT_EQ(field.exit_code, 2);
  EXPECT_EQ(content("slab.vtu"), slab);
  EXPECT_EQ(content("two.elem"), two);
}

TEST_F(MeshCommand, AMeshIsConvertedToEachFormatAndBack) {
  const auto mesh = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "mesh");
    const ProgramResult done = run_program(std::move(words), folder.path());
    EXPECT_EQ(done.exit_code, 0) << done.errors;
    return done.output;
  };
  mesh({"slab", "--size", "3,2,1", "--edge", "1", "--output", folder / "slab.msh"});
  mesh({"convert", folder / "slab.msh", "--output", folder / "slab.vtu"});
  mesh({"convert", folder / "slab.vtu", "--output", folder / "slab.pts"});
  mesh({"convert", folder / "slab.pts", "--output", folder / "again.msh"});
  const std::string words = mesh({"convert", folder / "slab.msh", "--output", folder / "direct.msh"});
  EXPECT_EQ(read_text(folder / "direct.msh"), read_text(folder / "slab.msh"));
  EXPECT_NE(words.find("24 nodes, 36 tetrahedra"), std::string::npos) << words;
  EXPECT_NE(mesh({"convert", folder / "again.msh", "--output", folder / "end.vtu"}).find("volume   0.006 cm3"),
            std::string::npos);
}

TEST_F(MeshCommand, PiecesBecomeOneMeshOrTheLargestOfThem) {
  // A cell of VTK after the other, each with nodes of its own: two lie against each other, the third apart.
  write_text(folder / "pieces.vtk",
             "# vtk DataFile Version 2.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 12 double\n"
             "0 0 0 1 0 0 0 1 0 0 0 1\n1 0 0 0 1 0 0 0 1 1 1 1\n9 0 0 10 0 0 9 1 0 9 0 1\n"
             "CELLS 3 15\n4 0 1 2 3\n4 4 5 6 7\n4 8 9 10 11\nCELL_TYPES 3\n10\n10\n10\n");
  const auto convert = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"mesh", "convert", folder / "pieces.vtk", "--output", folder / "one.msh"});
    return run_program(std::move(words), folder.path());
  };
  const ProgramResult one = convert({"--merge-nodes", "--largest-part"});
  EXPECT_EQ(one.exit_code, 0) << one.errors;
  EXPECT_NE(one.output.find("3 nodes were merged with others"), std::string::npos) << one.output;
  EXPECT_NE(one.output.find("2 connected parts"), std::string::npos) << one.output;
  EXPECT_NE(one.output.find("5 nodes, 2 tetrahedra"), std::string::npos) << one.output;
  const ProgramResult refused = convert({"--keep", "lv"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.errors.find("--keep: expected groups out of 0, got 'lv'"), std::string::npos) << refused.errors;
}

TEST_F(MeshCommand, ShapesAreCountedListedAndWrittenAsAnArray) {
  const ProgramResult shapes = run_program(
      {"mesh", "quality", folder / "two.pts", "--worst", "1", "--output", folder / "shapes.vtu"}, folder.path());
  EXPECT_EQ(shapes.exit_code, 0) << shapes.errors;
  for (const char* words : {"2 tetrahedra, radius ratio on average", "0.9 to 1.0", "worst elements", "ratio 0."})
    EXPECT_NE(shapes.output.find(words), std::string::npos) << shapes.output;
  EXPECT_NE(read_text(folder / "shapes.vtu").find("Name=\"quality\""), std::string::npos);
  const ProgramResult refused =
      run_program({"mesh", "quality", folder / "two.pts", "--output", folder / "two.pts"}, folder.path());
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.errors.find("--output: expected a file name that ends in .vtu"), std::string::npos);
}

TEST_F(MeshCommand, EdgesAboveALengthAreCutInNamedGroups) {
  const auto mesh = [&](const std::vector<std::string>& words) {
    std::vector<std::string> all{"mesh"};
    all.insert(all.end(), words.begin(), words.end());
    return run_program(all, folder.path());
  };
  ASSERT_EQ(mesh({"slab", "--size", "3,2,1", "--edge", "1", "--output", folder / "slab.vtu"}).exit_code, 0);
  const ProgramResult refined =
      mesh({"refine", folder / "slab.vtu", "--below", "0.9mm", "--in", "slab", "--output", folder / "fine.vtu"});
  EXPECT_EQ(refined.exit_code, 0) << refined.errors;
  EXPECT_NE(refined.output.find(" to 0.866 mm"), std::string::npos) << refined.output;
  for (const auto& [option, value, words] :
       std::vector<std::array<std::string, 3>>{{"--in", "slab", "--in: expected --below LENGTH beside it"},
                                               {"--below", "1 ms", "--below: expected a length above 0"},
                                               {"--below", "1um", "--below: expected at most"}}) {
    const ProgramResult refused = mesh({"refine", folder / "slab.vtu", option, value, "--output", folder / "no.vtu"});
    EXPECT_EQ(refused.exit_code, 2) << option;
    EXPECT_NE(refused.errors.find(words), std::string::npos) << refused.errors;
    EXPECT_FALSE(fs::exists(folder / "no.vtu"));
  }
}

TEST_F(MeshCommand, AMeshWithoutEndIsRefusedBeforeItIsMade) {
  const char* corners[4] = {"0 0 0", "30 0 0", "0 30 0", "0 0 30"};
  std::string stl = "solid corner\n";
  for (const auto& [a, b, c] : {std::array{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}})
    stl += std::string("facet normal 0 0 1\nouter loop\nvertex ") + corners[a] + "\nvertex " + corners[b] +
           "\nvertex " + corners[c] + "\nendloop\nendfacet\n";
  write_text(folder / "corner.stl", stl + "endsolid corner\n");
  for (const std::vector<std::string>& words : {std::vector<std::string>{"slab", "--size", "20,7,3", "--edge", "1e-5"},
                                                {"slab", "--size", "20,7,3", "--edge", "1e-5", "--unstructured"},
                                                {"biventricle", "--edge", "1um"},
                                                {"fill", folder / "corner.stl", "--edge", "1e-5"},
                                                {"refine", folder / "two.pts", "--levels", "40"}}) {
    std::vector<std::string> arguments{"mesh"};
    arguments.insert(arguments.end(), words.begin(), words.end());
    arguments.insert(arguments.end(), {"--output", folder / "endless.msh"});
    const ProgramResult result = run_program(arguments, folder.path());
    EXPECT_EQ(result.exit_code, 2) << words[0];
    EXPECT_NE(result.errors.find(words[0] == "refine" ? "--levels: expected at most" : "--edge: expected at most"),
              std::string::npos)
        << result.errors;
    EXPECT_EQ(words[0] != "refine", result.errors.find("; an edge of ") != std::string::npos) << result.errors;
  }
  EXPECT_FALSE(fs::exists(folder / "endless.msh"));
  // The memory that each takes is that of its order and its file.
  struct Kind {
    const char *order, *file, *bytes;
  };
  for (const Kind& kind :
       {Kind{"1", "endless.msh", "300"}, Kind{"1", "endless.vtu", "110"}, Kind{"1", "endless.pts", "65"},
        Kind{"2", "endless.msh", "700"}, Kind{"2", "endless.vtu", "280"}}) {
    const ProgramResult refused = run_program(
        {"mesh", "slab", "--size", "20,7,3", "--edge", "1e-5", "--order", kind.order, "--output", folder / kind.file},
        folder.path());
    EXPECT_NE(refused.errors.find(std::string(" at ") + kind.bytes + " bytes each"), std::string::npos)
        << refused.errors;
  }
}

TEST_F(MeshCommand, AbsurdLengthsOfAMeshAreRefusedAsSuch) {
  for (const std::string length : {"1e-53mm", "1e-320mm", "1e160mm", "1e300mm", "1e10m"})
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"slab", "--size", "20,7,3", "--edge", length},
          {"slab", "--size", "20,7," + length, "--edge", "0.5mm"},
          {"slab", "--size", "20,7,3", "--edge", length, "--unstructured"},
          {"biventricle", "--edge", length}}) {
      std::vector<std::string> arguments{"mesh"};
      arguments.insert(arguments.end(), words.begin(), words.end());
      const ProgramResult result = run_program(arguments, folder.path());
      EXPECT_EQ(result.exit_code, 2) << length;
      std::string expected = words.back() == "0.5mm" ? "error: --size" : "error: --edge";
      expected.append(": expected a length from 1e-12 to 1e+12 mm, got '").append(length).append("'\n");
      EXPECT_EQ(result.errors, expected);
    }
}

TEST_F(MeshCommand, AMeshGoesIntoANewFolder) {
  const fs::path mesh = folder / "new/folder/bar.msh";
  const ProgramResult result =
      run_program({"mesh", "slab", "--size", "3,1,1", "--edge", "0.5", "--output", mesh}, folder.path());
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_TRUE(fs::exists(mesh));
  write_text(folder / "file", "in the way");
  const ProgramResult refused = run_program(
      {"mesh", "slab", "--size", "3,1,1", "--edge", "0.5", "--output", folder / "file/bar.msh"}, folder.path());
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.errors.find("--output: cannot be written: '"), std::string::npos) << refused.errors;
  EXPECT_EQ(run_program({"mesh", "slab", "--size", "3,1", "--edge", "0.5", "--output", folder / "other/bar.msh"},
                        folder.path())
                .exit_code,
            2);
  EXPECT_FALSE(fs::exists(folder / "other"));
}

TEST_F(MeshCommand, AMeshDoesNotReplaceWhatIsNoRegularFile) {
  write_text(folder / "outside", "precious");
  fs::create_symlink("outside", folder / "link.msh");
  ASSERT_EQ(::mkfifo((folder / ".fifo.part.vtu").c_str(), 0666), 0);
  fs::create_directory(folder / "folder.elem");
  for (const auto& [output, message] : std::vector<std::pair<std::string, std::string>>{
           {"link.msh", "link.msh': expected a regular file or nothing, got a symbolic link"},
           {"fifo.vtu", ".fifo.part.vtu': expected a regular file or nothing, got a FIFO"},
           {"folder.pts", "folder.elem': expected a regular file or nothing, got a directory"}}) {
    const ProgramResult result =
        run_program({"mesh", "slab", "--size", "3,1,1", "--edge", "0.5", "--output", folder / output}, folder.path());
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.errors.find("error: --output: cannot write '"), 0u) << result.errors;
    EXPECT_NE(result.errors.find(message), std::string::npos) << result.errors;
  }
  EXPECT_EQ(read_text(folder / "outside"), "precious");
}

TEST_F(MeshCommand, ASignalThatEndsTheWritingOfAResultLeavesNothingOfIt) {
  ASSERT_EQ(
      run_program({"mesh", "slab", "--size", "4,4,4", "--edge", "0.14", "--output", folder / "cube.msh"}, folder.path())
          .exit_code,
      0);
  const auto parts = [&] {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(folder.path()))
      if (const std::string name = entry.path().filename(); name.find(".part") != std::string::npos)
        found.push_back(name);
    return found;
  };
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"mesh", "refine", folder / "cube.msh", "--levels", "1", "--output",
                                 folder / "fine.vtu"},
        {"laplace", folder / "cube.msh", "--at", "x0=1", "--at", "x1=0", "--output", folder / "field.vtu"}}) {
    const ProgramResult ended = run_program(words, folder.path(), [&](pid_t process) {
      EXPECT_TRUE(wait_until([&] { return !parts().empty() || fs::exists(words.back()); }));
      ::kill(process, SIGTERM);
    });
    if (ended.exit_code != 0) {  // it may have been faster
      EXPECT_EQ(ended.exit_code, -SIGTERM) << ended.errors;
    }
    EXPECT_EQ(parts(), std::vector<std::string>()) << words.front();
  }
}

}  // namespace
}  // namespace cardiowarp::test
