#include "meshes/mesh_file.hpp"

#include <gmsh.h>
#include <gtest/gtest.h>
#include <omp.h>
#include <sys/stat.h>
#include <vtkSmartPointer.h>
#include <vtkUnstructuredGrid.h>
#include <vtkUnstructuredGridWriter.h>
#include <vtkXMLUnstructuredGridReader.h>
#include <vtkXMLUnstructuredGridWriter.h>

#include <algorithm>
#include <functional>
#include <ostream>
#include <set>
#include <utility>

#include "fem/mesh.hpp"
#include "meshes/gmsh_file.hpp"
#include "tests/support/file_size_limit.hpp"
#include "tests/support/input_error_of.hpp"
#include "tests/support/socket_file.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/text_file.hpp"

namespace cardiowarp {
namespace {

namespace fs = std::filesystem;
using test::input_error_of;
using test::read_text;
using test::TemporaryDirectory;
using test::write_text;

/// Elements of two tags taking turns, so that no reader that sorts by region keeps their order by chance.
Mesh strip(int elements) {
  Mesh mesh;
  for (int i = 0; i < elements + 3; ++i) mesh.nodes.push_back({0.1 * i, 1.0 / (i + 1), i * i / 3.0});
  for (int i = 0; i < elements; ++i) {
    mesh.tetrahedra.push_back({i, i + 2, i + 1, i + 3});
    mesh.element_tags.push_back(i % 2 == 0 ? 4 : 2);
    mesh.triangles.push_back({i + 1, i, i + 2});
    mesh.triangle_tags.push_back(i % 3 == 0 ? 9 : 2);
  }
  mesh.volume_names = {{"lv", 4}, {"rv", 2}};
  mesh.surface_names = {{"epi of both", 9}};
  return mesh;
}

Mesh with_fibers(Mesh mesh) {
  for (std::size_t i = 0; i < mesh.tetrahedra.size(); ++i) mesh.fibers.push_back({1, 0.1 * static_cast<Real>(i), -1});
  return mesh;
}

void expect_near(const std::vector<Vector3>& found, const std::vector<Vector3>& expected, Real rounding) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_LE(norm(found[i] - expected[i]), rounding) << "vector " << i;
}

void expect_same(const Mesh& found, const Mesh& expected, Real rounding) {
  expect_near(found.nodes, expected.nodes, rounding);
  expect_near(found.fibers, expected.fibers, rounding);
  EXPECT_EQ(found.tetrahedra, expected.tetrahedra);
  EXPECT_EQ(found.element_tags, expected.element_tags);
  EXPECT_EQ(found.triangles, expected.triangles);
  EXPECT_EQ(found.triangle_tags, expected.triangle_tags);
  EXPECT_EQ(found.volume_names, expected.volume_names);
  EXPECT_EQ(found.surface_names, expected.surface_names);
}

void save_msh(const Mesh& mesh, const fs::path& file, double version, bool binary) {
  write_mesh(mesh, file);
  const GmshSession gmsh;
  gmsh::open(file.string());
  gmsh::option::setNumber("Mesh.MshFileVersion", version);
  gmsh::option::setNumber("Mesh.Binary", binary ? 1 : 0);
  gmsh::option::setNumber("Mesh.SaveAll", 0);
  gmsh::option::setNumber("Mesh.PreserveNumberingMsh2", 1);
  gmsh::write(file.string());
}

vtkSmartPointer<vtkUnstructuredGrid> grid_of(const Mesh& mesh, const fs::path& file) {
  const fs::path vtu = fs::path(file).replace_extension("source.vtu");
  write_mesh(mesh, vtu);
  const vtkNew<vtkXMLUnstructuredGridReader> reader;
  reader->SetFileName(vtu.c_str());
  reader->Update();
  return reader->GetOutput();
}

void save_vtk(const Mesh& mesh, const fs::path& file, bool binary) {
  const vtkNew<vtkUnstructuredGridWriter> writer;
  writer->SetInputData(grid_of(mesh, file));
  writer->SetFileName(file.c_str());
  binary ? writer->SetFileTypeToBinary() : writer->SetFileTypeToASCII();
  ASSERT_EQ(writer->Write(), 1);
}

void save_vtu(const Mesh& mesh, const fs::path& file, int mode) {
  const vtkNew<vtkXMLUnstructuredGridWriter> writer;
  writer->SetInputData(grid_of(mesh, file));
  writer->SetFileName(file.c_str());
  writer->SetDataMode(mode);
  ASSERT_EQ(writer->Write(), 1);
}

struct Format {
  const char* name;
  const char* suffix;
  bool holds_fibers, holds_names;
  Real rounding;  ///< of coordinates by the writing program; about 500 at most here
  LengthUnit unit;
  std::function<void(const Mesh&, const fs::path&)> save;
};

std::ostream& operator<<(std::ostream& stream, const Format& format) { return stream << format.name; }

std::vector<Format> all_formats() {
  const auto msh = [](double version, bool binary) {
    return [=](const Mesh& mesh, const fs::path& file) { save_msh(mesh, file, version, binary); };
  };
  const auto vtu = [](int mode) { return [=](const Mesh& mesh, const fs::path& file) { save_vtu(mesh, file, mode); }; };
  const auto vtk = [](bool binary) {
    return [=](const Mesh& mesh, const fs::path& file) { save_vtk(mesh, file, binary); };
  };
  constexpr LengthUnit mm = LengthUnit::millimetre, um = LengthUnit::micrometre;
  return {
      {"written_msh", ".msh", false, true, 0, mm, write_mesh},
      {"msh_4_1_ascii", ".msh", false, true, 1e-12, mm, msh(4.1, false)},
      {"msh_4_1_binary", ".msh", false, true, 0, mm, msh(4.1, true)},
      {"msh_2_2_ascii", ".msh", false, true, 1e-12, mm, msh(2.2, false)},
      {"msh_2_2_binary", ".msh", false, true, 0, mm, msh(2.2, true)},
      {"written_vtu", ".vtu", true, true, 0, mm, write_mesh},
      {"vtu_ascii", ".vtu", true, true, 0, mm, vtu(vtkXMLUnstructuredGridWriter::Ascii)},
      {"vtu_base64", ".vtu", true, true, 0, mm, vtu(vtkXMLUnstructuredGridWriter::Binary)},
      {"vtk_ascii", ".vtk", true, true, 1e-7, mm, vtk(false)},
      {"vtk_binary", ".vtk", true, true, 0, mm, vtk(true)},
      {"written_opencarp", ".pts", true, false, 1e-12, um, write_mesh},
  };
}

class MeshFile : public testing::TestWithParam<Format> {
 protected:
  /// What the format can hold of a mesh.
  static Mesh held(Mesh mesh) {
    if (!GetParam().holds_fibers) mesh.fibers.clear();
    if (!GetParam().holds_names) mesh.volume_names.clear(), mesh.surface_names.clear();
    return mesh;
  }
  fs::path file() const { return directory / (std::string("heart") + GetParam().suffix); }

  TemporaryDirectory directory;
};

INSTANTIATE_TEST_SUITE_P(Formats, MeshFile, testing::ValuesIn(all_formats()),
                         [](const auto& format) { return format.param.name; });

TEST_P(MeshFile, IsReadBackInTheSameOrderWithTagsNamesAndFibers) {
  const Mesh mesh = with_fibers(strip(40));
  GetParam().save(mesh, file());
  expect_same(read_mesh(file(), GetParam().unit), held(mesh), GetParam().rounding);
}

TEST_P(MeshFile, CutOffAnywhereIsRefusedSilently) {
  GetParam().save(with_fibers(strip(40)), file());
  for (const char* suffix : {GetParam().suffix, ".elem", ".lon"}) {
    const fs::path cut = fs::path(file()).replace_extension(suffix);
    if (!fs::exists(cut)) continue;
    const std::string whole = read_text(cut);
    std::vector<std::size_t> sizes;
    for (std::size_t k = 0; k < 40; ++k) sizes.push_back(whole.size() * k / 40);
    for (std::size_t k = 2; k < 12; ++k) sizes.push_back(whole.size() - k);
    for (const std::size_t size : sizes) {
      write_text(cut, whole.substr(0, size));
      testing::internal::CaptureStderr();
      testing::internal::CaptureStdout();
      const std::string message = input_error_of([&] { read_mesh(file()); });
      const std::string printed = testing::internal::GetCapturedStderr() + testing::internal::GetCapturedStdout();
      EXPECT_EQ(printed, "") << size << " of " << whole.size() << " bytes of " << suffix;
      EXPECT_NE(message.find("heart."), std::string::npos) << size << " of " << whole.size() << ": " << message;
    }
    write_text(cut, whole);
    EXPECT_NO_THROW(read_mesh(file()));  // the cuts above were the only fault
  }
}

TEST_P(MeshFile, OfMetresIsConvertedToMillimetres) {
  GetParam().save(strip(3), file());
  const Mesh metres = read_mesh(file(), LengthUnit::metre), millimetres = read_mesh(file(), LengthUnit::millimetre);
  for (std::size_t i = 0; i < metres.nodes.size(); ++i)
    EXPECT_EQ(metres.nodes[i], 1000 * millimetres.nodes[i]) << "node " << i;
  EXPECT_GT(norm(millimetres.nodes[1]), 0);
}

TEST_P(MeshFile, ThatDoesNotExistIsNamedWithTheReason) {
  const std::string message = input_error_of([&] { read_mesh(file()); });
  EXPECT_EQ(message, file().string() + ": cannot be read: No such file or directory");
}

TEST_P(MeshFile, ThatIsEmptyOrNoRegularFileIsRefusedAtOnce) {
  write_text(file(), "");
  EXPECT_EQ(input_error_of([&] { read_mesh(file()); }), file().string() + ": is empty");
  const auto expect_refused_as = [&](const std::string& kind) {
    EXPECT_EQ(input_error_of([&] { read_mesh(file()); }),
              file().string() + ": cannot be read: expected a regular file, got " + kind);
    fs::remove(file());
  };
  fs::remove(file());
  fs::create_directory(file());
  expect_refused_as("a directory");
  ASSERT_EQ(::mkfifo(file().c_str(), 0666), 0);
  expect_refused_as("a FIFO");
  fs::create_symlink("/dev/zero", file());
  expect_refused_as("a device");
  test::make_socket(file());
  expect_refused_as("a socket");
}

TEST(GmshSession, GivesTheThreadsBackThatThereWere) {
  const int before = omp_get_max_threads();
  for (const int threads : {3, 1}) {
    omp_set_num_threads(threads);
    {
      const GmshSession session;
      gmsh::option::setNumber("General.NumThreads", 5);
      omp_set_num_threads(7);
    }
    EXPECT_EQ(omp_get_max_threads(), threads);
  }
  omp_set_num_threads(before);
}

TEST(OpencarpFiles, CompanionsThatAreNoRegularFilesAreRefusedAtOnce) {
  for (const char* name : {"heart.elem", "heart.lon"}) {
    const TemporaryDirectory directory;
    write_mesh(with_fibers(strip(3)), directory / "heart.pts");
    const auto message = [&] { return input_error_of([&] { read_mesh(directory / "heart.pts"); }); };
    const std::string start = (directory / name).string() + ": cannot be read: ";
    fs::remove(directory / name);
    ASSERT_EQ(::mkfifo((directory / name).c_str(), 0666), 0);
    EXPECT_EQ(message(), start + "expected a regular file, got a FIFO");
    fs::remove(directory / name);
    fs::create_symlink(name, directory / name);
    EXPECT_EQ(message(), start + "Too many levels of symbolic links");
  }
}

class WrittenMesh : public testing::TestWithParam<const char*> {
 protected:
  fs::path file() const { return directory / (std::string("heart") + GetParam()); }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(directory.path())) names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }
  TemporaryDirectory directory;
};

INSTANTIATE_TEST_SUITE_P(Suffixes, WrittenMesh, testing::Values(".msh", ".vtu", ".pts"),
                         [](const auto& suffix) { return std::string(suffix.param).substr(1); });

TEST_P(WrittenMesh, LeavesNoOtherFilesBehind) {
  write_mesh(with_fibers(strip(3)), file());
  if (GetParam() == std::string(".pts"))
    EXPECT_EQ(files(), (std::vector<std::string>{"heart.elem", "heart.lon", "heart.pts"}));
  else
    EXPECT_EQ(files(), std::vector<std::string>{std::string("heart") + GetParam()});
}

TEST_P(WrittenMesh, OnAFullDiskIsAnErrorAndTheOldFileStays) {
  write_mesh(strip(3), file());
  const auto before = files();
  const std::string old = read_text(file());
  for (const auto& disk : {std::pair{2000, 2000}, {20, 3}}) {  // bytes, elements: fails while writing, at closing
    testing::internal::CaptureStderr();
    const std::string message = input_error_of([&] {
      const test::FileSizeLimit limit(static_cast<std::uintmax_t>(disk.first));
      write_mesh(strip(disk.second), file());
    });
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    EXPECT_TRUE(message.starts_with(file().string() + ": cannot be written: ")) << message;
  }
  EXPECT_EQ(files(), before);
  EXPECT_EQ(read_text(file()), old);
}

TEST_P(WrittenMesh, InAMissingFolderIsAnError) {
  const fs::path missing = directory / "none" / file().filename();
  fs::path first = missing;  // the file that is made first
  if (missing.extension() == ".pts") first.replace_extension(".elem");
  EXPECT_EQ(input_error_of([&] { write_mesh(strip(3), missing); }),
            "cannot write '" + first.string() + "': No such file or directory");
}

TEST_P(WrittenMesh, ReplacesOnlyRegularFiles) {
  const fs::path outside = directory / "outside";
  write_text(outside, "precious");
  const std::string stem = file().stem(), suffix = file().extension();
  std::vector<std::string> names{stem + suffix, "." + stem + ".part" + suffix};
  if (suffix == ".pts") names.insert(names.end(), {"heart.elem", "heart.lon", ".heart.part.elem", ".heart.part.lon"});
  for (const std::string& name : names) {
    fs::create_symlink(outside, directory / name);
    const std::string message =
        "cannot write '" + (directory / name).string() + "': expected a regular file or nothing, got a symbolic link";
    EXPECT_EQ(input_error_of([&] { require_mesh_writable(file()); }), message);
    EXPECT_EQ(input_error_of([&] { write_mesh(strip(3), file()); }), message);
    EXPECT_EQ(read_text(outside), "precious");
    EXPECT_EQ(files(), (std::vector<std::string>{std::min(name, std::string("outside")),
                                                 std::max(name, std::string("outside"))}));
    fs::remove(directory / name);
  }
  for (const std::string& name : names) fs::create_hard_link(outside, directory / name);
  write_mesh(strip(3), file());
  EXPECT_EQ(read_text(outside), "precious");
  EXPECT_EQ(read_mesh(file()).tetrahedra.size(), 3u);
  EXPECT_FALSE(fs::exists(directory / ("." + stem + ".part" + suffix)));
}

TEST(OpencarpFiles, WithoutFibersTakeTheFibersOfAnEarlierMeshAway) {
  const TemporaryDirectory directory;
  write_mesh(with_fibers(strip(3)), directory / "heart.pts");
  write_mesh(strip(5), directory / "heart.pts");
  EXPECT_EQ(read_mesh(directory / "heart.pts").fibers.size(), 0u);
}

TEST(OpencarpFiles, HaveARowOfZerosInPlaceOfAFibreForEachTriangle) {
  const TemporaryDirectory directory;
  Mesh mesh = strip(3);
  mesh.fibers = {{1, 0, 0}, {0, 1, 0}, {0, 0, -1}};
  write_mesh(mesh, directory / "heart.pts");
  std::string rows = "1\n1 0 0\n0 1 0\n0 0 -1\n";
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) rows += "0 0 0\n";
  EXPECT_EQ(read_text(directory / "heart.lon"), rows);
}

TEST(MeshFileNames, WithEachSuffixOfTheListsAreReadAndWritten) {
  const TemporaryDirectory directory;
  for (const std::string_view suffix : mesh_suffixes) {
    const fs::path file = directory / ("absent" + std::string(suffix));
    EXPECT_TRUE(has_mesh_suffix(file)) << suffix;
    EXPECT_EQ(input_error_of([&] { read_mesh(file); }).find("unknown mesh format"), std::string::npos) << suffix;
  }
  for (const std::string_view suffix : written_mesh_suffixes) {
    const fs::path file = directory / ("strip" + std::string(suffix));
    write_mesh(strip(3), file);
    EXPECT_EQ(read_mesh(file).tetrahedra, strip(3).tetrahedra) << suffix;
  }
  EXPECT_FALSE(has_mesh_suffix("heart.stl"));
  EXPECT_EQ(one_of_suffixes(written_mesh_suffixes), ".msh, .vtu or .pts");
}

TEST(MeshFileNames, WithAnUnknownSuffixListTheValidOnes) {
  const TemporaryDirectory directory;
  EXPECT_EQ(input_error_of([] { read_mesh("heart.stl"); }),
            "heart.stl: unknown mesh format '.stl': expected .msh (Gmsh), .vtu or .vtk (VTK), .pts (openCARP), .ele or "
            ".node (TetGen), .mesh (MEDIT), .vol (Netgen), .unv (I-DEAS) or .bdf or .nas (Nastran)");
  const fs::path file = directory / "heart.vtk";
  EXPECT_EQ(input_error_of([&] { write_mesh(strip(1), file); }),
            file.string() +
                ": cannot be written: unknown mesh format '.vtk': expected .msh (Gmsh), .vtu (VTK) or .pts (openCARP)");
  EXPECT_FALSE(fs::exists(file));
}

TEST(GmshModel, HasTheLowestGroupOfAnEntityThatIsInSeveral) {
  Mesh mesh;
  const GmshSession session;
  session.run("test", [&] {
    gmsh::model::occ::addBox(0, 0, 0, 1, 2, 3);
    gmsh::model::occ::synchronize();
    for (const int group : {9, 4, 5}) gmsh::model::addPhysicalGroup(3, {1}, group);
    for (const int group : {6, 8}) gmsh::model::addPhysicalGroup(2, {-1}, group);  // turned around
    gmsh::model::addPhysicalGroup(2, {-1, 2}, 7);
    gmsh::option::setNumber("Mesh.MeshSizeMin", 1.5);
    gmsh::model::mesh::generate(3);
    mesh = mesh_from_gmsh_model();
  });
  ASSERT_FALSE(mesh.tetrahedra.empty());
  EXPECT_EQ(std::set<int>(mesh.element_tags.begin(), mesh.element_tags.end()), std::set<int>{4});
  EXPECT_EQ(std::set<int>(mesh.triangle_tags.begin(), mesh.triangle_tags.end()), (std::set<int>{6, 7}));
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    const bool is_first = std::ranges::all_of(mesh.triangles[i], [&](Index node) { return mesh.nodes[node].x == 0; });
    EXPECT_EQ(mesh.triangle_tags[i], is_first ? 6 : 7);
  }
}

TEST(WritingGmsh, WithANegativeTagIsAnError) {
  const TemporaryDirectory directory;
  Mesh mesh = strip(2);
  mesh.element_tags[1] = -3;
  EXPECT_NE(input_error_of([&] { write_mesh(mesh, directory / "a.msh"); }).find("tag -3"), std::string::npos);
}

}  // namespace
}  // namespace cardiowarp
