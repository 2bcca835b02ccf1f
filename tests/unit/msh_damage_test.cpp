// .msh files by careless exporters, broken copies and worse: each is read right or refused in words.

#include <gmsh.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "fem/mesh_check.hpp"
#include "meshes/gmsh_file.hpp"
#include "meshes/mesh_file.hpp"
#include "meshes/msh_file.hpp"
#include "tests/support/mesh_text.hpp"
#include "tests/support/small_mesh.hpp"

namespace cardiowarp {
namespace {

namespace fs = std::filesystem;
using test::input_error_of;
using test::read_text;
using test::replaced;
using test::TemporaryDirectory;
using test::write_text;

struct MshKind {
  const char* name;
  double version;
  bool binary;
};

std::ostream& operator<<(std::ostream& stream, const MshKind& kind) { return stream << kind.name; }

/// A small mesh in every kind of .msh, as Gmsh writes it, with results of its nodes behind it.
class DamagedMsh : public testing::TestWithParam<MshKind> {
 protected:
  void SetUp() override {
    write_mesh(test::small_mesh(), file);
    const GmshSession gmsh;
    gmsh::open(file.string());
    gmsh::option::setNumber("Mesh.MshFileVersion", GetParam().version);
    gmsh::option::setNumber("Mesh.Binary", GetParam().binary ? 1 : 0);
    gmsh::option::setNumber("Mesh.PreserveNumberingMsh2", 1);
    gmsh::write(file.string());
    std::string model;
    gmsh::model::getCurrent(model);
    const int view = gmsh::view::add("potential");
    gmsh::view::addModelData(view, 0, model, "NodeData", {1, 2, 3, 4, 5}, {{1.5}, {2.5}, {3.5}, {4.5}, {5.5}});
    gmsh::option::setNumber("PostProcessing.SaveMesh", 0);
    gmsh::view::write(view, file.string(), true);
    whole = read_text(file);
  }

  static void expect_small_mesh(const Mesh& mesh, const std::string& where) {
    const Mesh small = test::small_mesh();
    EXPECT_EQ(mesh.nodes, small.nodes) << where;
    EXPECT_EQ(mesh.tetrahedra, small.tetrahedra) << where;
    EXPECT_EQ(mesh.element_tags, small.element_tags) << where;
    EXPECT_EQ(mesh.triangles, small.triangles) << where;
    EXPECT_EQ(mesh.triangle_tags, small.triangle_tags) << where;
    EXPECT_EQ(mesh.volume_names, small.volume_names) << where;
    EXPECT_EQ(mesh.surface_names, small.surface_names) << where;
  }

  TemporaryDirectory directory;
  const fs::path file = directory / "a.msh";
  std::string whole;
};

INSTANTIATE_TEST_SUITE_P(Kinds, DamagedMsh,
                         testing::Values(MshKind{"ascii_2_2", 2.2, false}, MshKind{"binary_2_2", 2.2, true},
                                         MshKind{"ascii_4_1", 4.1, false}, MshKind{"binary_4_1", 4.1, true}),
                         [](const auto& kind) { return kind.param.name; });

TEST_P(DamagedMsh, CutAtAnyByteIsRefusedOrMissesNothingThatIsRead) {
  ASSERT_NE(whole.find("$NodeData"), std::string::npos);
  const std::size_t mesh = whole.find("$EndElements");
  for (std::size_t size = whole.size(); size > 0; --size) {
    fs::resize_file(file, size);
    const std::string where = std::to_string(size) + " of " + std::to_string(whole.size()) + " bytes";
    const std::size_t end = whole.rfind("\n$End", size - 1), end_of_line = whole.find('\n', end + 1);
    const bool whole_sections =
        end != std::string::npos && end + 1 >= mesh && (size == end_of_line || size == end_of_line + 1);
    if (whole_sections)
      expect_small_mesh(read_msh_file(file), where);
    else
      EXPECT_TRUE(input_error_of([&] { read_msh_file(file); }).starts_with(file.string())) << where;
  }
}

TEST_P(DamagedMsh, WithOneWrongByteIsRefusedOrIsAMeshThatCanBeChecked) {
  constexpr int cases = 10000;
  constexpr std::uint32_t seed = 20260101;
  std::mt19937 random(seed);
  int refused = 0;
  std::fstream bytes(file, std::ios::binary | std::ios::in | std::ios::out);
  const auto put = [&](std::size_t at, char byte) {
    bytes.seekp(static_cast<std::streamoff>(at));
    bytes.put(byte);
    bytes.flush();
  };
  for (int i = 0; i < cases; ++i) {
    const std::size_t at = random() % whole.size();
    const auto wrong = static_cast<char>(random());
    SCOPED_TRACE("seed " + std::to_string(seed) + ", case " + std::to_string(i) + ", byte " + std::to_string(at));
    put(at, wrong);
    try {
      Mesh mesh = read_msh_file(file);
      const auto nodes = static_cast<Index>(mesh.nodes.size());
      ASSERT_EQ(mesh.tetrahedra.size(), mesh.element_tags.size());
      ASSERT_EQ(mesh.triangles.size(), mesh.triangle_tags.size());
      for (const auto& corners : mesh.tetrahedra)
        for (const Index node : corners) ASSERT_TRUE(node >= 0 && node < nodes);
      check_mesh(mesh);
    } catch (const InputError& error) {
      ++refused;
    }
    put(at, whole[at]);
  }
  expect_small_mesh(read_msh_file(file), "undamaged again");
  EXPECT_GT(refused, 0);
  EXPECT_LT(refused, cases);
}

TEST_P(DamagedMsh, BesideAScriptThatGmshWouldExecuteIsReadWithoutExecutingIt) {
  const fs::path trace = directory / "executed";
  write_text(directory / "a.msh.opt", "SystemCall 'touch " + trace.string() + "';\n");
  {
    const GmshSession gmsh;
    gmsh::open(file.string());
  }
  ASSERT_TRUE(fs::remove(trace)) << "Gmsh does not execute it, so that nothing is tried here";
  expect_small_mesh(read_mesh(file), "with a script beside it");
  EXPECT_FALSE(fs::exists(trace));
  write_mesh(test::small_mesh(), file);
  EXPECT_FALSE(fs::exists(trace)) << "by the check of what was written";
}

/// A text in place of a mesh, or a mesh by hand.
class MshText : public testing::Test {
 protected:
  Mesh read(std::string_view text) const {
    write_text(file, text);
    return read_msh_file(file);
  }
  /// The error without the file's name in front.
  std::string error(std::string_view text) const {
    const std::string message = input_error_of([&] { read(text); });
    EXPECT_TRUE(message.starts_with(file.string() + ":")) << message;
    return message.substr(std::min(message.size(), file.string().size() + 1));
  }

  TemporaryDirectory directory;
  const fs::path file = directory / "a.msh";
};

const std::string tetrahedron_2 =
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
    "$PhysicalNames\n1\n3 5 \"lv\"\n$EndPhysicalNames\n"
    "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n"
    "$Elements\n2\n1 4 4 5 1 1 1 1 2 3 4\n2 2 4 5 1 1 1 1 2 3\n$EndElements\n";

const std::string tetrahedron_4 =
    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
    "$PhysicalNames\n1\n3 5 \"lv\"\n$EndPhysicalNames\n"
    "$Entities\n0 0 0 1\n1 0 0 0 1 1 1 1 5 0\n$EndEntities\n"
    "$Nodes\n1 4 1 4\n3 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n$EndNodes\n"
    "$Elements\n1 1 1 1\n3 1 4 1\n1 1 2 3 4\n$EndElements\n";

TEST_F(MshText, WithAPlainMistakeNamesLineAndMistake) {
  const struct {
    const std::string &text, part, with, message;
  } mistakes[] = {
      {tetrahedron_2, "3 5 \"lv\"", "7 5 \"lv\"", "6: physical dimension 7: expected 0 to 3"},
      {tetrahedron_4, "3 5 \"lv\"", "-1 5 \"lv\"", "6: physical dimension -1: expected 0 to 3"},
      {tetrahedron_4, "3 5 \"lv\"", "3 5 \"lv",
       "6: physical group 5: expected a name, in double quotes or without, got '\"lv'"},
      {tetrahedron_4, "Names\n1\n", "Names\n2\n", "7: expected the dimension of a physical group, got"},
      {tetrahedron_4, "Names\n1\n", "Names\n0\n", "6: expected $EndPhysicalNames, got '3'"},
      {tetrahedron_4, "Names\n1\n", "Names\n2\n3 5 \"rv\"\n", "7: physical group 5 of dimension 3 has two names"},
      {tetrahedron_4, "0 0 0 1\n1", "0 0 0 1000000000000000000\n1", "11: expected an entity tag, got '$EndEntities'"},
      {tetrahedron_4, "0 0 0 1\n1", "0 0 0 -1\n1", "9: expected a number of entities, got '-1'"},
      {tetrahedron_4, "1 5 0", "1000000000000000000 5 0", "10: expected 1000000000000000000 more values"},
      {tetrahedron_4, "1 5 0", "1 5 99999999999", "10: expected 99999999999 more values"},
      {tetrahedron_4, "1 4 1 4", "1 4 1 9000000000000000000",
       "22: expected node tags 1 to 9000000000000000000, got 1 to 4"},
      {tetrahedron_4, "\n4\n0 0 0", "\n9000000000000000000\n0 0 0",
       "22: expected node tags 1 to 4, got 1 to 9000000000000000000"},
      {tetrahedron_4, "\n4\n0 0 0", "\n0\n0 0 0", "18: node tag 0: expected 1 or more"},
      {tetrahedron_4, "\n4\n0 0 0", "\n-1\n0 0 0", "18: expected a node tag, got '-1'"},
      {tetrahedron_4, "1 4 1 4", "1 3 1 4", "22: expected 3 nodes, got 4"},
      {tetrahedron_4, "1 4 1 4", "0 0 0 0", "14: expected $EndNodes, got '3'"},
      {tetrahedron_4, "1 4 1 4", "1 1000000000000000000 1 4", "22: expected 1000000000000000000 nodes, got 4"},
      {tetrahedron_4, "3 1 0 4", "3 1 0 3", "21: expected 4 nodes, got 3"},
      {tetrahedron_4, "3 1 0 4", "4 1 0 4", "14: entity dimension 4: expected 0 to 3"},
      {tetrahedron_4, "3 1 0 4", "3 1 2 4", "14: expected 0, or 1 for nodes with parameters, got 2"},
      {tetrahedron_4, "3 1 4 1", "2 1 4 1", "26: elements of type 'Tetrahedron 4' are in an entity of dimension 2"},
      {tetrahedron_4, "3 1 4 1", "3 2 4 1", "26: entity 2 of dimension 3 is not among the $Entities"},
      {tetrahedron_4, "3 1 4 1", "3 1 140 1", "26: element type 140 is not supported"},
      {tetrahedron_4, "3 1 4 1", "3 1 4 1000000000000000000", "28: expected an element tag, got '$EndElements'"},
      {tetrahedron_4, "1 1 2 3 4", "1 1 2 3 9000000000000000000",
       "27: an element refers to node 9000000000000000000: the file has nodes 1 to 4"},
      {tetrahedron_4, "1 1 2 3 4", "1 1 2 3 0", "27: an element refers to node 0: the file has nodes 1 to 4"},
      {tetrahedron_4, "$EndElements\n", "$EndElements\n$Elements\n", "29: the section $Elements is given twice"},
      {tetrahedron_4, "$EndElements\n", "$EndElements\n$Nodes\n", "29: the section $Nodes is given twice"},
      {tetrahedron_4, "$EndElements\n", "$EndElements\n$EndElements\n", "29: expected the next section, got '$EndE"},
      {tetrahedron_2, "$Nodes\n4", "$Nodes\n3", "13: expected $EndNodes, got '4'"},
      {tetrahedron_2, "$Nodes\n4", "$Nodes\n-4", "9: expected the number of nodes, got '-4'"},
      {tetrahedron_2, "$Nodes\n4", "$Nodes\n1000000000000000000",
       "9: the number of nodes is 1000000000000000000, more than the file can hold"},
      {tetrahedron_2, "\n4 0 0 1", "\n9000000000000000000 0 0 1",
       "13: expected a node number from -2147483648 to 2147483647, got '9000000000"},
      {tetrahedron_2, "\n4 0 0 1", "\n0 0 0 1", "13: node number 0: expected 1 or more"},
      {tetrahedron_2, "\n4 0 0 1", "\n-1 0 0 1", "13: node number -1: expected 1 or more"},
      {tetrahedron_2, "$Elements\n2", "$Elements\n1", "18: expected $EndElements, got '2'"},
      {tetrahedron_2, "$Elements\n2", "$Elements\n0", "17: expected $EndElements, got '1'"},
      {tetrahedron_2, "1 4 4 5 1 1 1 ", "1 4 4 5 1 1 99999 ",
       "17: element 1: partition 99999: expected 1 to at most 2"},
      {tetrahedron_2, "1 4 4 5 1 1 1 ", "1 4 4 5 1 9 1 ", "17: element 1: expected 0 to 1 partitions, got 9"},
      {tetrahedron_2, "1 4 4 5", "1 4 4 -2147483648", "17: physical tag -2147483648 is too low"},
      {tetrahedron_2, "1 4 4 5", "-1 4 4 5", "17: element number -1: expected 0 or more"},
      {tetrahedron_2, "1 4 4 5", "1 4 -4 5", "17: element block with a negative size"},
      {tetrahedron_2, "1 4 4 5", "1 4 1000000000 5", "17: expected 999999997 more values"},
      {tetrahedron_2, "$Elements", "$Entities", "15: the section $Entities has no place in version 2.2"},
  };
  for (const auto& [text, part, with, message] : mistakes) {
    const std::string found = error(replaced(text, part, with));
    EXPECT_TRUE(found.starts_with(message)) << "'" << with << "': " << found;
  }
}

TEST_F(MshText, WithGroupsBehindTheElementsIsRefused) {
  const std::string entities = "$Entities\n0 0 0 1\n1 0 0 0 1 1 1 1 5 0\n$EndEntities\n";
  EXPECT_EQ(error(replaced(tetrahedron_4, entities, "") + entities),
            "25: expected the section $Entities before $Elements");
}

TEST_F(MshText, WithFewerResultsThanItSaysIsRefused) {
  for (const std::string& mesh : {tetrahedron_2, tetrahedron_4}) {
    const auto with_counts = [&](const char* counts) {
      std::string text = mesh;
      text.append("$NodeData\n1\n\"potential\"\n1\n0\n3\n0\n").append(counts);
      return text.append("1 0.5\n2 0.5\n$EndNodeData\n");
    };
    EXPECT_EQ(read(with_counts("1\n2\n")).tetrahedra.size(), 1u);
    EXPECT_NE(error(with_counts("1\n1000000000\n")).find("expected the tag of a row, got '$EndNodeData'"),
              std::string::npos);
    EXPECT_NE(error(with_counts("1\n1\n")).find("expected $EndNodeData, got '2'"), std::string::npos);
    EXPECT_NE(error(with_counts("1000000000\n2\n")).find("expected 1 more rows of 1000000000 values"),
              std::string::npos);
    EXPECT_NE(error(with_counts("1\n-2\n")).find("$NodeData: expected a time step"), std::string::npos);
  }
  const std::string element_head = "$ElementNodeData\n0\n0\n3\n0\n1\n1\n";
  EXPECT_EQ(read(tetrahedron_4 + element_head + "1 4 1 2 3 4\n$EndElementNodeData\n").tetrahedra.size(), 1u);
  EXPECT_NE(error(tetrahedron_4 + element_head + "1 -4 1 2 3 4\n$EndElementNodeData\n").find("got -4"),
            std::string::npos);
}

TEST_F(MshText, OfAnotherFormatIsNamed) {
  const std::string message = " is not supported: expected 2, 2.1, 2.2 or 4.1 (open and save the file with Gmsh)";
  EXPECT_EQ(error(replaced(tetrahedron_2, "2.2 0 8", "3 0 8")), "2: Gmsh format '3'" + message);
  EXPECT_EQ(error(replaced(tetrahedron_4, "4.1 0 8", "4.0 0 8")), "2: Gmsh format '4.0'" + message);
  EXPECT_EQ(error("$NOD\n1\n1 0 0 0\n$ENDNOD\n"), "1: Gmsh format '1'" + message);
  EXPECT_EQ(error(replaced(tetrahedron_4, "4.1 0 8", "4.1 0 4")), "2: expected '4.1 0 8' or '4.1 1 8'");
  EXPECT_EQ(error(std::string("$MeshFormat\n4.1 1 8\n\0\0\0\1\n$EndMeshFormat\n", 40)),
            " byte 24: binary numbers have the byte order of another machine");
}

TEST_F(MshText, ThatIsAScriptIsRefusedAndNotExecuted) {
  const fs::path trace = directory / "executed";
  const std::string script = "SystemCall 'touch " + trace.string() + "';\n";
  EXPECT_EQ(error(script), "1: is not a Gmsh mesh: expected $MeshFormat");
  EXPECT_EQ(error(tetrahedron_2 + script), "20: expected the next section, got 'SystemCall'");
  EXPECT_FALSE(fs::exists(trace));
}

TEST_F(MshText, WithLineEndsOfWindowsAndCommentsIsReadAsWithout) {
  for (const std::string& text : {tetrahedron_2, tetrahedron_4}) {
    std::string windows = "$Comments\r\nby hand $EndOf nothing\r\n$EndComments\r\n";
    for (const char c : text) windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
    const Mesh mesh = read(windows), expected = read(text);
    EXPECT_EQ(mesh.nodes, expected.nodes);
    EXPECT_EQ(mesh.tetrahedra, (std::vector<Tetrahedron>{{0, 1, 2, 3}}));
    EXPECT_EQ(mesh.element_tags, std::vector<int>{5});
    EXPECT_EQ(mesh.volume_names, (std::map<std::string, int>{{"lv", 5}}));
  }
}

TEST_F(MshText, MayHaveNodeTagsWithEnormousGaps) {
  const Mesh mesh = read(replaced(replaced(replaced(tetrahedron_4, "1 4 1 4", "1 4 1 9000000000000000000"),
                                           "\n4\n0 0 0", "\n9000000000000000000\n0 0 0"),
                                  "1 1 2 3 4", "9000000000000000000 1 2 3 9000000000000000000"));
  EXPECT_EQ(mesh.tetrahedra, (std::vector<Tetrahedron>{{0, 1, 2, 3}}));
  EXPECT_EQ(mesh.nodes[3], (Vector3{0, 0, 1}));
  EXPECT_EQ(read(replaced(replaced(tetrahedron_2, "\n4 0 0 1", "\n2147483647 0 0 1"), "1 2 3 4", "1 2 3 2147483647"))
                .tetrahedra,
            (std::vector<Tetrahedron>{{0, 1, 2, 3}}));
}

TEST_F(MshText, WithParametersOfNodesPassesOverThem) {
  const Mesh mesh = read(replaced(tetrahedron_4, "3 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n",
                                  "2 1 1 4\n1\n2\n3\n4\n0 0 0 7 7\n1 0 0 7 7\n0 1 0 7 7\n0 0 1 7 7\n"));
  EXPECT_EQ(mesh.nodes, (std::vector<Vector3>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}));
}

TEST_F(MshText, WithSectionsThatMeanNothingHerePassesOverThem) {
  for (const std::string& text : {tetrahedron_2, tetrahedron_4}) {
    const std::string sections =
        "$Periodic\n1000000000\n7 9 9\n$EndPeriodic\n$GhostElements\n-1\n$EndGhostElements\n"
        "$Unknown\n$Nodes $EndNodes 1e999\n$EndUnknown\n$Unknown\n$EndUnknown\n";
    EXPECT_EQ(read(replaced(text, "$Nodes", sections + "$Nodes")).tetrahedra, read(text).tetrahedra);
    EXPECT_EQ(read(text + sections).nodes.size(), 4u);
    EXPECT_NE(error(text + "$Unknown\n1 2 3\n").find("section $Unknown has no end"), std::string::npos);
  }
}

/// A binary file of version 4.1: five nodes and two tetrahedra, with these tags of nodes and nodes of the second.
struct BinaryMsh {
  std::vector<std::size_t> tags{1, 2, 3, 4, 5}, second{2, 3, 4, 5};
  std::size_t tags_at = 0, second_at = 0;  ///< bytes before

  std::string text() {
    std::string text = "$MeshFormat\n4.1 1 8\n";
    const auto add = [&text](const auto& value) { text.append(reinterpret_cast<const char*>(&value), sizeof value); };
    const auto add_all = [&](const std::vector<std::size_t>& values) {
      for (const std::size_t value : values) add(value);
    };
    add(std::int32_t{1});
    text += "\n$EndMeshFormat\n$Nodes\n";
    add_all({1, tags.size(), *std::min_element(tags.begin(), tags.end()), *std::max_element(tags.begin(), tags.end())});
    for (const std::int32_t value : {3, 1, 0}) add(value);
    add_all({tags.size()});
    tags_at = text.size();
    add_all(tags);
    for (const double value : {0., 0., 0., 1., 0., 0., 0., 1., 0., 0., 0., 1., 2., 2., 2.}) add(value);
    text += "\n$EndNodes\n$Elements\n";
    add_all({1, 2, 1, 2});
    for (const std::int32_t value : {3, 1, 4}) add(value);
    add_all({2, 1, 1, 2, 3, 4, 2});
    second_at = text.size();
    add_all(second);
    return text + "\n$EndElements\n";
  }
};

TEST_F(MshText, InBinaryIsReadOrItsFirstMistakeNamedWithItsByte) {
  const Mesh expected = test::small_mesh();
  BinaryMsh msh;
  EXPECT_EQ(read(msh.text()).tetrahedra, expected.tetrahedra);
  EXPECT_EQ(read(msh.text()).nodes, expected.nodes);
  const auto at = [](std::size_t byte, const std::string& message) {
    return " byte " + std::to_string(byte) + ": " + message;
  };
  for (const std::size_t missing : {std::size_t{6}, std::size_t{0}, ~std::size_t{0}}) {
    msh.second = {2, 3, missing, 5};
    const std::string text = msh.text();
    EXPECT_EQ(error(text), at(msh.second_at + 24,
                              "an element refers to node " + std::to_string(missing) + ": the file has nodes 1 to 5"));
  }
  msh.second = {2, 3, 4, 5};
  const std::string whole = msh.text();
  EXPECT_EQ(error(whole.substr(0, msh.second_at + 20)),
            at(msh.second_at + 16, "expected 1 more values of 8 bytes, got the end of the file (truncated?)"));
  EXPECT_EQ(error(whole.substr(0, msh.tags_at + 50)),
            at(msh.tags_at + 48, "expected 1 more values of 8 bytes, got the end of the file (truncated?)"));

  msh.tags = {3, 1, 5, 4, 2};
  EXPECT_EQ(read(msh.text()).nodes[0], expected.nodes[1]);
  msh.tags = {11, 12, 13, 14, 15};
  EXPECT_EQ(error(msh.text()), at(msh.second_at - 32, "an element refers to node 1: the file has nodes 11 to 15"));
  msh.tags = {1, 2, 3, 4, 7};
  msh.second = {2, 3, 4, 7};
  EXPECT_EQ(read(msh.text()).tetrahedra, expected.tetrahedra);
  msh.tags = {1, 2, 0, 4, 5};
  EXPECT_EQ(error(msh.text()), at(msh.tags_at + 24, "node tag 0: expected 1 or more"));
}

}  // namespace
}  // namespace cardiowarp
