// .msh files as programs other than today's Gmsh write them: older versions, names without quotes, sections that mean
// nothing here, numbers that are none.

#include <gmsh.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "fem/mesh_check.hpp"
#include "meshes/generate.hpp"
#include "meshes/gmsh_file.hpp"
#include "meshes/mesh_file.hpp"
#include "meshes/msh_file.hpp"
#include "tests/support/input_error_of.hpp"
#include "tests/support/small_mesh.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/text_file.hpp"
#include "tests/support/text_of.hpp"

namespace cardiowarp {
namespace {

using test::input_error_of;
using test::read_text;
using test::TemporaryDirectory;
using test::text_of;
using test::write_text;
using Names = std::map<std::string, int>;

std::string head(const std::string& version) { return "$MeshFormat\n" + version + " 0 8\n$EndMeshFormat\n"; }

const std::string names = "$PhysicalNames\n2\n3 5 \"lv\"\n2 7 \"epi\"\n$EndPhysicalNames\n";
const std::string nodes = "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n";
const std::string elements = "$Elements\n2\n1 4 2 5 1 1 2 3 4\n2 2 2 7 1 1 2 3\n$EndElements\n";
const std::string body_4 =
    "$Entities\n0 0 0 1\n1 0 0 0 1 1 1 1 5 0\n$EndEntities\n"
    "$Nodes\n1 4 1 4\n3 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n$EndNodes\n"
    "$Elements\n1 1 1 1\n3 1 4 1\n1 1 2 3 4\n$EndElements\n";

Mesh read(const std::string& text) { return read_msh_text("a.msh", text); }
std::string error(const std::string& text) {
  return input_error_of([&] { read(text); });
}

TEST(MshLines, MayEndWithCarriageReturns) {
  for (const std::string& text : {text_of({head("2.2"), names, nodes, "$Comments\n \n$EndComments\n", elements}),
                                  text_of({head("4.1"), names, body_4})}) {
    std::string returns = text;
    std::ranges::replace(returns, '\n', '\r');
    const Mesh mesh = read(returns), expected = read(text);
    EXPECT_EQ(mesh.nodes, expected.nodes);
    EXPECT_EQ(mesh.tetrahedra, expected.tetrahedra);
    EXPECT_EQ(mesh.volume_names, expected.volume_names);
  }
  std::string wrong = head("2.2") + "$Nodes\n4\n1 0 x 0\n";
  std::ranges::replace(wrong, '\n', '\r');
  EXPECT_EQ(error(wrong), "a.msh:6: expected a coordinate, got 'x'");
}

TEST(MshVersion, IsComparedAsANumber) {
  for (const char* version : {"2", "2.0", "2.1", "2.10", "2.2", "2.200000", "2.2e0", "2.20000005"}) {
    const Mesh mesh = read(text_of({head(version), nodes, elements}));
    EXPECT_EQ(mesh.element_tags, std::vector<int>{5}) << version;
    EXPECT_EQ(mesh.triangle_tags, std::vector<int>{7}) << version;
  }
  for (const char* version : {"4.1", "4.10", "4.1000000"})
    EXPECT_EQ(read(head(version) + body_4).element_tags, std::vector<int>{5}) << version;
  for (const char* version : {"1", "2.3", "2.20001", "3", "4", "4.0", "4.11", "2,2", "2.2x", "nan"})
    EXPECT_EQ(error(text_of({head(version), nodes, elements})),
              text_of({"a.msh:2: Gmsh format '", version,
                       "' is not supported: expected 2, 2.1, 2.2 or 4.1 (open and save the file with Gmsh)"}));
}

TEST(MshVersion, Of2Point0HasNamesWithoutDimensions) {
  const std::string without = "$PhysicalNames\n2\n5 \"lv\"\n7 \"epi\"\n$EndPhysicalNames\n";
  for (const std::string& text : {without, names}) {
    const Mesh mesh = read(text_of({head("2.0"), text, nodes, elements}));
    EXPECT_EQ(mesh.volume_names, (Names{{"lv", 5}}));
    EXPECT_EQ(mesh.surface_names, (Names{{"epi", 7}}));
  }
  EXPECT_EQ(read(head("2") + "$PhysicalNames\n1\n5 lv\n$EndPhysicalNames\n" + nodes + elements).volume_names,
            (Names{{"lv", 5}}));
  const std::string without_quotes = "$PhysicalNames\n2\n3 5 lv\n2 7 epi\n$EndPhysicalNames\n";
  EXPECT_EQ(read(head("2.0") + without_quotes + nodes + elements).volume_names, (Names{{"lv", 5}}));
  EXPECT_EQ(read(head("2.0") + "$PhysicalNames\n1\n5 7\n$EndPhysicalNames\n" + nodes + elements).volume_names,
            (Names{{"7", 5}}));
  EXPECT_EQ(error(head("2.1") + without + nodes + elements), "a.msh:6: physical dimension 5: expected 0 to 3");
}

TEST(MshNames, MayHaveNoQuotes) {
  const auto volume_names = [](const std::string& line) {
    return read(head("2.2") + "$PhysicalNames\n1\n3 5" + line + "\n$EndPhysicalNames\n" + nodes + elements)
        .volume_names;
  };
  EXPECT_EQ(volume_names(" lv"), (Names{{"lv", 5}}));
  EXPECT_EQ(volume_names("\tleft ventricle \r"), (Names{{"left ventricle", 5}}));
  EXPECT_EQ(volume_names(" \"lv of \"A\"\""), (Names{{"lv of \"A\"", 5}}));
  for (const char* wrong : {"", " ", " \"lv", " lv\""})
    EXPECT_TRUE(input_error_of([&] {
                  volume_names(wrong);
                }).starts_with("a.msh:6: physical group 5: expected a name, in double quotes or without, got '"))
        << wrong;
}

TEST(MshNames, OfGroupsThatNothingIsInAreToldNotKept) {
  const Mesh mesh = read(
      head("2.2") + "$PhysicalNames\n4\n0 7 \"pacing site\"\n1 3 \"rim\"\n3 5 \"lv\"\n3 6 \"rv\"\n$EndPhysicalNames\n" +
      nodes + elements);
  EXPECT_EQ(mesh.volume_names, (Names{{"lv", 5}}));
  EXPECT_EQ(mesh.remarks, (std::vector<std::string>{"groups of points and curves are not read: pacing site, rim",
                                                    "groups without elements: rv"}));
  EXPECT_TRUE(read(head("2.0") + "$PhysicalNames\n2\n5 \"lv\"\n7 \"epi\"\n$EndPhysicalNames\n" + nodes + elements)
                  .remarks.empty());
}

TEST(MshNodes2, MayHaveParametersWhichArePassedOver) {
  const std::string parametric =
      "$ParametricNodes\n4\n1 0 0 0 0 1\n2 1 0 0 1 4 0.5\n3 0 1 0 2 9 0.25 0.75\n4 0 0 1 3 1\n$EndParametricNodes\n";
  EXPECT_EQ(read(head("2.2") + parametric + elements).nodes, read(head("2.2") + nodes + elements).nodes);
  EXPECT_EQ(error(head("2.2") + parametric + nodes + elements), "a.msh:11: the section $Nodes is given twice");
  EXPECT_EQ(error(head("4.1") + parametric), "a.msh:4: the section $ParametricNodes has no place in version 4.1");
  EXPECT_EQ(error(head("2.2") + "$ParametricNodes\n1\n1 0 0 0 4 1\n$EndParametricNodes\n"),
            "a.msh:6: entity dimension 4: expected 0 to 3");
}

TEST(MshNodes2, WithParametersByGmshAreReadAsWithoutThem) {
  const TemporaryDirectory directory;
  for (const bool binary : {false, true}) {
    Mesh expected;
    {
      const GmshSession session;
      gmsh::model::occ::addSphere(0, 0, 0, 1);
      gmsh::model::occ::synchronize();
      gmsh::option::setNumber("Mesh.MeshSizeMin", 0.7);
      gmsh::model::mesh::generate(3);
      gmsh::option::setNumber("Mesh.MshFileVersion", 2.2);
      gmsh::option::setNumber("Mesh.Binary", binary);
      gmsh::write((directory / "plain.msh").string());
      gmsh::option::setNumber("Mesh.SaveParametric", 1);
      gmsh::write((directory / "parametric.msh").string());
    }
    ASSERT_NE(read_text(directory / "parametric.msh").find("$ParametricNodes"), std::string::npos);
    const Mesh mesh = read_msh_file(directory / "parametric.msh"), plain = read_msh_file(directory / "plain.msh");
    EXPECT_GT(mesh.nodes.size(), 11u);
    EXPECT_EQ(mesh.nodes, plain.nodes);
    EXPECT_EQ(mesh.tetrahedra, plain.tetrahedra);
  }
}

TEST(MshSections, ThatMeanNothingHereAreToldOnce) {
  const std::string some =
      "$Periodic\n0\n$EndPeriodic\n$Unknown\nwhatever $Nodes\n$EndUnknown\n$Comments\nby hand\n$EndComments\n"
      "$Unknown\n$EndUnknown\n";
  for (const std::string& text : {text_of({head("2.2"), some, nodes, elements}), text_of({head("4.1"), body_4, some})})
    EXPECT_EQ(read(text).remarks,
              std::vector<std::string>{"passed over $Periodic, $Unknown, which nothing here needs"});
  const std::string results = "$NodeData\n1\n\"v\"\n1\n0\n3\n0\n1\n1\n1 0.5\n$EndNodeData\n";
  EXPECT_EQ(read(head("2.2") + nodes + elements + results).remarks,
            std::vector<std::string>{"passed over $NodeData, which nothing here needs"});
  EXPECT_TRUE(read(head("2.2") + nodes + elements).remarks.empty());
  EXPECT_EQ(
      read("$Comments\nby hand\n$EndComments\n$Tool\n1 2\n$EndTool\n" + head("2.2") + nodes + elements).nodes.size(),
      4u);
  EXPECT_EQ(error("$Tool\n1 2\n" + head("2.2")), "a.msh:1: section $Tool has no end (truncated file?)");
}

TEST(MshFile, MayBeginWithAByteOrderMark) {
  const TemporaryDirectory directory;
  const std::string text = head("2.2") + nodes + elements;
  const auto read_file = [&](const std::string& content) {
    write_text(directory / "a.msh", content);
    return read_mesh(directory / "a.msh");
  };
  EXPECT_EQ(read_file("\xEF\xBB\xBF" + text).nodes, read(text).nodes);
  for (const char* mark : {"\xFF\xFE", "\xFE\xFF"})
    EXPECT_NE(input_error_of([&] { read_file(mark + text); }).find("UTF-16"), std::string::npos);
}

TEST(MshNumbers, ThatAreNoneAreToldWithTheirLine) {
  const struct {
    const char *written, *message;
  } mistakes[] = {
      {"nan", "expected a coordinate, got 'nan' (not a finite number)"},
      {"-inf", "expected a coordinate, got '-inf' (not a finite number)"},
      {"1.0D+00", "expected a coordinate, got '1.0D+00' (an exponent of Fortran: expected 1.0e+00)"},
      {"-1.5-103", "expected a coordinate, got '-1.5-103' (an exponent of Fortran: expected -1.5e-103)"},
      {"0,5", "expected a coordinate, got '0,5' (a decimal comma: expected 0.5)"},
      {"1,000,5", "expected a coordinate, got '1,000,5'"},
      {"1e999", "expected a coordinate, got '1e999'"},
      {"dd", "expected a coordinate, got 'dd'"},
  };
  for (const auto& [written, message] : mistakes) {
    const auto with = [mistake = written](std::string text) { return text.replace(text.find("1 0 0\n"), 1, mistake); };
    EXPECT_EQ(error(head("2.2") + with("$Nodes\n2\n1 0 0 0\n2 1 0 0\n$EndNodes\n")),
              std::string("a.msh:7: ") + message);
    EXPECT_EQ(error(head("4.1") + with("$Nodes\n1 2 1 2\n3 1 0 2\n1\n2\n0 0 0\n1 0 0\n$EndNodes\n")),
              std::string("a.msh:10: ") + message);
  }
}

TEST(MshWithoutVolume, SaysWhatToDoInGmsh) {
  const TemporaryDirectory directory;
  const auto error_of = [&](const std::string& text) {
    write_text(directory / "a.msh", text);
    const std::string message = input_error_of([&] { read_mesh(directory / "a.msh"); });
    return message.substr(std::min(message.size(), (directory / "a.msh").string().size()));
  };
  EXPECT_EQ(
      error_of(head("2.2") + nodes + "$Elements\n1\n2 2 2 7 1 1 2 3\n$EndElements\n"),
      ": the mesh has no tetrahedra (4 nodes, 1 triangles): Gmsh saves nothing but physical groups where there is "
      "one, so put the volume into one, too (Physical Volume(\"tissue\") = {1};), or save all elements "
      "(Mesh.SaveAll = 1;), and mesh in three dimensions (gmsh -3)");
  EXPECT_EQ(error_of(head("2.2") + nodes + "$Elements\n1\n2 2 2 0 1 1 2 3\n$EndElements\n"),
            ": the mesh has no tetrahedra (4 nodes, 0 triangles): mesh the volume in Gmsh (gmsh -3)");
}

TEST(Suffixes, MayHaveCapitals) {
  const TemporaryDirectory directory;
  const Mesh mesh = test::small_mesh();
  for (const char* name : {"A.MSH", "b.Vtu", "C.PTS"}) {
    EXPECT_TRUE(has_mesh_suffix(directory / name));
    write_mesh(mesh, directory / name);
    const Mesh found = read_mesh(directory / name);
    EXPECT_EQ(found.tetrahedra, mesh.tetrahedra) << name;
    EXPECT_EQ(found.nodes.back(), (Vector3{2, 2, 2})) << name << ": in its unit";
  }
  EXPECT_EQ(standard_length_unit("C.PTS"), LengthUnit::micrometre);
  EXPECT_TRUE(is_vtk_file("A.VTK"));
  EXPECT_FALSE(has_mesh_suffix("A.STL"));
}

}  // namespace
}  // namespace cardiowarp
