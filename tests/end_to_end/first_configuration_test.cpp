// Who gives a mesh in place of a configuration gets the lines of one whose stimulus is in that mesh.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/program.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/text_file.hpp"

namespace cardiowarp::test {
namespace {

/// The messages of a run of the lines that are printed for a mesh which `words` make.
std::string messages_of_first_run(std::vector<std::string> words, const std::string& end) {
  const TemporaryDirectory folder;
  words.insert(words.begin(), "mesh");
  words.insert(words.end(), {"--output", folder / "own.msh"});
  EXPECT_EQ(run_program(words, folder.path()).exit_code, 0);
  const ProgramResult refused = run_program({"run", folder / "own.msh"}, folder.path());
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.errors.find("expected a configuration in YAML, got a mesh. Write these lines into a file own.yaml"),
            std::string::npos)
      << refused.errors;
  write_text(folder / "own.yaml", refused.errors.substr(refused.errors.find('\n') + 1));
  const ProgramResult done =
      run_program({"run", folder / "own.yaml", "--backend", "cpu", "--set", "time.end=" + end}, folder.path());
  EXPECT_EQ(done.exit_code, 0) << done.errors;
  return done.errors;
}

TEST(FirstConfiguration, HasAStimulusThatCapturesInTheMesh) {
  const std::string of_heart = messages_of_first_run({"biventricle", "--edge", "7mm"}, "100 ms");
  EXPECT_NE(of_heart.find("stimulus stimulus_1 captured"), std::string::npos) << of_heart;
  const std::string of_slab = messages_of_first_run({"slab", "--size", "21,3,1", "--edge", "0.5mm"}, "60 ms");
  EXPECT_NE(of_slab.find("stimulus stimulus_1 captured"), std::string::npos) << of_slab;
}

TEST(FirstConfiguration, SaysWhatIsWrongWithAMeshThatCannotBeRead) {
  const TemporaryDirectory folder;
  write_text(folder / "own.msh", "$MeshFormat\n");
  const ProgramResult refused = run_program({"check", folder / "own.msh"}, folder.path());
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.errors.find("own.msh"), std::string::npos);
  EXPECT_EQ(refused.errors.find("Write these lines"), std::string::npos) << refused.errors;
}

}  // namespace
}  // namespace cardiowarp::test
