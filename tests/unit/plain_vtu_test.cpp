// Plain .vtu files are read without VTK (meshes/plain_vtu.hpp), as VTK reads them; all others are left to VTK.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <vtkBase64Utilities.h>
#include <vtkCellData.h>
#include <vtkDoubleArray.h>
#include <vtkFloatArray.h>
#include <vtkLZ4DataCompressor.h>
#include <vtkLongLongArray.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkPoints.h>
#include <vtkShortArray.h>
#include <vtkUnsignedCharArray.h>
#include <vtkUnstructuredGrid.h>
#include <vtkXMLUnstructuredGridReader.h>
#include <vtkXMLUnstructuredGridWriter.h>
#include <vtkZLibDataCompressor.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "fem/input_error.hpp"
#include "fem/mesh.hpp"
#include "meshes/plain_vtu.hpp"
#include "meshes/vtk_file.hpp"
#include "meshes/vtu_encoding.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/text_file.hpp"

namespace cardiowarp {
namespace {

using Bits = std::vector<std::uint64_t>;

Bits bits_of(const std::vector<Vector3>& vectors) {
  Bits bits;
  for (const Vector3& v : vectors)
    for (const Real x : {v.x, v.y, v.z}) bits.push_back(std::bit_cast<std::uint64_t>(x));
  return bits;
}

/// Everything that a reader of VTK files fills, bit for bit.
void expect_same(const Mesh& found, const Mesh& expected) {
  EXPECT_EQ(bits_of(found.nodes), bits_of(expected.nodes));
  EXPECT_EQ(found.tetrahedra, expected.tetrahedra);
  EXPECT_EQ(found.element_tags, expected.element_tags);
  EXPECT_EQ(bits_of(found.fibers), bits_of(expected.fibers));
  EXPECT_EQ(found.triangles, expected.triangles);
  EXPECT_EQ(found.triangle_tags, expected.triangle_tags);
  EXPECT_EQ(found.volume_names, expected.volume_names);
  EXPECT_EQ(found.surface_names, expected.surface_names);
  EXPECT_EQ(found.edge_nodes, expected.edge_nodes);
  EXPECT_EQ(found.triangle_edge_nodes, expected.triangle_edge_nodes);
  EXPECT_EQ(found.remarks, expected.remarks);
  EXPECT_TRUE(found.further_element_tags.sets.empty() && expected.further_element_tags.sets.empty());
  ASSERT_EQ(found.arrays.size(), expected.arrays.size());
  for (std::size_t i = 0; i < found.arrays.size(); ++i) {
    EXPECT_EQ(found.arrays[i].name, expected.arrays[i].name);
    EXPECT_EQ(found.arrays[i].components, expected.arrays[i].components);
    EXPECT_EQ(found.arrays[i].of_points, expected.arrays[i].of_points);
  }
  ASSERT_EQ(found.values.size(), expected.values.size());
  for (std::size_t i = 0; i < found.values.size(); ++i) {
    EXPECT_EQ(found.values[i].name, expected.values[i].name);
    EXPECT_EQ(found.values[i].of_points, expected.values[i].of_points);
    EXPECT_EQ(found.values[i].values, expected.values[i].values);
  }
}

class PlainVtu : public testing::Test {
 protected:
  using Change = std::function<void(vtkUnstructuredGrid&, vtkXMLUnstructuredGridWriter&)>;

  /// A bar with names and fibers, 3 × 2 × 1 boxes of tetrahedra, as a grid of VTK's.
  vtkSmartPointer<vtkUnstructuredGrid> grid(bool quadratic = false) const {
    Mesh mesh = slab();
    if (quadratic) mesh = with_edge_nodes(mesh);
    write_vtu_file(mesh, directory / "begin.vtu");
    const vtkNew<vtkXMLUnstructuredGridReader> reader;
    reader->SetFileName((directory / "begin.vtu").c_str());
    reader->Update();
    return reader->GetOutput();
  }

  static Mesh slab();
  static Mesh with_edge_nodes(const Mesh& mesh);

  /// The grid written by VTK, by default inline and compressed, after `change`.
  std::filesystem::path written(const Change& change, bool quadratic = false) const {
    const auto whole = grid(quadratic);
    const vtkNew<vtkXMLUnstructuredGridWriter> writer;
    const std::filesystem::path file = directory / "grid.vtu";
    writer->SetFileName(file.c_str());
    writer->SetInputData(whole);
    writer->SetDataModeToBinary();
    writer->SetBlockSize(192);  // so that there are several
    change(*whole, *writer);
    EXPECT_EQ(writer->Write(), 1);
    return file;
  }

  void expect_read(const Change& change, const VtkArrayNames& names = {}, bool quadratic = false) const {
    const std::filesystem::path file = written(change, quadratic);
    const std::optional<Mesh> mesh = read_plain_vtu(file, names);
    ASSERT_TRUE(mesh.has_value());
    EXPECT_GT(mesh->tetrahedra.size(), 20U);
    expect_same(*mesh, read_vtk_file(file, names));
  }
  void expect_left(const Change& change, const VtkArrayNames& names = {}) const {
    EXPECT_FALSE(read_plain_vtu(written(change), names).has_value());
  }

  test::TemporaryDirectory directory;
};

template <class Array>
vtkSmartPointer<Array> numbers(const char* name, int components, vtkIdType tuples) {
  auto array = vtkSmartPointer<Array>::New();
  array->SetName(name);
  array->SetNumberOfComponents(components);
  array->SetNumberOfTuples(tuples);
  for (vtkIdType tuple = 0; tuple < tuples; ++tuple)
    for (int k = 0; k < components; ++k)
      array->SetComponent(tuple, k, static_cast<int>((tuple * components + k) % 13) - 4);
  return array;
}

Mesh PlainVtu::slab() {
  Mesh mesh;
  for (int k = 0; k < 2; ++k)
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 4; ++i) mesh.nodes.push_back({0.1 + i, j / 3.0, k * 1.7});
  const auto node = [](int i, int j, int k) { return static_cast<Index>(i + 4 * (j + 3 * k)); };
  for (int j = 0; j < 2; ++j)
    for (int i = 0; i < 3; ++i) {
      const Index c[8] = {node(i, j, 0), node(i + 1, j, 0), node(i, j + 1, 0), node(i + 1, j + 1, 0),
                          node(i, j, 1), node(i + 1, j, 1), node(i, j + 1, 1), node(i + 1, j + 1, 1)};
      for (const Tetrahedron& t : {Tetrahedron{c[0], c[1], c[3], c[7]},
                                   {c[0], c[3], c[2], c[7]},
                                   {c[0], c[2], c[6], c[7]},
                                   {c[0], c[6], c[4], c[7]},
                                   {c[0], c[4], c[5], c[7]},
                                   {c[0], c[5], c[1], c[7]}}) {
        mesh.tetrahedra.push_back(t);
        mesh.element_tags.push_back(3 + i);
        mesh.fibers.push_back({1, 0.1 * static_cast<Real>(mesh.fibers.size()), -0.25});
      }
    }
  mesh.triangles = {{0, 1, 5}, {0, 5, 4}};
  mesh.triangle_tags = {7, 2};
  mesh.volume_names = {{"base", 3}, {"middle of all", 4}, {"tip", 5}};
  mesh.surface_names = {{"below", 7}};
  return mesh;
}

/// With further nodes, two of which stand for all edges.
Mesh PlainVtu::with_edge_nodes(const Mesh& mesh) {
  Mesh quadratic = mesh;
  quadratic.nodes.push_back({9, 9, 9});
  quadratic.nodes.push_back({8, 9, 9});
  const auto n = static_cast<Index>(mesh.nodes.size());
  quadratic.edge_nodes.assign(mesh.tetrahedra.size(), {n, n + 1, n, n + 1, n + 1, n});
  quadratic.triangle_edge_nodes.assign(mesh.triangles.size(), {n + 1, n, n});
  return quadratic;
}

TEST_F(PlainVtu, IsReadAsVtkReadsItHoweverItIsStored) {
  for (const bool compressed : {true, false})
    for (const bool wide : {true, false})
      for (const char* mode : {"inline", "raw", "base64"}) {
        SCOPED_TRACE(std::string(mode) + (compressed ? " compressed" : "") + (wide ? " wide" : ""));
        if (mode != std::string("inline") && !appended_data_is_readable_here()) continue;
        expect_read([&](vtkUnstructuredGrid&, vtkXMLUnstructuredGridWriter& writer) {
          if (!compressed) writer.SetCompressor(nullptr);
          wide ? writer.SetHeaderTypeToUInt64() : writer.SetHeaderTypeToUInt32();
          if (mode == std::string("inline")) return;
          writer.SetDataModeToAppended();
          writer.SetEncodeAppendedData(mode == std::string("base64"));
        });
      }
}

TEST_F(PlainVtu, IsReadWithEveryTypeOfNumbers) {
  expect_read(
      [](vtkUnstructuredGrid& grid, vtkXMLUnstructuredGridWriter&) {
        const vtkNew<vtkPoints> points;
        points->SetDataTypeToFloat();
        points->DeepCopy(grid.GetPoints());
        grid.SetPoints(points);
        grid.GetCellData()->RemoveArray("region");
        grid.GetCellData()->AddArray(numbers<vtkShortArray>("tag", 1, grid.GetNumberOfCells()));
        grid.GetCellData()->AddArray(numbers<vtkFloatArray>("scale", 1, grid.GetNumberOfCells()));
        grid.GetPointData()->AddArray(numbers<vtkLongLongArray>("number", 1, grid.GetNumberOfPoints()));
        grid.GetPointData()->AddArray(numbers<vtkUnsignedCharArray>("color", 3, grid.GetNumberOfPoints()));
      },
      {"", "", {"scale", "number", "absent"}});
}

TEST_F(PlainVtu, IsReadWithQuadraticTetrahedra) {
  expect_read([](vtkUnstructuredGrid&, vtkXMLUnstructuredGridWriter&) {}, {}, true);
}

TEST_F(PlainVtu, IsReadWithPointsAndLinesAmongItsCellsAndArraysByName) {
  expect_read(
      [](vtkUnstructuredGrid& grid, vtkXMLUnstructuredGridWriter&) {
        const vtkIdType line[] = {1, 2, 3};
        grid.GetCellData()->Initialize();
        grid.InsertNextCell(VTK_POLY_LINE, 3, line);
        grid.InsertNextCell(VTK_VERTEX, 1, line);
        const vtkIdType last[] = {0, 1, 5, 23};
        grid.InsertNextCell(VTK_TETRA, 4, last);
        grid.GetCellData()->AddArray(numbers<vtkDoubleArray>("kind", 1, grid.GetNumberOfCells()));
        grid.GetCellData()->AddArray(numbers<vtkFloatArray>("direction", 3, grid.GetNumberOfCells()));
      },
      {"kind", "direction"});
}

TEST_F(PlainVtu, IsWhatOurOwnMeshesAre) {
  if (!appended_data_is_readable_here()) GTEST_SKIP() << "VTK reads no appended data here";
  const auto file = directory / "own.vtu";
  write_vtu_file(slab(), file);
  const std::optional<Mesh> mesh = read_plain_vtu(file, {});
  ASSERT_TRUE(mesh.has_value());
  expect_same(*mesh, read_vtk_file(file));
  EXPECT_EQ(mesh->fibers.size(), 36U);
}

TEST_F(PlainVtu, IsNoFileThatOnlyVtkUnderstands) {
  using Grid = vtkUnstructuredGrid;
  using Writer = vtkXMLUnstructuredGridWriter;
  expect_left([](Grid&, Writer& writer) { writer.SetDataModeToAscii(); });
  expect_left([](Grid&, Writer& writer) { writer.SetByteOrderToBigEndian(); });
  expect_left([](Grid&, Writer& writer) {
    const vtkNew<vtkLZ4DataCompressor> compressor;
    writer.SetCompressor(compressor);
  });
  expect_left([](Grid& grid, Writer&) {
    grid.GetCellData()->AddArray(numbers<vtkUnsignedCharArray>("vtkGhostType", 1, grid.GetNumberOfCells()));
  });
  expect_left([](Grid& grid, Writer&) {
    grid.GetCellData()->AddArray(numbers<vtkUnsignedCharArray>("group:3", 1, grid.GetNumberOfCells()));
  });
  expect_left(
      [](Grid& grid, Writer&) {
        grid.GetPointData()->AddArray(numbers<vtkDoubleArray>("mine", 3, grid.GetNumberOfPoints()));
      },
      {"", "mine"});
  expect_left([](Grid& grid, Writer&) {
    grid.GetCellData()->RemoveArray("region");
    grid.GetCellData()->AddArray(numbers<vtkDoubleArray>("region", 3, grid.GetNumberOfCells()));
  });
  expect_left([](Grid&, Writer&) {}, {"fiber", ""});
  expect_left([](Grid&, Writer& writer) { writer.SetNumberOfPieces(2); });
  expect_left([](Grid& grid, Writer&) {
    const vtkIdType cube[] = {0, 1, 5, 4, 12, 13, 17, 16};
    grid.InsertNextCell(VTK_HEXAHEDRON, 8, cube);
    grid.GetCellData()->Initialize();
  });
}

TEST_F(PlainVtu, IsNoTextWithWhatHasToBeInterpreted) {
  const std::string text = test::read_text(written([](vtkUnstructuredGrid&, vtkXMLUnstructuredGridWriter&) {}));
  const auto is_plain = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    const std::size_t at = changed.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    changed.replace(at, from.size(), to);
    test::write_text(directory / "changed.vtu", changed);
    return read_plain_vtu(directory / "changed.vtu", {}).has_value();
  };
  EXPECT_TRUE(is_plain("<Piece ", "<Piece\n  "));
  EXPECT_TRUE(is_plain("<Points>", "<Points >"));
  EXPECT_TRUE(is_plain("<Points>", "<!-- here --> <!----><Points>"));
  EXPECT_FALSE(is_plain("<Points>", "<!-- here -- and there --><Points>"));
  EXPECT_FALSE(is_plain("<Points>", "<!-- <AppendedData encoding=\"raw\"> --><Points>"));
  EXPECT_FALSE(is_plain("<Points>", "<!-- here <Points>"));
  EXPECT_FALSE(is_plain("\"region\"", "\"&#114;egion\""));
  EXPECT_FALSE(is_plain("</Points>", "</Points><Points></Points>"));
  EXPECT_FALSE(is_plain("<Points>", "<Places/><Points>"));
  EXPECT_FALSE(is_plain("</VTKFile>", "</VTKFile> and more"));
  EXPECT_FALSE(is_plain("</VTKFile>", ""));
  EXPECT_FALSE(is_plain("</Piece>", ""));
  EXPECT_FALSE(is_plain("NumberOfPoints=\"24\"", "NumberOfPoints=\"23\""));
  EXPECT_FALSE(is_plain("NumberOfCells=\"38\"", "NumberOfCells=\"37\""));
  EXPECT_FALSE(is_plain("Name=\"offsets\"", "Name=\"offset\""));
  EXPECT_FALSE(is_plain("Name=\"fiber\"", "Name=\"region\""));
  EXPECT_FALSE(is_plain("type=\"Float64\" Name=\"fiber\"", "type=\"Float16\" Name=\"fiber\""));
}

TEST_F(PlainVtu, IsReadWithTheCommentOfMeshio) {
  const std::string text = test::read_text(written([](vtkUnstructuredGrid&, vtkXMLUnstructuredGridWriter&) {}));
  const auto file = directory / "commented.vtu";
  const std::size_t at = text.find("<UnstructuredGrid>");
  test::write_text(file, text.substr(0, at) + "<!--This file was created by meshio v5.3.5-->\n" + text.substr(at));
  const std::optional<Mesh> mesh = read_plain_vtu(file, {});
  ASSERT_TRUE(mesh.has_value());
  expect_same(*mesh, read_vtk_file(file));
}

std::string base64(const std::string& bytes) {
  std::vector<unsigned char> text(2 * bytes.size() + 8);
  const auto* const begin = reinterpret_cast<const unsigned char*>(bytes.data());
  return {text.begin(),
          text.begin() + static_cast<std::ptrdiff_t>(vtkBase64Utilities::Encode(begin, bytes.size(), text.data()))};
}

TEST_F(PlainVtu, IsNoFileWhoseArraysTakeMoreThanAFileOfItsSizeMay) {
  const std::string text = test::read_text(
      written([](vtkUnstructuredGrid&, vtkXMLUnstructuredGridWriter& writer) { writer.SetHeaderTypeToUInt64(); }));
  const std::size_t at = text.find("<PointData>");
  ASSERT_NE(at, std::string::npos);
  const std::vector<unsigned char> zeros(24 << 14);  // a block: 16384 components at 24 points
  std::vector<unsigned char> block(zeros.size());
  const vtkNew<vtkZLibDataCompressor> zlib;
  block.resize(zlib->Compress(zeros.data(), zeros.size(), block.data(), block.size()));
  const auto with_blocks = [&](std::size_t blocks) {
    Bits head{blocks, zeros.size(), 0};
    head.resize(3 + blocks, block.size());
    std::string compressed;
    for (std::size_t i = 0; i < blocks; ++i) compressed.append(block.begin(), block.end());
    test::write_text(directory / "zeros.vtu",
                     fmt::format(R"({}<PointData><DataArray type="UInt8" Name="zeros" NumberOfComponents="{}" )"
                                 R"(format="binary">{}{}</DataArray>{})",
                                 text.substr(0, at), blocks << 14,
                                 base64({reinterpret_cast<const char*>(head.data()), head.size() * sizeof(head[0])}),
                                 base64(compressed), text.substr(at + std::string("<PointData>").size())));
    return read_plain_vtu(directory / "zeros.vtu", {}).has_value();
  };
  EXPECT_TRUE(with_blocks(60));
  EXPECT_FALSE(with_blocks(1300));  // 487 MiB in half a megabyte
}

TEST_F(PlainVtu, IsReadAsVtkReadsItOrLeftWhereBytesAreWrong) {
  const std::string text = test::read_text(written([](vtkUnstructuredGrid&, vtkXMLUnstructuredGridWriter&) {}));
  std::minstd_rand random(41);
  int read = 0;
  for (int change = 0; change < 1000; ++change) {
    std::string changed = text;
    for (int count = 1 + change % 2; count > 0; --count)
      changed[random() % changed.size()] = static_cast<char>(random() % 128);
    test::write_text(directory / "changed.vtu", changed);
    const std::optional<Mesh> mesh = read_plain_vtu(directory / "changed.vtu", {});
    if (!mesh) continue;
    ++read;
    SCOPED_TRACE(change);
    try {
      expect_same(*mesh, read_vtk_file(directory / "changed.vtu"));
    } catch (const InputError& error) {  // VTK looks into its own notes on arrays, which no mesh has
      EXPECT_NE(std::string(error.what()).find("InformationKey"), std::string::npos) << error.what();
    }
    if (HasFailure()) break;
  }
  EXPECT_GT(read, 5);
}

}  // namespace
}  // namespace cardiowarp
