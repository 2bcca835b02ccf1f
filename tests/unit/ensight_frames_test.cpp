#include "app/output/ensight_frames.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <vtkCell.h>
#include <vtkCellType.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "app/config/config.hpp"
#include "app/output/frame_files.hpp"
#include "app/output/frame_output.hpp"
#include "kernels/backend/device_wait.hpp"
#include "meshes/generate.hpp"
#include "tests/support/ensight_files.hpp"
#include "tests/support/file_size_limit.hpp"
#include "tests/support/input_error_of.hpp"
#include "tests/support/resting_simulation.hpp"
#include "tests/support/small_mesh.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/text_file.hpp"

namespace cardiowarp {
namespace {

namespace fs = std::filesystem;

using test::EnsightCase;

std::vector<Real> values_of(vtkDataArray* array) {
  std::vector<Real> values;
  for (vtkIdType tuple = 0; array != nullptr && tuple < array->GetNumberOfTuples(); ++tuple)
    for (int component = 0; component < array->GetNumberOfComponents(); ++component)
      values.push_back(array->GetComponent(tuple, component));
  return values;
}

std::vector<Real> rounded(const std::vector<Real>& values) {
  std::vector<Real> result;
  for (const Real value : values) result.push_back(static_cast<Real>(static_cast<float>(value)));
  return result;
}

class EnsightFramesTest : public testing::Test {
 protected:
  /// The frames of a mesh, in a folder that is begun anew.
  std::unique_ptr<FrameOutput> output_of(const Mesh& of, const FrameFields& chosen, int threads = 0) {
    tissue.resize(of.tetrahedra.size());
    create_frames_folder(folder);
    remove_earlier_run(folder);
    std::vector<std::size_t> states(chosen.states.size());
    std::iota(states.begin(), states.end(), std::size_t{0});
    return std::make_unique<FrameOutput>(make_ensight_frames(of, tissue, chosen, states), folder, threads);
  }
  /// Of the first `count` frames with both fields that are there.
  std::vector<FileMark> marks_of(std::size_t count) const {
    std::vector<FileMark> marks;
    for (std::size_t number = 0; number < count; ++number)
      for (const FileMark& mark : marks_written_with(folder, *frame_layout(OutputFormat::ensight, both), number))
        marks.push_back(mark);
    return marks;
  }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder / "frames")) names.push_back(entry.path().filename());
    std::ranges::sort(names);
    return names;
  }

  const test::TemporaryDirectory directory;
  const fs::path folder = directory / "out/run";
  const Mesh mesh = test::small_mesh();
  std::vector<Diffusivity> tissue{{1, 0, {0, 0.6, 0.8}}, {1, 0, {0.1, 0, -1}}};
  test::GivenFields fields = [] {
    test::GivenFields given;
    given.potential = {-80, 0.1, 1.0 / 3, -79.99999999999999, 30};
    given.states = {0.25, 2.0 / 3};
    return given;
  }();
  const FrameFields potential_alone{true, {}}, both{true, {"recovery"}};
};

TEST_F(EnsightFramesTest, VtkReadsTheMeshInItsOwnOrder) {
  output_of(mesh, both)->write_frame(0, fields);
  EnsightCase file(folder / "potential.case");
  vtkUnstructuredGrid* const grid = file.at(0);
  ASSERT_NE(grid, nullptr);
  ASSERT_EQ(grid->GetNumberOfPoints(), 5);
  for (vtkIdType node = 0; node < 5; ++node) {
    const double* p = grid->GetPoint(node);
    EXPECT_EQ((Vector3{p[0], p[1], p[2]}), mesh.nodes[static_cast<std::size_t>(node)]);
  }
  ASSERT_EQ(grid->GetNumberOfCells(), 2);
  for (vtkIdType element = 0; element < 2; ++element) {
    ASSERT_EQ(grid->GetCellType(element), VTK_TETRA);
    for (int corner = 0; corner < 4; ++corner)
      EXPECT_EQ(grid->GetCell(element)->GetPointId(corner), mesh.tetrahedra[element][corner]);
  }
}

TEST_F(EnsightFramesTest, VtkReadsEveryFieldInSinglePrecision) {
  output_of(mesh, both)->write_frame(12.5, fields);
  EnsightCase file(folder / "potential.case");
  EXPECT_EQ(file.times_ms(), std::vector<Real>{12.5});
  EXPECT_EQ(values_of(file.point_array(12.5, "potential")), rounded(fields.potential));
  EXPECT_EQ(values_of(file.cell_array(12.5, "recovery")), rounded(fields.states));
  EXPECT_EQ(values_of(file.cell_array(12.5, "region")), (std::vector<Real>{1, 2}));
  EXPECT_EQ(values_of(file.cell_array(12.5, "fiber")), rounded({0, 0.6, 0.8, 0.1, 0, -1}));
}

TEST_F(EnsightFramesTest, VtkReadsQuadraticTetrahedraWithTheirEdgeNodes) {
  const Mesh quadratic = quadratic_mesh(mesh);
  fields.potential.resize(quadratic.nodes.size());
  std::iota(fields.potential.begin(), fields.potential.end(), -7.5);
  output_of(quadratic, potential_alone)->write_frame(0, fields);
  EnsightCase file(folder / "potential.case");
  vtkUnstructuredGrid* const grid = file.at(0);
  ASSERT_EQ(grid->GetNumberOfCells(), 2);
  for (vtkIdType element = 0; element < 2; ++element) {
    ASSERT_EQ(grid->GetCellType(element), VTK_QUADRATIC_TETRA);
    for (int k = 0; k < 4; ++k) EXPECT_EQ(grid->GetCell(element)->GetPointId(k), quadratic.tetrahedra[element][k]);
    for (int k = 0; k < 6; ++k) EXPECT_EQ(grid->GetCell(element)->GetPointId(4 + k), quadratic.edge_nodes[element][k]);
  }
  EXPECT_EQ(values_of(file.point_array(0, "potential")), fields.potential);
}

TEST_F(EnsightFramesTest, OneTetrahedronIsAMesh) {
  Mesh one = mesh;
  one.nodes.resize(4);
  one.tetrahedra.resize(1);
  one.element_tags = {-3};
  fields.potential.resize(4);
  fields.states.resize(1);
  output_of(one, both)->write_frame(0, fields);
  EnsightCase file(folder / "potential.case");
  EXPECT_EQ(file.at(0)->GetNumberOfCells(), 1);
  EXPECT_EQ(values_of(file.point_array(0, "potential")), rounded(fields.potential));
  EXPECT_EQ(values_of(file.cell_array(0, "region")), std::vector<Real>{-3});
}

TEST_F(EnsightFramesTest, AMeshOfManyPiecesOfAFileIsReadAsItIs) {
  Mesh large = mesh;
  for (std::size_t i = large.nodes.size(); i < 100'003; ++i)
    large.nodes.push_back({static_cast<Real>(i), 0.5, -static_cast<Real>(i % 7)});
  fields.potential.resize(large.nodes.size());
  for (std::size_t i = 0; i < fields.potential.size(); ++i) fields.potential[i] = std::sin(static_cast<Real>(i));
  output_of(large, potential_alone)->write_frame(0, fields);
  EnsightCase file(folder / "potential.case");
  vtkUnstructuredGrid* const grid = file.at(0);
  ASSERT_EQ(grid->GetNumberOfPoints(), 100'003);
  for (const vtkIdType node : {5, 87'381, 87'382, 100'002}) {
    const double* p = grid->GetPoint(node);
    EXPECT_EQ((Vector3{p[0], p[1], p[2]}), large.nodes[static_cast<std::size_t>(node)]);
  }
  EXPECT_EQ(values_of(file.point_array(0, "potential")), rounded(fields.potential));
}

TEST_F(EnsightFramesTest, TheCaseNamesTheFilesAndTheTimes) {
  const std::unique_ptr<FrameOutput> output = output_of(mesh, both);
  for (const Real time_ms : {0.0, 0.1, 1000.0}) output->write_frame(time_ms, fields);
  EXPECT_EQ(test::read_text(folder / "potential.case"),
            "FORMAT\ntype: ensight gold\n\nGEOMETRY\nmodel: frames/mesh.geo\n\nVARIABLE\n"
            "vector per element: fiber frames/fiber.element\n"
            "scalar per element: region frames/region.element\n"
            "scalar per node: 1 potential frames/potential_******.node\n"
            "scalar per element: 1 recovery frames/recovery_******.element\n"
            "\nTIME\ntime set: 1\nnumber of steps: 3\nfilename start number: 0\nfilename increment: 1\ntime values:\n"
            "0\n0.1\n1000\n");
  EXPECT_EQ(files(),
            (std::vector<std::string>{"fiber.element", "mesh.geo", "potential_000000.node", "potential_000001.node",
                                      "potential_000002.node", "recovery_000000.element", "recovery_000001.element",
                                      "recovery_000002.element", "region.element"}));
}

TEST_F(EnsightFramesTest, EachTimeOfManyFramesHasItsOwnValues) {
  constexpr int frames = 300;
  const std::unique_ptr<FrameOutput> output = output_of(mesh, potential_alone, 3);
  for (int k = 0; k < frames; ++k) {
    std::ranges::fill(fields.potential, k);
    output->write_frame(k / 4.0, fields);
  }
  output->finish();
  EXPECT_EQ(output->frames(), frames);
  EnsightCase file(folder / "potential.case");
  ASSERT_EQ(file.times_ms().size(), frames);
  for (const int k : {0, 1, 255, 256, 257, 299}) {
    EXPECT_EQ(file.times_ms()[k], k / 4.0);
    EXPECT_EQ(values_of(file.point_array(k / 4.0, "potential")), std::vector<Real>(5, k)) << k;
  }
}

TEST_F(EnsightFramesTest, WithoutFieldsTheMeshAndTheTimesAreThere) {
  const std::unique_ptr<FrameOutput> output = output_of(mesh, {false, {}});
  for (const Real time_ms : {0.0, 5.0}) output->write_frame(time_ms, fields);
  EXPECT_EQ(files(), (std::vector<std::string>{"fiber.element", "mesh.geo", "region.element"}));
  EnsightCase file(folder / "potential.case");
  EXPECT_EQ(file.times_ms(), (std::vector<Real>{0, 5}));
  EXPECT_EQ(file.at(5)->GetNumberOfCells(), 2);
  EXPECT_EQ(values_of(file.cell_array(5, "region")), (std::vector<Real>{1, 2}));
  EXPECT_EQ(file.point_array(5, "potential"), nullptr);
}

TEST_F(EnsightFramesTest, StatesWithoutThePotentialAreThere) {
  output_of(mesh, {false, {"recovery"}})->write_frame(0, fields);
  EnsightCase file(folder / "potential.case");
  EXPECT_EQ(file.point_array(0, "potential"), nullptr);
  EXPECT_EQ(values_of(file.cell_array(0, "recovery")), rounded(fields.states));
}

TEST_F(EnsightFramesTest, FramesWrittenByThreadsAreThoseWrittenInTurn) {
  constexpr int frames = 23;
  const auto texts_with = [&](int threads) {
    const std::unique_ptr<FrameOutput> output = output_of(mesh, both, threads);
    for (int k = 0; k < frames; ++k) {
      std::ranges::generate(fields.potential, [&, node = 0.0]() mutable { return std::sin(++node * (k + 1)); });
      std::ranges::fill(fields.states, k);
      output->write_frame(k / 8.0, fields);
    }
    output->finish();
    EXPECT_EQ(output->frames(), frames);
    std::vector<std::string> texts{test::read_text(folder / "potential.case")};
    for (const std::string& name : files()) texts.push_back(name + test::read_text(folder / "frames" / name));
    return texts;
  };
  const std::vector<std::string> expected = texts_with(0);
  for (const int threads : {1, 3, 2 * frames}) EXPECT_EQ(texts_with(threads), expected) << threads;
}

TEST_F(EnsightFramesTest, AFrameCutShortAnywhereIsRefusedAndTheEarlierOnesStay) {
  const std::unique_ptr<FrameOutput> output = output_of(mesh, both);
  output->write_frame(0, fields);
  const std::string list = test::read_text(folder / "potential.case");
  const std::vector<std::string> before = files();
  for (const std::uintmax_t bytes : {0, 1, 80, 243, 244, 263}) {
    SCOPED_TRACE(bytes);
    EXPECT_EQ(test::input_error_of([&] {
                const test::FileSizeLimit limit(bytes);
                output->write_frame(5, fields);
              }),
              "cannot write '" + (folder / "frames/potential_000001.node").string() + "': File too large");
    EXPECT_EQ(test::read_text(folder / "potential.case"), list);
    EXPECT_EQ(files(), before);
  }
  EXPECT_EQ(output->frames(), 1);
  output->write_frame(5, fields);
  EXPECT_EQ(EnsightCase(folder / "potential.case").times_ms(), (std::vector<Real>{0, 5}));
}

TEST_F(EnsightFramesTest, AFrameOfAThreadThatFailsLeavesNoneAfterIt) {
  const std::unique_ptr<FrameOutput> output = output_of(mesh, both, 4);
  output->write_frame(0, fields);
  output->finish();
  fs::create_directory(folder / "frames/recovery_000002.element");
  const std::string message = test::input_error_of([&] {
    for (int k = 1; k < 9; ++k) output->write_frame(k, fields);
    output->finish();
  });
  EXPECT_EQ(message, "cannot write '" + (folder / "frames/recovery_000002.element").string() +
                         "': expected a regular file or nothing, got a directory");
  EXPECT_EQ(output->frames(), 2);
  EXPECT_EQ(EnsightCase(folder / "potential.case").times_ms(), (std::vector<Real>{0, 1}));
  for (int k = 2; k < 9; ++k) EXPECT_FALSE(fs::exists(folder / fmt::format("frames/potential_{:06}.node", k))) << k;
}

/// On its way from a GPU that does not answer.
class NeverHere final : public SinglesUnderWay {
 public:
  void await() override {
    const DeviceWait wait;
    while (true) ::pause();
  }
  std::span<const float> values() const override { return {}; }
};

class HangingSimulation final : public test::RestingSimulation {
 public:
  void send_potential_mv(std::unique_ptr<SinglesUnderWay>& singles, std::size_t nodes) override {
    if (time_ms() < 2)
      RestingSimulation::send_potential_mv(singles, nodes);
    else
      singles = std::make_unique<NeverHere>();
  }
};

TEST_F(EnsightFramesTest, WhereTheGpuIsGivenUpTheFramesThatItHasGivenAreListed) {
  const auto give_up = [&] {  // in a process of its own: whoever waits for a GPU that was given up waits for ever
    const std::unique_ptr<FrameOutput> output = output_of(mesh, potential_alone, 3);
    HangingSimulation simulation;
    for (const Real time_ms : {0.0, 1.0, 2.0, 3.0}) {
      simulation.step_to(time_ms);
      output->write_frame(time_ms, simulation);
      while (time_ms < 2 && output->frames() <= time_ms) std::this_thread::yield();
    }
    std::uint64_t look = DeviceWait::look();
    while (!DeviceWait::is_waiting(look) || !DeviceWait::give_up(look)) look = DeviceWait::look();
    output->finish();
    std::_Exit(output->frames() == 2 ? 7 : 8);
  };
  EXPECT_EXIT(give_up(), testing::ExitedWithCode(7), "");
  EXPECT_EQ(EnsightCase(folder / "potential.case").times_ms(), (std::vector<Real>{0, 1}));
}

TEST_F(EnsightFramesTest, ValuesThatAreNotFiniteNeverReachAFile) {
  const std::unique_ptr<FrameOutput> output = output_of(mesh, both);
  const std::vector<Real> good = fields.potential;
  output->write_frame(0, fields);
  const std::vector<std::string> before = files();
  for (const Real bad : {std::numeric_limits<Real>::quiet_NaN(), std::numeric_limits<Real>::infinity(), 1e39}) {
    fields.potential[3] = bad;  // the last is too large for single precision
    EXPECT_THROW(output->write_frame(1, fields), std::logic_error);
    fields.potential = good;
    fields.states[1] = bad;
    EXPECT_THROW(output->write_frame(1, fields), std::logic_error);
    fields.states[1] = 0;
  }
  EXPECT_THROW(output->write_frame(std::numeric_limits<Real>::quiet_NaN(), fields), std::logic_error);
  EXPECT_EQ(output->frames(), 1);
  EXPECT_EQ(files(), before);
}

TEST_F(EnsightFramesTest, ANewRunRemovesTheFilesOfBothFormatsAndNothingElse) {
  {
    const std::unique_ptr<FrameOutput> output = output_of(mesh, both);
    for (const Real time_ms : {0.0, 5.0}) output->write_frame(time_ms, fields);
  }
  const std::vector<std::string> old{"potential.pvd",
                                     "maps.vtu",
                                     "frames/potential_000001.vtu",
                                     "frames/potential_000001.node.part",
                                     "frames/h_000007.element",
                                     "frames/state_of_a_file_000001.element",
                                     "frames/mesh.geo.part"};
  const std::vector<std::string> foreign{"other.case",
                                         "frames/potential_0000.node",
                                         "frames/mine_00001.element",
                                         "frames/_000001.element",
                                         "frames/other.geo",
                                         "frames/mesh.geo.bak",
                                         "frames/meshXgeo"};
  for (const std::string& name : old) test::write_text(folder / name, "old");
  for (const std::string& name : foreign) test::write_text(folder / name, "mine");
  output_of(mesh, both);
  for (const std::string& name : old) EXPECT_FALSE(fs::exists(folder / name)) << name;
  EXPECT_FALSE(fs::exists(folder / "potential.case"));
  for (const std::string& name : foreign) EXPECT_EQ(test::read_text(folder / name), "mine") << name;
  EXPECT_EQ(files().size(), foreign.size() - 1);
}

TEST_F(EnsightFramesTest, ARunThatCannotGoOnLeavesTheFirstFrameOfTheEarlierOne) {
  {
    const std::unique_ptr<FrameOutput> output = output_of(mesh, both);
    for (const Real time_ms : {0.0, 5.0}) output->write_frame(time_ms, fields);
  }
  const auto texts = [&] {
    std::vector<std::string> all{test::read_text(folder / "potential.case")};
    for (const std::string& name : files())
      if (name != "recovery_000000.element.part") all.push_back(name + test::read_text(folder / "frames" / name));
    return all;
  };
  const std::vector<std::string> before = texts();
  const auto go_on = [&](int threads) {
    FrameOutput output(make_ensight_frames(mesh, tissue, both, {0}), folder, threads, true);
    output.write_frame(0, fields);
    output.go_on_after({{0, 5}, marks_of(2)});
  };
  for (const int threads : {0, 1, 3}) {
    SCOPED_TRACE(threads);
    EXPECT_EQ(test::input_error_of([&] {
                const test::FileSizeLimit limit(260);  // there is room for a state and not for the mesh
                go_on(threads);
              }),
              "cannot write '" + (folder / "frames/mesh.geo").string() + "': File too large");
    EXPECT_EQ(texts(), before);
    const fs::path in_the_way = folder / "frames/recovery_000000.element.part";  // the potential can be written
    fs::create_directory(in_the_way);
    EXPECT_NE(test::input_error_of([&] { go_on(threads); }).find("recovery_000000.element"), std::string::npos);
    EXPECT_EQ(texts(), before);
    fs::remove(in_the_way);
    go_on(threads);
    EXPECT_EQ(texts(), before);
  }
}

TEST_F(EnsightFramesTest, ARunThatGoesOnWritesOfWhatIsThereOnlyWhatIsNotWhole) {
  for (const Mesh& of : {mesh, quadratic_mesh(mesh)})
    for (const FrameFields& chosen :
         {both, potential_alone, FrameFields{false, {"recovery"}}, FrameFields{false, {}}}) {
      fields.potential.resize(of.nodes.size());
      output_of(of, chosen)->write_frame(0, fields);
      std::map<std::string, std::string> whole;
      for (const std::string& name : files()) whole[name] = test::read_text(folder / "frames" / name);
      const auto is_whole = [&](const std::string& name) {
        const fs::path file = folder / name;
        return fs::exists(file) && test::read_text(file) == whole.at(file.filename());
      };
      const std::vector<std::size_t> states(chosen.states.size(), 0);
      const std::unique_ptr<FrameWriter> writer = make_ensight_frames(of, tissue, chosen, states);
      EXPECT_FALSE(writer->needs_first_frame_anew(folder, is_whole));
      for (const auto& [name, text] : whole)
        for (const std::string& damaged : {std::string(), text.substr(1), text + "x", "x" + text.substr(1)}) {
          test::write_text(folder / "frames" / name, damaged);
          const bool is_common = name == "mesh.geo" || name == "fiber.element" || name == "region.element";
          EXPECT_NE(writer->needs_first_frame_anew(folder, is_whole), is_common) << name;
          EXPECT_EQ(test::read_text(folder / "frames" / name), is_common ? text : damaged) << name;
          test::write_text(folder / "frames" / name, text);
        }
      fs::remove(folder / "frames/mesh.geo");
      EXPECT_FALSE(writer->needs_first_frame_anew(folder, is_whole));
      EXPECT_EQ(test::read_text(folder / "frames/mesh.geo"), whole["mesh.geo"]);
    }
}

TEST_F(EnsightFramesTest, ARunThatGoesOnKeepsItsFramesAndRemovesLaterOnesAndThoseOfTheOtherFormat) {
  {
    const std::unique_ptr<FrameOutput> output = output_of(mesh, both);
    for (const Real time_ms : {0.0, 5.0, 10.0}) {
      output->write_frame(time_ms, fields);
      std::ranges::fill(fields.potential, time_ms + 1);
    }
  }
  const std::string second = test::read_text(folder / "frames/potential_000001.node");
  test::write_text(folder / "frames/potential_000000.vtu", "old");
  fields.potential = {-80, 0.1, 1.0 / 3, -79.99999999999999, 30};
  FrameOutput output(make_ensight_frames(mesh, tissue, both, {0}), folder, 0, true);
  output.write_frame(0, fields);
  EXPECT_EQ(EnsightCase(folder / "potential.case").times_ms().size(), 3u) << "the list stays until it goes on";
  output.go_on_after({{0, 5}, marks_of(2)});
  EXPECT_EQ(EnsightCase(folder / "potential.case").times_ms(), (std::vector<Real>{0, 5}));
  EXPECT_EQ(test::read_text(folder / "frames/potential_000001.node"), second);
  EXPECT_EQ(files(),
            (std::vector<std::string>{"fiber.element", "mesh.geo", "potential_000000.node", "potential_000001.node",
                                      "recovery_000000.element", "recovery_000001.element", "region.element"}));
  output.write_frame(7, fields);
  EXPECT_EQ(EnsightCase(folder / "potential.case").times_ms(), (std::vector<Real>{0, 5, 7}));
  fs::remove(folder / "frames/recovery_000001.element");
  EXPECT_EQ(test::input_error_of([&] { require_frames(folder, *frame_layout(OutputFormat::ensight, both), 3); }),
            "--resume: no frame '" + (folder / "frames/recovery_000001.element").string() +
                "', which was written before the checkpoint");
}

}  // namespace
}  // namespace cardiowarp
