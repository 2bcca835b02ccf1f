// Every kind of bad input: one message that says what and where, exit code 2, no output directory.

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/program.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/two_tetrahedra.hpp"

namespace cardiowarp::test {
namespace {

namespace fs = std::filesystem;

struct BadInput {
  std::string name;
  std::vector<std::string> settings;    ///< --set
  std::vector<std::string> expected;    ///< parts of the message
  std::string file = {}, content = {};  ///< written over the good one
};

void PrintTo(const BadInput& bad, std::ostream* stream) { *stream << bad.name; }

class BadInputs : public testing::TestWithParam<BadInput> {};

TEST_P(BadInputs, AreRefusedWithAMessageAndLeaveNothingBehind) {
  const TemporaryDirectory folder;
  write_two_tetrahedra(folder);
  ASSERT_EQ(run_program({"check", folder / "two.yaml"}, folder.path()).exit_code, 0);  // the unbroken input is valid

  const BadInput& bad = GetParam();
  if (!bad.file.empty()) write_text(folder / bad.file, bad.content);
  std::vector<std::string> arguments{"run", folder / "two.yaml", "--log-level", "error"};
  for (const std::string& setting : bad.settings) arguments.insert(arguments.end(), {"--set", setting});
  const ProgramResult result = run_program(arguments, folder.path());
  EXPECT_EQ(result.exit_code, 2);
  for (const std::string& part : bad.expected)
    EXPECT_NE(result.errors.find(part), std::string::npos) << "'" << part << "' in: " << result.errors;
  EXPECT_EQ(result.errors.find("error: "), 0u) << result.errors;
  EXPECT_EQ(result.errors.find('\n'), result.errors.size() - 1) << result.errors;  // one line
  EXPECT_FALSE(fs::exists(folder / "result"));
}

INSTANTIATE_TEST_SUITE_P(
    All, BadInputs,
    testing::Values(
        BadInput{"YamlSyntax", {}, {"two.yaml:2:5: ", "syntax"}, "two.yaml", "mesh: {file: two.pts\ntime: ]"},
        BadInput{"MisspeltKey",
                 {},
                 {"two.yaml:2:8", "time.stpe", "step"},
                 "two.yaml",
                 "mesh: {file: two.pts}\ntime: {stpe: 0.1, end: 1}\n"},
        BadInput{"UnknownValue", {"time.scheme=backwards_euler"}, {"time.scheme", "backward_euler", "backwards_euler"}},
        BadInput{"MisspeltAdaptive", {"time.adaptive={enabeld: true}"}, {"time.adaptive.enabeld", "'enabled'"}},
        BadInput{"WrongUnit", {"time.step=0.1 mm"}, {"time.step", "time (ms, s, us)", "0.1 mm"}},
        BadInput{"NegativeNumber", {"time.step=-0.1"}, {"time.step", "-0.1"}},
        BadInput{"NotANumber", {"diffusivity.isotropic=.nan"}, {"diffusivity.isotropic", "nan"}},
        BadInput{"StepLongerThanEnd", {"time.step=2"}, {"time.step", "2"}},
        BadInput{"ZeroFibre", {"fibers={source: constant, direction: [0, 0, 0]}"}, {"fibers.direction"}},
        BadInput{"MissingMesh",
                 {},
                 {"two.yaml:1:14: mesh.file: no file '", "twoo.pts'; did you mean 'two.pts'?"},
                 "two.yaml",
                 "mesh: {file: twoo.pts}\ntime: {end: 1 ms, step: 0.1 ms}\noutput: {directory: result}\n"},
        BadInput{"MissingMeshUnlikeAnyFile", {"mesh.file=heart.msh"}, {"--set mesh.file=heart.msh", "cardiowarp mesh"}},
        BadInput{"UnknownMeshFormat", {"mesh.file=two.yaml"}, {"mesh.file: ", ".yaml", ".msh"}},
        BadInput{"NoTetrahedra", {}, {"two.", "tetrahedra"}, "two.elem", "2\nTr 0 1 2 1\nTr 0 1 3 1\n"},
        BadInput{"AbsurdlySmallMesh",
                 {},
                 {"two.yaml:", "mesh.file: ", "the edge between nodes 0 and 1 is 1e-50 mm long"},
                 "two.pts",
                 "5\n0 0 0\n1e-50 0 0\n0 1e-50 0\n0 0 1e-50\n1e-50 1e-50 1e-50\n"},
        BadInput{"AbsurdlyLargeMesh",
                 {},
                 {"mesh.file: ", "the edge between nodes 0 and 1 is 1e+163 mm long"},
                 "two.pts",
                 "5\n0 0 0\n1e163 0 0\n0 1e163 0\n0 0 1e163\n1e163 1e163 1e163\n"},
        BadInput{"NodesBeyondTheRangeOfNumbers",
                 {"mesh.length_unit=m"},
                 {"mesh.file: ", "two.pts: node 1 is at (1e+306, 0, 0), in units of 1000 mm"},
                 "two.pts",
                 "5\n0 0 0\n1e306 0 0\n0 1 0\n0 0 1\n1 1 1\n"},
        BadInput{"TwoNodesAtOnePlace",
                 {},
                 {"element 0", "nodes 0 and 1 are both at (0, 0, 0)"},
                 "two.pts",
                 "5\n0 0 0\n0 0 0\n0 1 0\n0 0 1\n1 1 1\n"},
        BadInput{"FlatElement", {}, {"element 1", "flat"}, "two.pts", "5\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n0 0.5 0.5\n"},
        BadInput{"DuplicateElement", {}, {"elements 0 and 1"}, "two.elem", "2\nTt 0 1 2 3 1\nTt 2 1 0 3 2\n"},
        BadInput{"NodeOutOfRange", {}, {"two.elem:3", "number 7"}, "two.elem", "2\nTt 0 1 2 3 1\nTt 1 2 3 7 2\n"},
        BadInput{"TooFewElements", {}, {"two.elem"}, "two.elem", "3\nTt 0 1 2 3 1\nTt 1 2 3 4 2\n"},
        BadInput{"TooFewPoints", {}, {"two.pts"}, "two.pts", "5\n0 0 0\n1 0 0\n"},
        BadInput{"GmshGroupOfDimension7",
                 {"mesh.file=two.msh"},
                 {"two.msh:6: physical dimension 7: expected 0 to 3"},
                 "two.msh",
                 "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n7 1 \"lv\"\n$EndPhysicalNames\n"},
        BadInput{"ScriptInPlaceOfAGmshMesh",
                 {"mesh.file=two.msh"},
                 {"two.msh:1: is not a Gmsh mesh: expected $MeshFormat"},
                 "two.msh",
                 "SystemCall 'mkdir result'; Exit;\n"},
        BadInput{"TooFewFibres", {}, {"two.lon"}, "two.lon", "1\n1 0 0\n"},
        BadInput{"ZeroMeshFibre",
                 {"fibers.source=mesh", "diffusivity={isotropic: 0.1, anisotropic: 0.1}"},
                 {"--set fibers.source=mesh: fibers.source: mesh, but the fiber of element 1"},
                 "two.lon",
                 "1\n1 0 0\n0 0 0\n"},
        BadInput{"StimulusSelectsNothing", {"stimuli.0.where={sphere: {center: [9, 9, 9], radius: 1}}"}, {"stimuli"}},
        BadInput{"UnknownTag", {"stimuli.0.where={tag: 3}"}, {"tag", "3", "1", "2"}},
        BadInput{"RegionSelectsNothing",
                 {"regions=[{where: {box: {min: [8, 8, 8], max: [9, 9, 9]}}, diffusivity: {isotropic: 1}}]"},
                 {"regions"}},
        BadInput{"AnisotropicAloneInARegion",
                 {"regions=[{where: {tag: 1}, diffusivity: {anisotropic: -0.1}}]"},
                 {"regions[0].diffusivity", "expected isotropic beside anisotropic"}},
        BadInput{"MoreFramesThanNames",
                 {"time.end=1e7", "time.step=1", "output.interval=1"},
                 {"output.interval", "at most 1000000 frames", "10000001"}},
        BadInput{"DecimalComma", {"time.step=0,1"}, {"time.step", "'0,1'; decimals have a point: '0.1'"}},
        BadInput{"Backslash", {"mesh.file=meshes\\two.pts"}, {"mesh.file", "/ goes between folders"}},
        BadInput{"Tab", {}, {"two.yaml:2:1", "a tab in the indentation"}, "two.yaml", "mesh:\n\tfile: two.pts\n"},
        BadInput{"StimulusBetweenTwoSteps",
                 {"stimuli.0.duration=0.05", "time.scheme=backward_euler"},
                 {"stimuli[0]", "on in no step"}},
        BadInput{"OutputIsAFile", {"output.directory=two.pts"}, {"output.directory", "is no directory"}},
        BadInput{"ProbeOutside", {"probes=[{name: far, point: [50, 0, 0]}]"}, {"probes[0].point: ", "far", "50"}},
        BadInput{
            "UnknownMatrixFormat", {"linear_solver.spmv=cusprase"}, {"linear_solver.spmv", "did you mean 'cusparse'"}},
        BadInput{"CusparseOnTheCpu",
                 {"linear_solver.spmv=cusparse", "backend=cpu"},
                 {"linear_solver.spmv", "backend cpu", "cusparse"}},
        BadInput{"BlockJacobiOnAGpu",
                 {"linear_solver.preconditioner=block_jacobi", "backend=gpu"},
                 {"linear_solver.preconditioner", "backend gpu", "block_jacobi"}},
        BadInput{"DegreeOfAPolynomial",
                 {"linear_solver.preconditioner={polynomial: neumann, degree: 99}"},
                 {"linear_solver.preconditioner.degree", "[1, 8]", "'99'"}},
        BadInput{"PolynomialOnTheChip",
                 {"linear_solver.preconditioner={degree: 3}", "linear_solver.path=on_chip"},
                 {"linear_solver.path", "on_chip needs linear_solver.preconditioner: jacobi"}},
        BadInput{"BlockSizeThatIsNoWarp", {"linear_solver.block_size=48"}, {"linear_solver.block_size", "32", "48"}},
        BadInput{"ZeroThreshold", {"assembly.threshold=0"}, {"assembly.threshold", "'0'"}},
        BadInput{"NegativeWindow", {"assembly.sorting_window=-32"}, {"assembly.sorting_window", "-32"}},
        BadInput{"UnknownBackend", {"backend=gqu"}, {"backend", "gqu", "gpu"}}),
    [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace cardiowarp::test
