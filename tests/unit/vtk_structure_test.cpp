#include <fmt/format.h>
#include <gmsh.h>
#include <gtest/gtest.h>
#include <vtkDataCompressor.h>
#include <vtkLZ4DataCompressor.h>
#include <vtkLZMADataCompressor.h>
#include <vtkSmartPointer.h>
#include <vtkUnstructuredGrid.h>
#include <vtkXMLUnstructuredGridReader.h>
#include <vtkXMLUnstructuredGridWriter.h>
#include <vtkZLibDataCompressor.h>

#include <filesystem>
#include <map>
#include <ostream>
#include <string>
#include <string_view>

#include "fem/mesh.hpp"
#include "meshes/gmsh_file.hpp"
#include "meshes/mesh_file.hpp"
#include "tests/support/mesh_text.hpp"

namespace cardiowarp {
namespace {

using test::input_error_of;
using test::read_text;
using test::replaced;
using test::TemporaryDirectory;
using test::vtk;
using test::vtk_cells;
using test::vtk_data;
using test::vtk_head;
using test::vtk_points;
using test::vtu;
using test::write_text;

class VtkStructure : public test::MeshTextTest {};

TEST_F(VtkStructure, OfASoundVtuFileIsAccepted) {
  const Mesh mesh = read("a.vtu", vtu);
  EXPECT_EQ(mesh.tetrahedra, (std::vector<Tetrahedron>{{0, 1, 2, 3}, {1, 2, 3, 4}}));
  EXPECT_EQ(mesh.element_tags, (std::vector<int>{7, 8}));
  EXPECT_EQ(mesh.triangle_tags, std::vector<int>{9});
}

TEST_F(VtkStructure, OfAVtuFileWithAnArrayOneValueShortNamesIt) {
  EXPECT_EQ(error("a.vtu", replaced(vtu, "7 8 9", "7 8")),
            "a.vtu: CellData: array 'region' holds 2 values: expected 3, one for each of the cells");
  EXPECT_EQ(error("a.vtu", replaced(vtu, " 2 2 2<", " 2 2<")),
            "a.vtu: Points: array '' holds 14 values: expected 3 for each of the 5 points");
  EXPECT_EQ(
      error("a.vtu", replaced(vtu, "0 1 2<", "0 1<")),
      "a.vtu: Cells: array 'connectivity' holds 10 node numbers: expected 11, where the last of the offsets ends");
  EXPECT_EQ(error("a.vtu", replaced(vtu, "10 10 5", "10 10")),
            "a.vtu: Cells: array 'types' holds 2 values: expected 3, one for each of the cells");
}

TEST_F(VtkStructure, OfAVtuFileWithSurplusValuesNamesTheArray) {
  EXPECT_EQ(error("a.vtu", replaced(vtu, "7 8 9", "7 8 9 9")),
            "a.vtu: CellData: array 'region' holds 4 values: expected 3, one for each of the cells");
  EXPECT_EQ(
      error("a.vtu", replaced(vtu, "0 1 2<", "0 1 2 3<")),
      "a.vtu: Cells: array 'connectivity' holds 12 node numbers: expected 11, where the last of the offsets ends");
  EXPECT_EQ(error("a.vtu", replaced(vtu, "4 8 11", "4 8 11 15")),
            "a.vtu: Cells: array 'offsets' holds 4 values: expected 3, one for each of the cells");
}

TEST_F(VtkStructure, OfAVtuFileWithAWordThatIsNoNumberNamesIt) {
  const std::string not_finite = " (not a finite number: VTK reads such from binary arrays, but not from text)";
  const auto region = [](const std::string& words) { return replaced(vtu, "7 8 9", words); };
  for (const char* word : {"BAAAAAEAAAA=", "8x", "8.5", "8e2", "3000000000", "-3000000000", "nan", "0x8", "+", "++8"})
    EXPECT_EQ(error("a.vtu", region(fmt::format("7 {} 9", word))),
              fmt::format("a.vtu: CellData: array 'region' holds '{}' in line 3: expected a number of the type Int32{}",
                          word, word == std::string("nan") ? not_finite : ""));
  EXPECT_EQ(read("a.vtu", region("+7 -8 9")).element_tags, (std::vector<int>{7, -8}));
  EXPECT_EQ(error("a.vtu", replaced(vtu, "<DataArray type=\"Int32\" Name=\"region\" format=\"ascii\">7 8 9",
                                    "<DataArray type=\"Int32\" Name=\"region\" format=\"bianry\">BAAA AAEA AAA=")),
            "a.vtu: CellData: array 'region' holds 'BAAA' in line 3: expected a number of the type Int32");
  const auto points = [](const std::string& word) { return replaced(vtu, "2 2 2<", "2 2 " + word + "<"); };
  for (const char* word : {"nan", "inf", "1e400", "2..5", "0x2"})
    EXPECT_EQ(error("a.vtu", points(word)),
              fmt::format("a.vtu: Points: array '' holds '{}' in line 4: expected a number of the type Float64{}", word,
                          word == std::string("nan") || word == std::string("inf") ? not_finite : ""));
  EXPECT_EQ(read("a.vtu", points("+2.5e-1")).nodes[4].z, 0.25);
  EXPECT_EQ(read("a.vtu", points("1e-400")).nodes[4].z, 0);
}

TEST_F(VtkStructure, OfAVtuFileWithAnArrayTwiceNamesIt) {
  const std::string array = "<DataArray type=\"Int32\" Name=\"region\" format=\"ascii\">7 8 9</DataArray>";
  EXPECT_EQ(error("a.vtu", replaced(vtu, array, array + array)), "a.vtu: CellData: array 'region' is given twice");
  EXPECT_EQ(error("a.vtu", replaced(vtu, "Name=\"offsets\"", "Name=\"types\"")),
            "a.vtu: Cells: array 'types' is given twice");
}

TEST_F(VtkStructure, OfAVtuFileWithACountThatIsNoneNamesIt) {
  EXPECT_EQ(error("a.vtu", replaced(vtu, "NumberOfComponents=\"3\"", "NumberOfComponents=\"-3\"")),
            "a.vtu: DataArray: NumberOfComponents: expected a whole number from 0 on, got '-3'");
  EXPECT_EQ(error("a.vtu", replaced(vtu, "NumberOfComponents=\"3\"", "NumberOfComponents=\"0\"")),
            "a.vtu: Points: array '' has 0 components");
  for (const std::string components : {"1", "5"})
    EXPECT_EQ(error("a.vtu", replaced(vtu, "NumberOfComponents=\"3\"", "NumberOfComponents=\"" + components + "\"")),
              "a.vtu: Points: array '' has " + components + " components: expected 3");
  EXPECT_EQ(error("a.vtu", replaced(vtu, "NumberOfCells=\"3\"", "NumberOfCells=\"99999999999999999999\"")),
            "a.vtu: Piece: NumberOfCells: expected a whole number from 0 on, got '99999999999999999999'");
  EXPECT_EQ(error("a.vtu", replaced(vtu, "NumberOfPoints=\"5\"", "")),
            "a.vtu: Piece: NumberOfPoints: expected a whole number from 0 on, got ''");
  EXPECT_EQ(error("a.vtu", replaced(vtu, "NumberOfPoints=\"5\"", "NumberOfPoints=\"9223372036854775807\"")),
            "a.vtu: Points: array '' holds 15 values: expected 3 for each of the 9223372036854775807 points");
}

TEST_F(VtkStructure, OfAVtuFileWithACellTypeBeyondAByteNamesTheCell) {
  EXPECT_EQ(error("a.vtu", replaced(vtu, "10 10 5", "10 266 5")),
            "a.vtu: Cells: array 'types' gives cell 1 the type 266: expected 0 to 255");
  EXPECT_EQ(error("a.vtu", replaced(vtu, "10 10 5", "10 10 -251")),
            "a.vtu: Cells: array 'types' gives cell 2 the type -251: expected 0 to 255");
  EXPECT_EQ(
      error("a.vtu", replaced(replaced(vtu, "10 10 5", "10 10 -251"), "Int32\" Name=\"types", "UInt8\" Name=\"types")),
      "a.vtu: Cells: array 'types' holds '-251' in line 8: expected a number of the type UInt8");
  // The same three numbers, 10 266 5, as base64 of 12 bytes.
  EXPECT_EQ(error("a.vtu", replaced(vtu, "Name=\"types\" format=\"ascii\">10 10 5",
                                    "Name=\"types\" format=\"binary\">DAAAAAoAAAAKAQAABQAAAA==")),
            "a.vtu: Cells: array 'types' gives cell 1 the type 266: expected 0 to 255");
}

TEST_F(VtkStructure, OfAVtuFileWithAnotherNumberOfStringsNamesTheArray) {
  const auto with = [](const char* tuples, const char* text) {
    return replaced(vtu, "<UnstructuredGrid>",
                    fmt::format("<UnstructuredGrid><FieldData><Array type=\"String\" Name=\"volume_names\" "
                                "NumberOfTuples=\"{}\" format=\"ascii\">{}</Array><DataArray type=\"Int32\" "
                                "Name=\"volume_tags\" NumberOfTuples=\"1\" format=\"ascii\">7</DataArray></FieldData>",
                                tuples, text));
  };
  EXPECT_EQ(read("a.vtu", with("1", "108 118 0")).volume_names, (std::map<std::string, int>{{"lv", 7}}));
  EXPECT_EQ(error("a.vtu", with("1", "108 118")), "a.vtu: FieldData: array 'volume_names' holds 0 strings: expected 1");
  EXPECT_EQ(error("a.vtu", with("1", "108 118 0 108 118 0")),
            "a.vtu: FieldData: array 'volume_names' holds 2 strings: expected 1");
  EXPECT_EQ(error("a.vtu", with("999999999999", "108 118 0")),
            "a.vtu: FieldData: array 'volume_names' holds 1 strings: expected 999999999999");
}

TEST_F(VtkStructure, OfAVtuFileWithoutASectionNamesIt) {
  EXPECT_EQ(error("a.vtu", replaced(vtu, "Name=\"offsets\"", "Name=\"offset\"")),
            "a.vtu: Cells: expected an array 'offsets'");
  EXPECT_EQ(error("a.vtu", replaced(replaced(vtu, "<Cells>", "<Zells>"), "</Cells>", "</Zells>")),
            "a.vtu: expected the element Cells");
  EXPECT_EQ(error("a.vtu", replaced(replaced(vtu, "<Points>", "<Cells>"), "</Points>", "</Cells>")),
            "a.vtu: Cells: expected an array 'connectivity'");
  EXPECT_EQ(error("a.vtu", replaced(vtu, "type=\"Int32\"", "type=\"Int33\"")),
            "a.vtu: CellData: array 'region' is of the unknown type 'Int33'");
}

TEST_F(VtkStructure, OfABase64ArrayThatIsCutOffNamesIt) {
  const std::string types = "Name=\"types\" format=\"binary\">";
  const auto with = [&](const char* base64) {
    return replaced(vtu, "Name=\"types\" format=\"ascii\">10 10 5", types + base64);
  };
  EXPECT_EQ(read("a.vtu", with("DAAAAAoAAAAKAAAABQAAAA==")).tetrahedra.size(), 2u);
  EXPECT_EQ(error("a.vtu", with("DAAAAAoAAAAKAAAABQAA")), "a.vtu: Cells: array 'types' is cut off");
  EXPECT_EQ(error("a.vtu", with("")),
            "a.vtu: Cells: array 'types' holds 0 values: expected 3, one for each of the cells");
  EXPECT_EQ(error("a.vtu", with("/////woAAAAKAAAABQAAAA==")), "a.vtu: Cells: array 'types' is cut off");
  EXPECT_EQ(error("a.vtu", with("DQAAAAoAAAAKAAAABQAAAAA=")),
            "a.vtu: Cells: array 'types' holds 13 bytes: expected a multiple of 4");
}

TEST_F(VtkStructure, OfACompressedArrayWithBlocksThatCannotBeNamesIt) {
  const std::string types = "Name=\"types\" format=\"binary\">";
  const auto with = [&](const char* base64) {
    return replaced(replaced(vtu, "Name=\"types\" format=\"ascii\">10 10 5", types + base64), "byte_order",
                    "compressor=\"vtkZLibDataCompressor\" byte_order");
  };
  // The numbers of blocks, bytes of each and of the last, compressed bytes; then these.
  EXPECT_EQ(error("a.vtu", with("AQAAAAAAAAAMAAAACAAAAA==AAAAAAAAAAA=")),  // 1, 0, 12, 8
            "a.vtu: Cells: array 'types' has 1 blocks of 0 bytes, the last of 12, in 8 bytes, which cannot be");
  EXPECT_EQ(error("a.vtu", with("AQAAAAQAAAAMAAAACAAAAA==AAAAAAAAAAA=")),  // 1, 4, 12, 8
            "a.vtu: Cells: array 'types' has 1 blocks of 4 bytes, the last of 12, in 8 bytes, which cannot be");
  EXPECT_EQ(error("a.vtu", with("AQAAAACUNXcAAAAACAAAAA==AAAAAAAAAAA=")),  // 1, 2000000000, 0, 8
            "a.vtu: Cells: array 'types' has 1 blocks of 2000000000 bytes, the last of 2000000000, in 8 bytes, which "
            "cannot be");
  EXPECT_EQ(error("a.vtu", with("AMqaOwQAAAAEAAAACAAAAA==AAAAAAAAAAA=")),  // 1000000000, 4, 4, 8
            "a.vtu: Cells: array 'types' is cut off");
  EXPECT_EQ(
      error("a.vtu", replaced(vtu, "byte_order", "compressor=\"zip\" byte_order")),
      "a.vtu: compressor: expected vtkZLibDataCompressor, vtkLZ4DataCompressor or vtkLZMADataCompressor, got 'zip'");
}

/// How VTK can write one file.
struct Way {
  const char* name;
  int mode;
  bool base64, big_endian, long_header;
  vtkDataCompressor* (*compressor)();
};
std::ostream& operator<<(std::ostream& stream, const Way& way) { return stream << way.name; }

vtkDataCompressor* none() { return nullptr; }
vtkDataCompressor* zlib() { return vtkZLibDataCompressor::New(); }
vtkDataCompressor* lz4() { return vtkLZ4DataCompressor::New(); }
vtkDataCompressor* lzma() { return vtkLZMADataCompressor::New(); }

constexpr int ascii = vtkXMLWriter::Ascii, in_line = vtkXMLWriter::Binary, appended = vtkXMLWriter::Appended;

class WrittenVtu : public testing::TestWithParam<Way> {
 protected:
  /// A mesh of so many tetrahedra as VTK writes it in this way.
  std::string text_of(int elements) {
    Mesh mesh;
    for (int i = 0; i < elements + 3; ++i) mesh.nodes.push_back({1.0 * i, 1.0 * i * i, 1.0 * i * i * i});
    for (int i = 0; i < elements; ++i) {
      mesh.tetrahedra.push_back({i, i + 1, i + 2, i + 3});
      mesh.element_tags.push_back(i % 5);
      mesh.fibers.push_back({1.0, 0, 0.25 * i});
    }
    mesh.volume_names = {{"left ventricle", 1}};
    write_mesh(mesh, directory / "plain.vtu");
    const vtkNew<vtkXMLUnstructuredGridReader> reader;
    reader->SetFileName((directory / "plain.vtu").c_str());
    const vtkNew<vtkXMLUnstructuredGridWriter> writer;
    writer->SetInputConnection(reader->GetOutputPort());
    writer->SetFileName((directory / "written.vtu").c_str());
    writer->SetDataMode(GetParam().mode);
    writer->SetEncodeAppendedData(GetParam().base64);
    writer->SetHeaderType(GetParam().long_header ? vtkXMLWriter::UInt64 : vtkXMLWriter::UInt32);
    if (GetParam().big_endian) writer->SetByteOrderToBigEndian();
    const auto compressor = vtkSmartPointer<vtkDataCompressor>::Take(GetParam().compressor());
    writer->SetCompressor(compressor);
    EXPECT_EQ(writer->Write(), 1);
    return read_text(directory / "written.vtu");
  }
  std::string error(std::string_view text) const {
    write_text(directory / "a.vtu", text);
    return input_error_of([&] { read_mesh(directory / "a.vtu"); });
  }

  TemporaryDirectory directory;
};

INSTANTIATE_TEST_SUITE_P(Ways, WrittenVtu,
                         testing::Values(Way{"ascii", ascii, false, false, false, none},
                                         Way{"base64", in_line, true, false, false, none},
                                         Way{"base64_zlib", in_line, true, false, true, zlib},
                                         Way{"base64_big_endian", in_line, true, true, true, none},
                                         Way{"raw", appended, false, false, true, none},
                                         Way{"raw_zlib", appended, false, false, true, zlib},
                                         Way{"raw_lz4_big_endian", appended, false, true, false, lz4},
                                         Way{"appended_base64_lzma", appended, true, false, false, lzma},
                                         Way{"appended_base64", appended, true, false, true, none}),
                         [](const auto& way) { return way.param.name; });

TEST_P(WrittenVtu, IsAcceptedAtAnySize) {
  for (const int elements : {1, 2, 1000, 5003}) {  // 5003: several compressed blocks
    write_text(directory / "a.vtu", text_of(elements));
    const Mesh mesh = read_mesh(directory / "a.vtu");
    ASSERT_EQ(mesh.tetrahedra.size(), static_cast<std::size_t>(elements));
    EXPECT_EQ(mesh.tetrahedra.back(), (Tetrahedron{elements - 1, elements, elements + 1, elements + 2}));
    EXPECT_EQ(mesh.fibers.back(), (Vector3{1, 0, 0.25 * (elements - 1)}));
    EXPECT_EQ(mesh.volume_names.at("left ventricle"), 1);
  }
}

TEST_P(WrittenVtu, WithACountThatIsOneOffIsRefused) {
  const std::string text = text_of(5003);
  for (const char* cells : {"5002", "5004", "0"}) {
    const std::string message =
        error(replaced(text, "NumberOfCells=\"5003\"", "NumberOfCells=\"" + std::string(cells) + "\""));
    EXPECT_NE(message.find("a.vtu: CellData: array 'region' holds 5003 values: expected "), std::string::npos)
        << message;
  }
  for (const char* points : {"5005", "5007", "0"}) {
    const std::string message =
        error(replaced(text, "NumberOfPoints=\"5006\"", "NumberOfPoints=\"" + std::string(points) + "\""));
    EXPECT_NE(message.find("a.vtu: Points: array 'Points' holds 15018 values: expected 3 for each"), std::string::npos)
        << message;
  }
}

TEST_P(WrittenVtu, CutOffAndClosedAgainIsRefused) {
  const std::string text = text_of(7);
  const std::string end = text.substr(text.find(GetParam().mode == appended ? "</AppendedData" : "</UnstructuredGrid"));
  const std::size_t begin = text.find("<Cells>"), last = text.find_last_not_of(" \n", text.size() - end.size() - 1);
  for (std::size_t size = begin; size < (GetParam().mode == appended ? last : text.find("</Piece>")); size += 13)
    EXPECT_NE(error(text.substr(0, size) + "\n" + end).find("a.vtu: "), std::string::npos) << size;
}

TEST_F(VtkStructure, OfASoundLegacyFileIsAccepted) {
  EXPECT_EQ(read("a.vtk", vtk).element_tags, (std::vector<int>{2, 3}));
  EXPECT_EQ(read("a.vtk", vtk_head +
                              "FIELD FieldData 2\nnames 1 2 string\nleft ventricle\nrv\n"
                              "METADATA\nCOMPONENT_NAMES\na\n\nTIME 1 1 double\n3.5\n" +
                              vtk_points + "METADATA\nINFORMATION 0\n\n" + vtk_cells +
                              "POINT_DATA 5\nTEXTURE_COORDINATES t 2 float\n0 0 0 1 1 0 1 1 2 2\nFIELD attributes 1\n"
                              "displacement 3 5 float\n1 2 3 1 2 3 1 2 3 1 2 3 1 2 3\n" +
                              vtk_data +
                              "LOOKUP_TABLE mine 2\n0 0 0 1 1 1 1 1\nCOLOR_SCALARS c 2\n0 1 0 1 0 1\n"
                              "TENSORS d double\n1 0 0 0 1 0 0 0 1 1 0 0 0 1 0 0 0 1 1 0 0 0 1 0 0 0 1\n")
                .element_tags,
            (std::vector<int>{2, 3}));
}

TEST_F(VtkStructure, OfALegacyFileOfVersion5IsChecked) {
  const std::string head = replaced(vtk_head, "3.0", "5.1") + vtk_points;
  const std::string offsets = "CELLS 3 8\nOFFSETS vtktypeint64\n0 4 8\n";
  const std::string rest = "CONNECTIVITY vtktypeint64\n0 1 2 3 1 2 3 4\nCELL_TYPES 2\n10\n10\n";
  EXPECT_EQ(read("a.vtk", head + offsets + rest).tetrahedra.size(), 2u);
  EXPECT_EQ(error("a.vtk", head + replaced(offsets, "0 4 8", "0 9 8") + rest),
            "a.vtk:9: CELLS: offset 2 is 8: expected 9 or more");
  EXPECT_EQ(error("a.vtk", head + replaced(offsets, "0 4 8", "0 4 7") + rest),
            "a.vtk:9: CELLS: the last offset is 7: expected the number of node numbers, 8");
  EXPECT_EQ(error("a.vtk", head + replaced(offsets, "0 4 8", "1 4 8") + rest),
            "a.vtk:9: CELLS: offset 0 is 1: expected 0");
  EXPECT_EQ(error("a.vtk", head + offsets + replaced(rest, "3 4\n", "3\n")),
            "a.vtk:12: CELLS: expected a number of the type vtktypeint64, got 'CELL_TYPES'");
}

TEST_F(VtkStructure, OfALegacyFileWithCellsThatDoNotFitIsRefused) {
  EXPECT_EQ(error("a.vtk", replaced(vtk, "CELLS 3 13", "CELLS 3 10")),
            "a.vtk:10: CELLS: row 2 has 4 nodes, but 1 of the 10 numbers of CELLS are left");
  EXPECT_EQ(error("a.vtk", replaced(vtk, "CELLS 3 13\n2 0 1\n", "CELLS 3 10\n")),
            "a.vtk:9: CELLS: expected 3 rows, got 2 in 10 numbers");
  EXPECT_EQ(error("a.vtk", replaced(vtk, "CELLS 3 13", "CELLS 3 14")),
            "a.vtk:10: CELLS: the 3 rows have 13 numbers: expected 14");
  EXPECT_EQ(error("a.vtk", replaced(vtk, "4 1 2 3 4\n", "5 1 2 3 4\n")),
            "a.vtk:10: CELLS: row 2 has 5 nodes, but 4 of the 13 numbers of CELLS are left");
  EXPECT_EQ(error("a.vtk", replaced(vtk, "4 1 2 3 4\n", "-4 1 2 3 4\n")),
            "a.vtk:10: CELLS: row 2 has -4 nodes, but 4 of the 13 numbers of CELLS are left");
  EXPECT_EQ(error("a.vtk", replaced(vtk, "CELLS 3 13", "CELLS 3 9000000000000000000")),
            "a.vtk:7: expected 9000000000000000000 x 1 numbers of type int, got the end of the file (truncated?)");
}

TEST_F(VtkStructure, OfALegacyFileWithOtherCountsIsRefused) {
  EXPECT_EQ(error("a.vtk", replaced(vtk, "CELL_TYPES 3\n3\n", "CELL_TYPES 2\n")),
            "a.vtk:17: CELL_TYPES are 2, CELLS are 3");
  EXPECT_EQ(error("a.vtk", replaced(vtk, "CELL_DATA 3", "CELL_DATA 4")),
            "a.vtk:15: CELL_DATA is for 4: expected 3, the number of cells");
  EXPECT_EQ(error("a.vtk", replaced(vtk, "POINTS 5", "POINTS 4")), "a.vtk:6: expected the next section, got '2'");
  EXPECT_EQ(error("a.vtk", replaced(vtk, "POINTS 5", "POINTS 6")),
            "a.vtk:7: POINTS: expected a number of the type double, got 'CELLS'");
  EXPECT_EQ(error("a.vtk", replaced(vtk, "POINTS 5", "POINTS -5")), "a.vtk:5: expected the number of points, got '-5'");
  EXPECT_EQ(error("a.vtk", replaced(vtk, "default\n1 2 3\n", "default\n1 2 3 4\n")),
            "a.vtk:18: expected the next array or section, got '4'");
  EXPECT_EQ(error("a.vtk", vtk + vtk_points), "a.vtk:19: POINTS is given twice");
  EXPECT_EQ(error("a.vtk", vtk + vtk_data.substr(12)), "a.vtk:19: array 'region' is given twice");
}

TEST_F(VtkStructure, OfALegacyFileWithACellTypeBeyondAByteNamesTheCell) {
  EXPECT_EQ(error("a.vtk", replaced(vtk, "3\n10\n10\n", "3\n266\n10\n")),
            "a.vtk:13: CELL_TYPES: cell 1 has the type 266: expected 0 to 255");
  EXPECT_EQ(error("a.vtk", replaced(vtk, "3\n10\n10\n", "3\n10\n-246\n")),
            "a.vtk:14: CELL_TYPES: cell 2 has the type -246: expected 0 to 255");
  for (const std::string type : {"-1", "256"})
    EXPECT_EQ(error("a.vtk", replaced(vtk, "3\n10\n10\n", "3\n" + type + "\n10\n")),
              "a.vtk:13: CELL_TYPES: cell 1 has the type " + type + ": expected 0 to 255");
}

TEST_F(VtkStructure, OfALegacyFileWithAHugeStringCountIsRefused) {
  EXPECT_EQ(error("a.vtk", vtk_head + "FIELD FieldData 1\nnames 1 999999999999 string\nlv\n" + vtk_points + vtk_cells),
            "a.vtk:6: expected 999999999999 x 1 strings, got the end of the file (truncated?)");
}

TEST_F(VtkStructure, OfGmshsOwnBinaryLegacyFileIsRead) {
  Mesh mesh;
  mesh.nodes = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {2, 2, 2}};
  mesh.tetrahedra = {{0, 1, 2, 3}, {1, 2, 3, 4}};
  mesh.element_tags = {3, 4};
  write_mesh(mesh, directory / "a.msh");
  {
    const GmshSession gmsh;
    gmsh::open((directory / "a.msh").string());
    gmsh::option::setNumber("Mesh.Binary", 1);
    gmsh::write((directory / "a.vtk").string());
  }
  const std::string text = read_text(directory / "a.vtk");
  ASSERT_NE(text.back(), '\n');
  EXPECT_EQ(read_mesh(directory / "a.vtk").tetrahedra, mesh.tetrahedra);
  EXPECT_EQ(read_mesh(directory / "a.vtk").nodes, mesh.nodes);
  // One byte less is a type that is cut off.
  EXPECT_NE(error("b.vtk", text.substr(0, text.size() - 1)), "");
}

}  // namespace
}  // namespace cardiowarp
