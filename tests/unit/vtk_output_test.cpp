
#include <gtest/gtest.h>
#include <vtkCell.h>
#include <vtkCellData.h>
#include <vtkCellType.h>
#include <vtkDataArray.h>
#include <vtkFieldData.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkUnstructuredGrid.h>
#include <vtkXMLUnstructuredGridReader.h>
#include <vtkXMLUnstructuredGridWriter.h>

#include <cmath>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "app/config/config.hpp"
#include "fem/diffusivity.hpp"
#include "meshes/generate.hpp"
#include "meshes/vtu_check.hpp"
#include "meshes/vtu_encoding.hpp"
#include "tests/support/file_size_limit.hpp"
#include "tests/support/input_error_of.hpp"
#include "tests/support/text_file.hpp"
#include "tests/support/vtk_files.hpp"

namespace cardiowarp {
namespace {

namespace fs = std::filesystem;

using test::GridFile;
using test::noise;
using test::values_of;
using test::VtkOutput;
using test::VtkOutputTest;

TEST_F(VtkOutputTest, AFrameHoldsTheMeshInItsOwnOrder) {
  VtkOutput(mesh, tissue, config, {"recovery"}).write_frame(0, potential, recovery);
  const GridFile file(frame("000000"));
  ASSERT_EQ(file.grid()->GetNumberOfPoints(), 5);
  for (vtkIdType node = 0; node < 5; ++node) {
    const double* p = file.grid()->GetPoint(node);
    EXPECT_EQ((Vector3{p[0], p[1], p[2]}), mesh.nodes[static_cast<std::size_t>(node)]);
  }
  ASSERT_EQ(file.grid()->GetNumberOfCells(), 2);
  for (vtkIdType element = 0; element < 2; ++element) {
    ASSERT_EQ(file.grid()->GetCellType(element), VTK_TETRA);
    for (int corner = 0; corner < 4; ++corner)
      EXPECT_EQ(file.grid()->GetCell(element)->GetPointId(corner), mesh.tetrahedra[element][corner]);
  }
}

TEST_F(VtkOutputTest, AFrameOfAQuadraticMeshHasQuadraticCells) {
  const Mesh quadratic = quadratic_mesh(mesh);
  const std::vector<Real> of_nodes(quadratic.nodes.size(), 1);
  VtkOutput(quadratic, tissue, config, {"recovery"}).write_frame(0, of_nodes, recovery);
  const GridFile file(frame("000000"));
  ASSERT_EQ(file.grid()->GetNumberOfCells(), 2);
  for (vtkIdType element = 0; element < 2; ++element) {
    ASSERT_EQ(file.grid()->GetCellType(element), VTK_QUADRATIC_TETRA);
    for (int k = 0; k < 6; ++k)
      EXPECT_EQ(file.grid()->GetCell(element)->GetPointId(4 + k), quadratic.edge_nodes[element][k]);
  }
  EXPECT_EQ(values_of(file.point_array("potential")), of_nodes);
}

TEST_F(VtkOutputTest, AFrameHoldsEveryFieldExactly) {
  VtkOutput(mesh, tissue, config, {"recovery"}).write_frame(12.9, potential, recovery);
  const GridFile file(frame("000000"));
  ASSERT_NE(file.point_array("potential"), nullptr);
  EXPECT_EQ(file.point_array("potential")->GetDataType(), VTK_DOUBLE);
  EXPECT_EQ(values_of(file.point_array("potential")), potential);
  EXPECT_EQ(file.grid()->GetPointData()->GetScalars(), file.point_array("potential"));
  EXPECT_EQ(values_of(file.cell_array("recovery")), recovery);
  EXPECT_EQ(values_of(file.cell_array("region")), (std::vector<Real>{1, 2}));
  EXPECT_EQ(values_of(file.cell_array("fiber")), (std::vector<Real>{0, 0.6F, 0.8F, 0, 0, 0}));
  EXPECT_EQ(file.cell_array("fiber")->GetDataType(), VTK_FLOAT);
  EXPECT_EQ(file.cell_array("fiber")->GetNumberOfComponents(), 3);
  EXPECT_EQ(values_of(file.grid()->GetFieldData()->GetArray("TimeValue")), (std::vector<Real>{12.9}));
}

TEST_F(VtkOutputTest, AFrameIsCompressedByZlibAndRawAppended) {
  VtkOutput(mesh, tissue, config, {"recovery"}).write_frame(0, potential, recovery);
  const std::string text = test::read_text(frame("000000"));
  EXPECT_NE(text.find("header_type=\"UInt64\" compressor=\"vtkZLibDataCompressor\""), text.npos);
  EXPECT_NE(text.find(" encoding=\"raw\">"), text.npos);
}

TEST_F(VtkOutputTest, AFrameInSinglePrecisionHasItsValuesRoundedAndTheMeshAsItIs) {
  config.precision = OutputPrecision::single_precision;
  VtkOutput output(mesh, tissue, config, {"recovery", "h"});
  output.write_frame(12.9, potential, {0.25, 2.0 / 3, 1.0 / 3, 1e-9});
  const GridFile file(frame("000000"));
  EXPECT_EQ(file.point_array("potential")->GetDataType(), VTK_FLOAT);
  EXPECT_EQ(values_of(file.point_array("potential")), (std::vector<Real>{-80, 0.1F, 1.0F / 3, -80, 0}));
  EXPECT_EQ(values_of(file.cell_array("recovery")), (std::vector<Real>{0.25F, 2.0F / 3}));
  EXPECT_EQ(values_of(file.cell_array("h")), (std::vector<Real>{1.0F / 3, 1e-9F}));
  EXPECT_EQ(file.grid()->GetPoints()->GetDataType(), VTK_DOUBLE);
  EXPECT_EQ(values_of(file.grid()->GetFieldData()->GetArray("TimeValue")), (std::vector<Real>{12.9}));

  std::vector<Real> too_large = potential;
  too_large[2] = 1e39;  // finite, but not in single precision
  EXPECT_THROW(output.write_frame(13, too_large, {0, 0, 0, 0}), std::logic_error);
  output.write_maps(potential, potential);
  EXPECT_EQ(values_of(GridFile(config.directory / "maps.vtu").point_array("apd90")), potential);
}

TEST_F(VtkOutputTest, AFrameIsMarkedAsItStandsOnTheDisk) {
  const Mesh large = with_nodes(12289);
  VtuGrid grid(large, tissue);
  VtuBlocks blocks;
  const std::vector<Real> values = noise(large.nodes.size());
  const fs::path file = directory / "frame.vtu";
  for (const std::size_t size : {large.nodes.size(), std::size_t{0}}) {
    const VtuArrays arrays{.of_points = {{"v", std::span(values).first(size)}}, .of_cells = {}, .time_ms = 1};
    const FileMark mark = grid.write(file, arrays, blocks);
    EXPECT_EQ(mark, mark_of(file));
  }
}

// 4096 doubles and 8192 floats are a block.
TEST_F(VtkOutputTest, FramesAndMapsOfAnySizeHaveTheirValuesBitForBit) {
  for (const std::size_t nodes : {std::size_t{5}, std::size_t{4095}, std::size_t{4096}, std::size_t{4097},
                                  std::size_t{8192}, std::size_t{21845}, std::size_t{40003}}) {
    SCOPED_TRACE(nodes);
    const Mesh large = with_nodes(nodes);
    std::vector<Real> values = noise(nodes);
    for (std::size_t node = nodes / 2; node < nodes; ++node) values[node] = -80;  // at rest
    VtkOutput output(large, tissue, config, {"recovery"});
    output.write_frame(3, values, recovery);
    output.write_maps(values, values);
    const GridFile file(frame("000000")), maps(config.directory / "maps.vtu");
    EXPECT_EQ(values_of(file.point_array("potential")), values);
    EXPECT_EQ(values_of(maps.point_array("apd90")), values);
    EXPECT_EQ(file.grid()->GetNumberOfPoints(), static_cast<vtkIdType>(nodes));
    EXPECT_EQ(check_vtu(test::read_text(frame("000000"))), nodes);
  }
}

TEST_F(VtkOutputTest, AMeshWithoutElementsIsWritten) {
  Mesh empty;
  empty.nodes = {{1, 2, 3}};
  VtkOutput(empty, {}, config, {}).write_frame(0, {-80}, {});
  const GridFile file(frame("000000"));
  EXPECT_EQ(file.grid()->GetNumberOfCells(), 0);
  EXPECT_EQ(values_of(file.point_array("potential")), (std::vector<Real>{-80}));
}

TEST_F(VtkOutputTest, AMeshOfManyBlocksIsThatOfTheInput) {
  Mesh large = with_nodes(40003);
  std::vector<Diffusivity> fibers;
  large.tetrahedra.clear();
  large.element_tags.clear();
  for (int e = 0; e < 50021; ++e) {  // 800336 bytes of connectivity, four blocks
    const Index first = e * 7 % 39999;
    large.tetrahedra.push_back({first, first + 1, first + 2, first + 4});
    large.element_tags.push_back(e / 9);
    fibers.push_back({1, 0, {std::sin(e), 0.25, std::cos(e)}});
  }
  const std::vector<Real> state = noise(large.tetrahedra.size());
  VtkOutput(large, fibers, config, {"recovery"}).write_frame(0, noise(large.nodes.size()), state);
  const GridFile file(frame("000000"));
  ASSERT_EQ(file.grid()->GetNumberOfCells(), 50021);
  EXPECT_EQ(values_of(file.cell_array("recovery")), state);
  EXPECT_EQ(values_of(file.grid()->GetCells()->GetOffsetsArray()).back(), 4 * 50021);
  const std::vector<Real> corners = values_of(file.grid()->GetCells()->GetConnectivityArray());
  const std::vector<Real> fiber = values_of(file.cell_array("fiber")), region = values_of(file.cell_array("region"));
  for (std::size_t e = 0; e < large.tetrahedra.size(); ++e) {
    for (std::size_t k = 0; k < 4; ++k) ASSERT_EQ(corners[4 * e + k], large.tetrahedra[e][k]) << e;
    ASSERT_EQ(fiber[3 * e + 2], static_cast<float>(fibers[e].fiber.z)) << e;
    ASSERT_EQ(region[e], large.element_tags[e]) << e;
    ASSERT_EQ(file.grid()->GetCellType(static_cast<vtkIdType>(e)), 10) << e;
  }
}

TEST_F(VtkOutputTest, InlineDataIsTheSameAsAppendedData) {
  VtkOutput(mesh, tissue, config, {"recovery"}).write_frame(0, potential, recovery);
  vtkNew<vtkXMLUnstructuredGridReader> reader;
  reader->SetFileName(frame("000000").c_str());
  vtkNew<vtkXMLUnstructuredGridWriter> writer;
  writer->SetInputConnection(reader->GetOutputPort());
  writer->SetFileName((directory / "inline.vtu").c_str());
  set_vtu_encoding(*writer, false);
  ASSERT_EQ(writer->Write(), 1);
  EXPECT_EQ(test::read_text(directory / "inline.vtu").find("<AppendedData"), std::string::npos);
  EXPECT_EQ(values_of(GridFile(directory / "inline.vtu").point_array("potential")), potential);
}

TEST_F(VtkOutputTest, FramesKeepTheirOwnValuesAndTheMeshIsNotChanged) {
  VtkOutput output(mesh, tissue, config, {"recovery"});
  const std::vector<Real> later{1, 2, 3, 4, 5};
  output.write_frame(0, potential, recovery);
  output.write_frame(5, later, recovery);
  EXPECT_EQ(output.frames(), 2);
  EXPECT_EQ(values_of(GridFile(frame("000000")).point_array("potential")), potential);
  EXPECT_EQ(values_of(GridFile(frame("000001")).point_array("potential")), later);
  EXPECT_EQ(mesh.nodes, test::small_mesh().nodes);
  EXPECT_EQ(mesh.tetrahedra, test::small_mesh().tetrahedra);
}

TEST_F(VtkOutputTest, FramesOfTheSameValuesAreTheSameBytes) {
  VtkOutput output(mesh, tissue, config, {"recovery"});
  output.write_frame(5, potential, recovery);
  output.write_frame(5, potential, recovery);
  EXPECT_EQ(test::read_text(frame("000000")), test::read_text(frame("000001")));
}

TEST_F(VtkOutputTest, TheCollectionListsEveryFrameWithItsShortestTime) {
  VtkOutput output(mesh, tissue, config, {"recovery"});
  for (const Real time_ms : {0.0, 0.1, 5.0, 1000.0}) output.write_frame(time_ms, potential, recovery);
  EXPECT_EQ(test::read_text(config.directory / "potential.pvd"),
            "<?xml version=\"1.0\"?>\n"
            "<VTKFile type=\"Collection\" version=\"1.0\">\n"
            "  <Collection>\n"
            "    <DataSet timestep=\"0\" file=\"frames/potential_000000.vtu\"/>\n"
            "    <DataSet timestep=\"0.1\" file=\"frames/potential_000001.vtu\"/>\n"
            "    <DataSet timestep=\"5\" file=\"frames/potential_000002.vtu\"/>\n"
            "    <DataSet timestep=\"1000\" file=\"frames/potential_000003.vtu\"/>\n"
            "  </Collection>\n"
            "</VTKFile>\n");
}

TEST_F(VtkOutputTest, AFrameHoldsOnlyTheFieldsAskedFor) {
  config.potential = false;
  VtkOutput(mesh, tissue, config, {"recovery"}).write_frame(0, potential, recovery);
  EXPECT_EQ(GridFile(frame("000000")).point_array("potential"), nullptr);
  EXPECT_NE(GridFile(frame("000000")).cell_array("recovery"), nullptr);

  config.potential = true;
  VtkOutput(mesh, tissue, config, {}).write_frame(0, potential, {});
  EXPECT_NE(GridFile(frame("000000")).point_array("potential"), nullptr);
  EXPECT_EQ(GridFile(frame("000000")).cell_array("recovery"), nullptr);
}

TEST_F(VtkOutputTest, MapsHoldOnlyTheMapsAskedFor) {
  const std::vector<Real> activation{-1, 0.5, 1, 2, 3}, apd90{300, 301, 302, 303, -1};
  VtkOutput(mesh, tissue, config, {"recovery"}).write_maps(activation, apd90);
  const GridFile both(config.directory / "maps.vtu");
  EXPECT_EQ(values_of(both.point_array("activation_time")), activation);
  EXPECT_EQ(values_of(both.point_array("apd90")), apd90);
  EXPECT_EQ(values_of(both.cell_array("region")), (std::vector<Real>{1, 2}));
  EXPECT_NE(both.cell_array("fiber"), nullptr);
  EXPECT_EQ(both.point_array("potential"), nullptr);

  config.activation_time = false;
  VtkOutput(mesh, tissue, config, {"recovery"}).write_maps(activation, apd90);
  const GridFile one(config.directory / "maps.vtu");
  EXPECT_EQ(one.point_array("activation_time"), nullptr);
  EXPECT_EQ(values_of(one.point_array("apd90")), apd90);

  config.apd90 = false;
  VtkOutput(mesh, tissue, config, {"recovery"}).write_maps(activation, apd90);
  EXPECT_FALSE(fs::exists(config.directory / "maps.vtu"));
}

TEST_F(VtkOutputTest, ANewRunRemovesTheFilesOfTheEarlierOneAndNothingElse) {
  {
    VtkOutput output(mesh, tissue, config, {"recovery"});
    for (const Real time_ms : {0.0, 5.0, 10.0}) output.write_frame(time_ms, potential, recovery);
    output.write_maps(potential, potential);
  }
  test::write_text(frame("000002").string() + ".part", "of a run that was killed");
  const std::vector<fs::path> foreign{"notes.txt", "probes.csv", "frames/potential_00001.vtu",
                                      "frames/my_potential_000001.vtu", "frames/potential_000001.vtu.bak"};
  for (const fs::path& name : foreign) test::write_text(config.directory / name, "mine");
  fs::create_directory(frame("999999"));

  VtkOutput output(mesh, tissue, config, {"recovery"});
  EXPECT_FALSE(fs::exists(config.directory / "potential.pvd"));
  EXPECT_FALSE(fs::exists(config.directory / "maps.vtu"));
  for (const char* number : {"000000", "000001", "000002"}) EXPECT_FALSE(fs::exists(frame(number))) << number;
  EXPECT_FALSE(fs::exists(frame("000002").string() + ".part"));
  for (const fs::path& name : foreign) EXPECT_EQ(test::read_text(config.directory / name), "mine") << name;
  EXPECT_TRUE(fs::is_directory(frame("999999")));
}

TEST_F(VtkOutputTest, AFolderThatCannotBeCreatedIsNamedWithTheReason) {
  test::write_text(directory / "out", "a file where a folder is needed");
  EXPECT_EQ(test::input_error_of([&] { VtkOutput(mesh, tissue, config, {"recovery"}); }),
            "output.directory: cannot create folder '" + (config.directory / "frames").string() + "': Not a directory");
  EXPECT_EQ(test::read_text(directory / "out"), "a file where a folder is needed");
}

TEST_F(VtkOutputTest, AFrameThatCannotBeCreatedIsNamedWithTheReason) {
  VtkOutput output(mesh, tissue, config, {"recovery"});
  fs::remove(config.directory / "frames");
  testing::internal::CaptureStderr();
  EXPECT_EQ(test::input_error_of([&] { output.write_frame(0, potential, recovery); }),
            "cannot write '" + frame("000000").string() + "': No such file or directory");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(output.frames(), 0);
}

TEST_F(VtkOutputTest, AFrameCutShortAnywhereIsRefusedAndTheEarlierOnesStay) {
  VtkOutput output(mesh, tissue, config, {"recovery"});
  output.write_frame(0, potential, recovery);
  const std::string collection = test::read_text(config.directory / "potential.pvd");
  const std::uintmax_t whole = fs::file_size(frame("000000"));
  ASSERT_GT(whole, 1000U);
  for (const std::uintmax_t bytes : {std::uintmax_t{64}, std::uintmax_t{1000}, whole / 2, whole - 100, whole - 1}) {
    SCOPED_TRACE(bytes);
    testing::internal::CaptureStderr();
    const std::string message = test::input_error_of([&] {
      const test::FileSizeLimit limit(bytes);
      output.write_frame(0, potential, recovery);
    });
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    EXPECT_EQ(message, "cannot write '" + frame("000001").string() + "': File too large");
    EXPECT_EQ(std::distance(fs::directory_iterator(config.directory / "frames"), {}), 1);
    EXPECT_EQ(test::read_text(config.directory / "potential.pvd"), collection);
  }
  EXPECT_EQ(values_of(GridFile(frame("000000")).point_array("potential")), potential);

  const test::FileSizeLimit limit(whole);
  output.write_frame(0, potential, recovery);
  EXPECT_EQ(output.frames(), 2);
}

TEST_F(VtkOutputTest, AFrameOfManyBlocksCutShortIsRefused) {
  const Mesh large = with_nodes(20000);
  VtkOutput output(large, tissue, config, {"recovery"});
  testing::internal::CaptureStderr();
  const std::string message = test::input_error_of([&] {
    const test::FileSizeLimit limit(100000);
    output.write_frame(0, noise(large.nodes.size()), recovery);
  });
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(message, "cannot write '" + frame("000000").string() + "': File too large");
  EXPECT_TRUE(fs::is_empty(config.directory / "frames"));
}

TEST_F(VtkOutputTest, ValuesThatAreNotFiniteNeverReachAFile) {
  VtkOutput output(mesh, tissue, config, {"recovery"});
  std::vector<Real> bad_potential = potential, bad_recovery = recovery;
  bad_potential[3] = std::numeric_limits<Real>::quiet_NaN();
  bad_recovery[1] = std::numeric_limits<Real>::infinity();
  EXPECT_THROW(output.write_frame(0, bad_potential, recovery), std::logic_error);
  EXPECT_THROW(output.write_frame(0, potential, bad_recovery), std::logic_error);
  EXPECT_THROW(output.write_frame(bad_potential[3], potential, recovery), std::logic_error);
  EXPECT_THROW(output.write_maps(bad_potential, potential), std::logic_error);
  EXPECT_THROW(output.write_maps(potential, bad_potential), std::logic_error);
  EXPECT_TRUE(fs::is_empty(config.directory / "frames"));
  EXPECT_FALSE(fs::exists(config.directory / "maps.vtu"));
}

TEST_F(VtkOutputTest, ATissueOfTheWrongSizeIsRefused) {
  EXPECT_THROW(VtkOutput(mesh, {}, config, {"recovery"}), std::logic_error);
}

}  // namespace
}  // namespace cardiowarp
