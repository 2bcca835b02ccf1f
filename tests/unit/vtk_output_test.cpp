#include "app/vtk_output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vtkCell.h>
#include <vtkCellData.h>
#include <vtkCellType.h>
#include <vtkDataArray.h>
#include <vtkErrorCode.h>
#include <vtkFieldData.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkUnstructuredGrid.h>
#include <vtkXMLUnstructuredGridReader.h>
#include <vtkXMLUnstructuredGridWriter.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <limits>
#include <regex>
#include <stdexcept>
#include <string>
#include <vector>

#include "meshes/vtu_encoding.hpp"
#include "tests/support/file_size_limit.hpp"
#include "tests/support/input_error_of.hpp"
#include "tests/support/small_mesh.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/text_file.hpp"

namespace cardiowarp {
namespace {

namespace fs = std::filesystem;

/// A VTK file read by VTK's own reader.
class GridFile {
 public:
  explicit GridFile(const fs::path& file) {
    reader_->SetFileName(file.c_str());
    reader_->Update();
    EXPECT_EQ(reader_->GetErrorCode(), static_cast<unsigned long>(vtkErrorCode::NoError)) << file;
  }
  vtkUnstructuredGrid* grid() const { return reader_->GetOutput(); }
  vtkDataArray* point_array(const char* name) const { return grid()->GetPointData()->GetArray(name); }
  vtkDataArray* cell_array(const char* name) const { return grid()->GetCellData()->GetArray(name); }

 private:
  vtkNew<vtkXMLUnstructuredGridReader> reader_;
};

std::vector<Real> values_of(vtkDataArray* array) {
  std::vector<Real> values;
  for (vtkIdType tuple = 0; array != nullptr && tuple < array->GetNumberOfTuples(); ++tuple)
    for (int component = 0; component < array->GetNumberOfComponents(); ++component)
      values.push_back(array->GetComponent(tuple, component));
  return values;
}

/// Within its scope this process can open at most `count` more files.
class OpenFilesLimit {
 public:
  explicit OpenFilesLimit(int count) {
    const int next = ::dup(STDIN_FILENO);
    ::close(next);
    ::getrlimit(RLIMIT_NOFILE, &before_);
    rlimit limit = before_;
    limit.rlim_cur = static_cast<rlim_t>(next + count);
    ::setrlimit(RLIMIT_NOFILE, &limit);
  }
  ~OpenFilesLimit() { ::setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

/// Values that zlib cannot make much smaller.
std::vector<Real> noise(std::size_t count) {
  std::vector<Real> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = std::sin(static_cast<Real>(i));
  return values;
}

/// Waits for what a thread does; a minute is for ever.
template <class Predicate>
[[nodiscard]] bool comes_true(const Predicate& predicate) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!predicate())
    if (std::chrono::steady_clock::now() > end) return false;
  return true;
}

/// Whoever begins to write `file` waits until it is released: its temporary is a pipe that nobody reads.
class HeldFile {
 public:
  explicit HeldFile(const fs::path& file) : temporary_(file.string() + ".part"), pipe_(file.string() + ".pipe") {
    EXPECT_EQ(::mkfifo(temporary_.c_str(), 0666), 0);
    fs::create_hard_link(temporary_, pipe_);
  }
  ~HeldFile() {
    if (reader_ < 0) release();
    ::close(reader_);
    fs::remove(pipe_);
  }
  void release() {
    std::error_code gone;
    fs::remove(temporary_, gone);
    reader_ = ::open(pipe_.c_str(), O_RDONLY | O_NONBLOCK);
  }
  /// True when the writer is there and then closes it.
  [[nodiscard]] bool is_closed() const {
    ::pollfd end{.fd = reader_, .events = POLLIN, .revents = 0};
    return comes_true([&] { return ::poll(&end, 1, 100) == 1 && (end.revents & POLLHUP) != 0; });
  }

 private:
  fs::path temporary_, pipe_;
  int reader_ = -1;
};

class VtkOutputTest : public testing::Test {
 protected:
  VtkOutputTest() { config.directory = directory / "out/run"; }

  Mesh with_nodes(std::size_t count) const {
    Mesh larger = mesh;
    larger.nodes.resize(count, {1, 2, 3});
    return larger;
  }
  /// The frames of the .pvd, by number.
  std::vector<std::string> listed() const {
    const std::string text = test::read_text(config.directory / "potential.pvd");
    const std::regex name("file=\"frames/potential_([0-9]+)\\.vtu\"");
    std::vector<std::string> numbers;
    for (std::sregex_iterator match(text.begin(), text.end(), name), end; match != end; ++match)
      numbers.push_back((*match)[1]);
    return numbers;
  }
  fs::path frame(const std::string& number) const { return config.directory / ("frames/potential_" + number + ".vtu"); }

  const test::TemporaryDirectory directory;
  const Mesh mesh = test::small_mesh();
  const std::vector<Vector3> fibers{{0, 0.6, 0.8}, {0, 0, 0}};
  const std::vector<Real> potential{-80, 0.1, 1.0 / 3, -79.99999999999999, 5e-324};
  const std::vector<Real> recovery{0.25, 2.0 / 3};
  OutputConfig config;
};

TEST_F(VtkOutputTest, AFrameHoldsTheMeshInItsOwnOrder) {
  VtkOutput(mesh, fibers, config).write_frame(0, potential, recovery);
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

TEST_F(VtkOutputTest, AFrameHoldsEveryFieldExactly) {
  VtkOutput(mesh, fibers, config).write_frame(12.9, potential, recovery);
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

TEST_F(VtkOutputTest, AFrameIsCompressedByZlibAndRawAppendedWhereThatCanBeRead) {
  VtkOutput(mesh, fibers, config).write_frame(0, potential, recovery);
  const std::string text = test::read_text(frame("000000"));
  EXPECT_NE(text.find("header_type=\"UInt64\" compressor=\"vtkZLibDataCompressor\""), text.npos);
  EXPECT_EQ(text.find("<AppendedData encoding=\"raw\">") != text.npos, appended_data_is_readable_here());
}

TEST_F(VtkOutputTest, InlineDataIsTheSameAsAppendedData) {
  VtkOutput(mesh, fibers, config).write_frame(0, potential, recovery);
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
  VtkOutput output(mesh, fibers, config);
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
  VtkOutput output(mesh, fibers, config);
  output.write_frame(5, potential, recovery);
  output.write_frame(5, potential, recovery);
  EXPECT_EQ(test::read_text(frame("000000")), test::read_text(frame("000001")));
}

TEST_F(VtkOutputTest, TheCollectionListsEveryFrameWithItsShortestTime) {
  VtkOutput output(mesh, fibers, config);
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

TEST_F(VtkOutputTest, FramesWrittenByThreadsAreThoseWrittenInTurn) {
  constexpr int frames = 23;
  const Mesh large = with_nodes(4099);
  const auto write_all = [&](VtkOutput& output) {
    std::vector<Real> values(large.nodes.size()), more(recovery.size());  // renewed while frames are being written
    for (int k = 0; k < frames; ++k) {
      std::ranges::generate(values, [&, node = 0.0]() mutable { return std::sin(++node * (k + 1)); });
      std::ranges::fill(more, k);
      output.write_frame(k / 8.0, values, more);
    }
  };
  const auto files = [&] {
    std::vector<std::string> texts{test::read_text(config.directory / "potential.pvd")};
    for (int k = 0; k < frames; ++k) texts.push_back(test::read_text(frame(fmt::format("{:06}", k))));
    return texts;
  };
  VtkOutput in_turn(large, fibers, config);
  write_all(in_turn);
  const std::vector<std::string> expected = files();

  for (const int threads : {1, 3, 2 * frames}) {
    SCOPED_TRACE(threads);
    VtkOutput output(large, fibers, config, threads);
    write_all(output);
    output.finish();
    EXPECT_EQ(output.frames(), frames);
    EXPECT_EQ(files(), expected);
  }
}

TEST_F(VtkOutputTest, TheCallerGoesOnAndFramesAreListedInTheOrderOfTheirTimes) {
  VtkOutput output(mesh, fibers, config, 2);
  HeldFile held(frame("000000"));
  output.write_frame(0, potential, recovery);
  output.write_frame(1, potential, recovery);
  ASSERT_TRUE(comes_true([&] { return fs::exists(frame("000001")); }));
  output.list_complete_frames();
  EXPECT_EQ(output.frames(), 0);
  EXPECT_FALSE(fs::exists(config.directory / "potential.pvd"));

  held.release();
  ASSERT_TRUE(comes_true([&] {
    output.list_complete_frames();
    return output.frames() == 2;
  }));
  EXPECT_EQ(listed(), (std::vector<std::string>{"000000", "000001"}));
  EXPECT_EQ(values_of(GridFile(frame("000000")).point_array("potential")), potential);
}

TEST_F(VtkOutputTest, FramesUnderWayAreCompletedAtTheEnd) {
  {
    VtkOutput output(mesh, fibers, config, 7);
    for (const Real time_ms : {0.0, 1.0, 2.0, 3.0, 4.0}) output.write_frame(time_ms, potential, recovery);
  }
  EXPECT_EQ(listed(), (std::vector<std::string>{"000000", "000001", "000002", "000003", "000004"}));
  EXPECT_EQ(values_of(GridFile(frame("000004")).point_array("potential")), potential);
}

TEST_F(VtkOutputTest, AFrameThatFailsInAThreadIsNamedAndNoneAfterItStays) {
  const Mesh large = with_nodes(20000);
  const std::vector<Real> rest(large.nodes.size(), -80);
  VtkOutput output(large, fibers, config, 4);
  testing::internal::CaptureStderr();
  const std::string message = test::input_error_of([&] {
    const test::FileSizeLimit limit(100000);
    for (int k = 0; k < 9; ++k) output.write_frame(k, k == 3 ? noise(large.nodes.size()) : rest, recovery);
    output.finish();
  });
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(message, "cannot write '" + frame("000003").string() + "': File too large");
  EXPECT_EQ(output.frames(), 3);
  EXPECT_EQ(listed(), (std::vector<std::string>{"000000", "000001", "000002"}));
  EXPECT_EQ(std::distance(fs::directory_iterator(config.directory / "frames"), {}), 3);
}

TEST_F(VtkOutputTest, AFrameThatFailsBesideOthersIsWrittenOnceMoreByItself) {
  const Mesh large = with_nodes(20000);
  const std::vector<Real> values = noise(large.nodes.size());
  VtkOutput output(large, fibers, config, 7);
  HeldFile held(frame("000001"));
  for (int k = 0; k < 4; ++k) output.write_frame(k, values, recovery);
  for (const char* number : {"000000", "000002", "000003"})
    ASSERT_TRUE(comes_true([&] { return fs::exists(frame(number)); }));
  {
    const test::FileSizeLimit limit(100000);
    held.release();
    ASSERT_TRUE(held.is_closed());
  }
  EXPECT_FALSE(fs::exists(frame("000001")));
  output.finish();
  EXPECT_EQ(listed(), (std::vector<std::string>{"000000", "000001", "000002", "000003"}));
  for (const std::string& number : listed())
    EXPECT_EQ(values_of(GridFile(frame(number)).point_array("potential")), values) << number;
  output.write_frame(4, values, recovery);
  output.finish();
  EXPECT_EQ(output.frames(), 5);
}

TEST_F(VtkOutputTest, ACollectionThatCannotBeWrittenLeavesNoFrameAfterTheOneItLacks) {
  VtkOutput output(mesh, fibers, config, 3);
  output.write_frame(0, potential, recovery);
  output.finish();
  fs::remove(config.directory / "potential.pvd");
  fs::create_directory(config.directory / "potential.pvd");
  for (int k = 1; k < 4; ++k) output.write_frame(k, potential, recovery);
  EXPECT_EQ(test::input_error_of([&] { output.finish(); }),
            "cannot write '" + (config.directory / "potential.pvd").string() + "': Is a directory");
  EXPECT_EQ(output.frames(), 1);
  EXPECT_TRUE(fs::exists(frame("000001")));
  EXPECT_FALSE(fs::exists(frame("000002")));
  EXPECT_FALSE(fs::exists(frame("000003")));
}

TEST_F(VtkOutputTest, AFrameHoldsOnlyTheFieldsAskedFor) {
  config.potential = false;
  VtkOutput(mesh, fibers, config).write_frame(0, potential, recovery);
  EXPECT_EQ(GridFile(frame("000000")).point_array("potential"), nullptr);
  EXPECT_NE(GridFile(frame("000000")).cell_array("recovery"), nullptr);

  config.potential = true;
  config.recovery = false;
  VtkOutput(mesh, fibers, config).write_frame(0, potential, recovery);
  EXPECT_NE(GridFile(frame("000000")).point_array("potential"), nullptr);
  EXPECT_EQ(GridFile(frame("000000")).cell_array("recovery"), nullptr);
}

TEST_F(VtkOutputTest, MapsHoldOnlyTheMapsAskedFor) {
  const std::vector<Real> activation{-1, 0.5, 1, 2, 3}, apd90{300, 301, 302, 303, -1};
  VtkOutput(mesh, fibers, config).write_maps(activation, apd90);
  const GridFile both(config.directory / "maps.vtu");
  EXPECT_EQ(values_of(both.point_array("activation_time")), activation);
  EXPECT_EQ(values_of(both.point_array("apd90")), apd90);
  EXPECT_EQ(values_of(both.cell_array("region")), (std::vector<Real>{1, 2}));
  EXPECT_NE(both.cell_array("fiber"), nullptr);
  EXPECT_EQ(both.point_array("potential"), nullptr);

  config.activation_time = false;
  VtkOutput(mesh, fibers, config).write_maps(activation, apd90);
  const GridFile one(config.directory / "maps.vtu");
  EXPECT_EQ(one.point_array("activation_time"), nullptr);
  EXPECT_EQ(values_of(one.point_array("apd90")), apd90);

  config.apd90 = false;
  VtkOutput(mesh, fibers, config).write_maps(activation, apd90);
  EXPECT_FALSE(fs::exists(config.directory / "maps.vtu"));
}

TEST_F(VtkOutputTest, ANewRunRemovesTheFilesOfTheEarlierOneAndNothingElse) {
  {
    VtkOutput output(mesh, fibers, config);
    for (const Real time_ms : {0.0, 5.0, 10.0}) output.write_frame(time_ms, potential, recovery);
    output.write_maps(potential, potential);
  }
  test::write_text(frame("000002").string() + ".part", "of a run that was killed");
  const std::vector<fs::path> foreign{"notes.txt", "probes.csv", "frames/potential_00001.vtu",
                                      "frames/my_potential_000001.vtu", "frames/potential_000001.vtu.bak"};
  for (const fs::path& name : foreign) test::write_text(config.directory / name, "mine");
  fs::create_directory(frame("999999"));

  VtkOutput output(mesh, fibers, config);
  EXPECT_FALSE(fs::exists(config.directory / "potential.pvd"));
  EXPECT_FALSE(fs::exists(config.directory / "maps.vtu"));
  for (const char* number : {"000000", "000001", "000002"}) EXPECT_FALSE(fs::exists(frame(number))) << number;
  EXPECT_FALSE(fs::exists(frame("000002").string() + ".part"));
  for (const fs::path& name : foreign) EXPECT_EQ(test::read_text(config.directory / name), "mine") << name;
  EXPECT_TRUE(fs::is_directory(frame("999999")));
}

TEST_F(VtkOutputTest, AFolderThatCannotBeCreatedIsNamedWithTheReason) {
  test::write_text(directory / "out", "a file where a folder is needed");
  EXPECT_EQ(test::input_error_of([&] { VtkOutput(mesh, fibers, config); }),
            "output.directory: cannot create folder '" + (config.directory / "frames").string() + "': Not a directory");
  EXPECT_EQ(test::read_text(directory / "out"), "a file where a folder is needed");
}

TEST_F(VtkOutputTest, AFrameThatCannotBeCreatedIsNamedWithTheReason) {
  VtkOutput output(mesh, fibers, config);
  fs::remove(config.directory / "frames");
  testing::internal::CaptureStderr();
  EXPECT_EQ(test::input_error_of([&] { output.write_frame(0, potential, recovery); }),
            "cannot write '" + frame("000000").string() + "': No such file or directory");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(output.frames(), 0);
}

TEST_F(VtkOutputTest, AFrameThatVtkCannotOpenIsNamedWithTheReasonAndVtkStaysSilent) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the sanitizer checks types through a pipe, and the limit below leaves it none";
#endif
  VtkOutput output(mesh, fibers, config);
  testing::internal::CaptureStderr();
  const std::string message = test::input_error_of([&] {
    const OpenFilesLimit limit(1);  // the temporary itself; VTK opens it once more
    output.write_frame(0, potential, recovery);
  });
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(message, "cannot write '" + frame("000000").string() + "': Too many open files");
  EXPECT_TRUE(fs::is_empty(config.directory / "frames"));
}

TEST_F(VtkOutputTest, AFrameCutShortAnywhereIsRefusedAndTheEarlierOnesStay) {
  VtkOutput output(mesh, fibers, config);
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
  VtkOutput output(large, fibers, config);
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
  VtkOutput output(mesh, fibers, config);
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

TEST_F(VtkOutputTest, FieldsOfTheWrongSizeAreRefused) {
  VtkOutput output(mesh, fibers, config);
  EXPECT_THROW(output.write_frame(0, recovery, recovery), std::logic_error);
  EXPECT_THROW(output.write_frame(0, potential, potential), std::logic_error);
  EXPECT_THROW(VtkOutput(mesh, {}, config), std::logic_error);
}

}  // namespace
}  // namespace cardiowarp
