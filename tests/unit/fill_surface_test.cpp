#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "meshes/generate.hpp"
#include "tests/support/input_error_of.hpp"
#include "tests/support/mesh_measures.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/text_file.hpp"

namespace cardiowarp {
namespace {

using namespace test;

/// The boundary of a box as a surface, with class 1 at the nodes of z = 0 and class 2 elsewhere.
struct BoxSurface {
  std::vector<Vector3> points;
  std::vector<int> classes;
  std::vector<Triangle> triangles;
};

BoxSurface box_surface(Vector3 size, Real edge, Vector3 corner = {}) {
  const Mesh slab = slab_mesh(size, edge, true);
  std::vector<Index> new_number(slab.nodes.size(), -1);
  BoxSurface surface;
  for (Triangle triangle : slab.triangles) {
    for (Index& node : triangle) {
      if (new_number[node] < 0) {
        new_number[node] = static_cast<Index>(surface.points.size());
        surface.points.push_back(slab.nodes[node] + corner);
        surface.classes.push_back(slab.nodes[node].z == 0 ? 1 : 2);
      }
      node = new_number[node];
    }
    surface.triangles.push_back(triangle);
  }
  return surface;
}

void append(BoxSurface& surface, const BoxSurface& other) {
  const auto offset = static_cast<Index>(surface.points.size());
  surface.points.insert(surface.points.end(), other.points.begin(), other.points.end());
  surface.classes.insert(surface.classes.end(), other.classes.begin(), other.classes.end());
  for (const auto& [a, b, c] : other.triangles) surface.triangles.push_back({a + offset, b + offset, c + offset});
}

std::string vtp_text(const BoxSurface& surface, const char* class_name = "class") {
  std::string points, classes, corners, ends;
  for (const Vector3& p : surface.points) points += fmt::format("{} {} {} ", p.x, p.y, p.z);
  for (const int value : surface.classes) classes += fmt::format("{} ", value);
  for (const auto& [a, b, c] : surface.triangles) corners += fmt::format("{} {} {} ", a, b, c);
  for (std::size_t t = 1; t <= surface.triangles.size(); ++t) ends += fmt::format("{} ", 3 * t);
  return fmt::format(
      R"(<VTKFile type="PolyData" version="1.0" byte_order="LittleEndian"><PolyData>
<Piece NumberOfPoints="{}" NumberOfVerts="0" NumberOfLines="0" NumberOfStrips="0" NumberOfPolys="{}">
<PointData><DataArray type="Int32" Name="{}" format="ascii">{}</DataArray></PointData>
<Points><DataArray type="Float64" NumberOfComponents="3" format="ascii">{}</DataArray></Points>
<Polys><DataArray type="Int64" Name="connectivity" format="ascii">{}</DataArray>
<DataArray type="Int64" Name="offsets" format="ascii">{}</DataArray></Polys></Piece></PolyData></VTKFile>
)",
      surface.points.size(), surface.triangles.size(), class_name, classes, points, corners, ends);
}

class FillSurface : public testing::Test {
 protected:
  std::filesystem::path file(const std::string& name, const std::string& text) const {
    write_text(directory / name, text);
    return directory / name;
  }
  /// The error without the file's folder.
  std::string error_for(const std::filesystem::path& surface) const {
    std::string message = input_error_of([&] { fill_surface(surface, 0); });
    const std::string folder = (directory / "").string();
    if (const auto at = message.find(folder); at != std::string::npos) message.erase(at, folder.size());
    return message;
  }
  TemporaryDirectory directory;
};

TEST_F(FillSurface, KeepsTheSurfaceAsTheBoundary) {
  const BoxSurface box = box_surface({3, 2, 2}, 0.5);
  const Mesh mesh = fill_surface(file("box.vtp", vtp_text(box)), 0);
  ASSERT_GE(mesh.nodes.size(), box.points.size());
  EXPECT_TRUE(std::equal(box.points.begin(), box.points.end(), mesh.nodes.begin()));
  EXPECT_EQ(mesh.triangles, box.triangles);
  const auto [boundary, inner, wrong] = faces_by_use(mesh);
  EXPECT_TRUE(wrong.empty());
  EXPECT_EQ(boundary, sorted_triangles(box.triangles));
  EXPECT_NEAR(volume_of_tag(mesh, mesh.volume_names.at("volume")), 12, 1e-10);
}

TEST_F(FillSurface, TagsTrianglesByTheMostFrequentClassOfTheirNodes) {
  const BoxSurface box = box_surface({1, 1, 1}, 1);
  const Mesh mesh = fill_surface(file("box.vtp", vtp_text(box)), 0);
  EXPECT_EQ(mesh.surface_names, (std::map<std::string, int>{{"class_1", 1}, {"class_2", 2}}));
  EXPECT_EQ(mesh.volume_names, (std::map<std::string, int>{{"volume", 3}}));
  ASSERT_EQ(mesh.triangle_tags.size(), box.triangles.size());
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    int low_nodes = 0;
    for (const Index node : mesh.triangles[t]) low_nodes += mesh.nodes[node].z == 0 ? 1 : 0;
    EXPECT_EQ(mesh.triangle_tags[t], low_nodes >= 2 ? 1 : 2);
  }
}

TEST_F(FillSurface, WithThreeDifferentClassesTakesTheSmallest) {
  BoxSurface box = box_surface({1, 1, 1}, 1);
  for (std::size_t i = 0; i < box.points.size(); ++i) box.classes[i] = 9 - static_cast<int>(i);
  const Mesh mesh = fill_surface(file("box.vtp", vtp_text(box)), 0);
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
    EXPECT_EQ(mesh.triangle_tags[t], 9 - *std::max_element(mesh.triangles[t].begin(), mesh.triangles[t].end()));
}

TEST_F(FillSurface, WithoutClassesIsOneSurface) {
  const Mesh mesh = fill_surface(file("box.vtp", vtp_text(box_surface({1, 1, 1}, 0.5), "other")), 0);
  EXPECT_EQ(mesh.surface_names, (std::map<std::string, int>{{"surface", 1}}));
}

std::string stl_text(const BoxSurface& surface) {
  std::string text = "solid a vertex box\n";
  for (const Triangle& nodes : surface.triangles) {
    text += "facet normal 0 0 0\nouter loop\n";
    for (const Index node : nodes)
      text += fmt::format("vertex {} {} {}\n", surface.points[node].x, surface.points[node].y, surface.points[node].z);
    text += "endloop\nendfacet\n";
  }
  return text + "endsolid a vertex box\n";
}

TEST_F(FillSurface, ReadsStlAndJoinsItsPoints) {
  const BoxSurface box = box_surface({2, 1, 1}, 0.5);
  const Mesh mesh = fill_surface(file("box.stl", stl_text(box)), 0);
  EXPECT_EQ(mesh.triangles.size(), box.triangles.size());
  EXPECT_NEAR(volume_of_tag(mesh, mesh.volume_names.at("volume")), 2, 1e-10);
  const Mesh with_mark = fill_surface(file("mark.stl", "\xef\xbb\xbf" + stl_text(box)), 0);
  EXPECT_EQ(with_mark.nodes, mesh.nodes);
  EXPECT_EQ(with_mark.triangles, mesh.triangles);
}

TEST_F(FillSurface, SaysOfAnStlTextWhatIsNoNumberAndWhere) {
  const std::string text = stl_text(box_surface({1, 1, 1}, 1));
  const std::size_t at = text.find("vertex 1 ");
  const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  for (const auto& [word, why] : {std::pair<std::string, std::string>{"1,5", " (a decimal comma: expected 1.5)"},
                                  {"1.0D+00", " (an exponent of Fortran: expected 1.0e+00)"},
                                  {"one", ""}}) {
    std::string wrong = text;
    wrong.replace(at, 9, "VERTEX " + word + " ");
    EXPECT_EQ(error_for(file("box.stl", wrong)),
              fmt::format("mesh fill box.stl:{}: expected a coordinate of a vertex, got '{}'{}", line, word, why));
  }
  std::string wide = "\xff\xfe";
  for (const char c : text) wide.append({c, '\0'});
  EXPECT_NE(error_for(file("box.stl", wide)).find("box.stl: cannot be read: it is a text in UTF-16: expected UTF-8"),
            std::string::npos)
      << error_for(directory / "box.stl");
}

TEST_F(FillSurface, ConvertsTheLengthUnit) {
  const auto box = file("box.vtp", vtp_text(box_surface({1, 1, 1}, 0.5)));
  const Mesh mesh = fill_surface(box, 0, LengthUnit::centimetre);
  EXPECT_NEAR(volume_of_tag(mesh, mesh.volume_names.at("volume")), 1000, 1e-8);
}

TEST_F(FillSurface, KnowsTheVolumeAndMeanEdgeOfTheSurfaceBeforehand) {
  const auto box = file("box.vtp", vtp_text(box_surface({3, 2, 1}, 1, {1e4, -1e4, 0})));
  const SurfaceSize size = surface_size(box, LengthUnit::centimetre);
  EXPECT_NEAR(size.volume_mm3, 6000, 1e-6);
  EXPECT_NEAR(size.mean_edge_mm, 10 * (2 + std::sqrt(2.0)) / 3, 1e-9);
  BoxSurface open = box_surface({1, 1, 1}, 1);
  open.triangles.pop_back();
  const auto torn = file("torn.vtp", vtp_text(open));
  EXPECT_NE(input_error_of([&] { surface_size(torn); }).find("the surface is not closed"), std::string::npos);
}

TEST_F(FillSurface, NeitherMeasuresNorFillsAFileThatBreaksItsReader) {
  std::string text = vtp_text(box_surface({1, 1, 1}, 1));
  const std::string count = "NumberOfPolys=\"";
  const std::size_t at = text.find(count);
  ASSERT_NE(at, std::string::npos);
  text.insert(at + count.size(), "4000000000");
  const auto broken = file("broken.vtp", text);
  EXPECT_NE(input_error_of([&] { surface_size(broken); }).find("broken.vtp"), std::string::npos);
  EXPECT_NE(input_error_of([&] { fill_surface(broken, 0); }).find("broken.vtp"), std::string::npos);
}

TEST_F(FillSurface, SizesItsInsideByTheEdge) {
  const auto box = file("box.vtp", vtp_text(box_surface({6, 6, 6}, 1)));
  EXPECT_GT(fill_surface(box, 0.5).nodes.size(), 3 * fill_surface(box, 1.5).nodes.size());
}

TEST_F(FillSurface, RefusesAnOpenSurfaceWithAPlace) {
  BoxSurface box = box_surface({1, 1, 1}, 1);
  box.triangles.pop_back();
  EXPECT_EQ(error_for(file("open.vtp", vtp_text(box))),
            "mesh fill open.vtp: the surface is not closed: 3 edges with one triangle, 0 with more than two (expected "
            "two), the first from (0, 0, 1) mm to (0, 1, 1) mm; points at the same place count as one only when they "
            "have one number");
}

TEST_F(FillSurface, RefusesTrianglesThatMeetMoreThanOneOther) {
  BoxSurface box = box_surface({1, 1, 1}, 1);
  box.triangles.push_back(box.triangles.front());
  const std::string error = error_for(file("twice.vtp", vtp_text(box)));
  EXPECT_NE(error.find("0 edges with one triangle, 3 with more than two"), std::string::npos) << error;
  EXPECT_TRUE(error.ends_with("; triangles 0 and 12 have the same corners (counted from 0)")) << error;
}

TEST_F(FillSurface, RefusesASurfaceThatCutsItself) {
  BoxSurface boxes = box_surface({2, 2, 2}, 1);
  append(boxes, box_surface({2, 2, 2}, 1, {0.7, 0.6, 0.5}));
  const std::string error = error_for(file("cut.vtp", vtp_text(boxes)));
  EXPECT_TRUE(error.starts_with("mesh fill cut.vtp: the surface cuts or touches itself at (")) << error;
  EXPECT_NE(error.find(" mm: triangle 8 with the corners ("), std::string::npos) << error;
  EXPECT_NE(error.find(" pairs of triangles do (counted from 0): expected "), std::string::npos) << error;
}

TEST_F(FillSurface, RefusesATriangleWithoutAreaWithItsCorners) {
  // The edge from (0, 0, 0) to (1, 0, 0) has a corner in its middle on one side only: triangle 12 closes the gap.
  BoxSurface box = box_surface({1, 1, 1}, 1);
  const auto middle = static_cast<Index>(box.points.size());
  box.points.push_back({0.5, 0, 0});
  box.classes.push_back(1);
  const auto number = [&](Vector3 p) {
    return static_cast<Index>(std::find(box.points.begin(), box.points.end(), p) - box.points.begin());
  };
  const Index from = number({0, 0, 0}), to = number({1, 0, 0});
  for (std::size_t t = 0; t < box.triangles.size(); ++t) {
    Triangle& corners = box.triangles[t];
    const auto a = std::find(corners.begin(), corners.end(), from), b = std::find(corners.begin(), corners.end(), to);
    if (a == corners.end() || b == corners.end()) continue;
    Triangle other = corners;
    *a = middle;
    other[static_cast<std::size_t>(b - corners.begin())] = middle;
    box.triangles.push_back(other);
    box.triangles.push_back({from, to, middle});
    break;
  }
  ASSERT_EQ(box.triangles.size(), 14u);
  const std::string error = error_for(file("line.vtp", vtp_text(box)));
  EXPECT_TRUE(
      error.starts_with("mesh fill line.vtp: triangle 13 with the corners (0, 0, 0) mm, (1, 0, 0) mm and (0.5, "
                        "0, 0) mm has no area (counted from 0)"))
      << error;
}

/// The surfaces on which Gmsh 4.8 crashes, or says no more than that something cuts something.
std::filesystem::path case_of(const std::string& name) {
  return std::filesystem::path(CARDIOWARP_SHARED_FOLDER "/cases") / name;
}

TEST_F(FillSurface, AnswersWhereGmshCrashes) {
  const auto valid = case_of("fill_crash_abort/plate.stl"), touching = case_of("fill_crash_segv/plate.stl");
  if (!std::filesystem::exists(valid)) GTEST_SKIP() << valid << " is not here";
  std::vector<std::string> remarks;
  const Mesh mesh =
      fill_surface(valid, 0, LengthUnit::millimetre, [&](const std::string& remark) { remarks.push_back(remark); });
  EXPECT_EQ(faces_by_use(mesh)[0], sorted_triangles(mesh.triangles));
  EXPECT_EQ(mesh.triangles.size(), 312u);
  for (const Tetrahedron& nodes : mesh.tetrahedra) ASSERT_GT(volume(mesh, nodes), 0);
  for (const std::string& remark : remarks)  // another version of Gmsh may need no turn
    EXPECT_TRUE(remark.starts_with("mesh fill " + valid.string() + ": Gmsh made no mesh: it ended with a crash, "))
        << remark;
  const std::string error = input_error_of([&] { fill_surface(touching, 0); });
  EXPECT_TRUE(
      error.starts_with("mesh fill " + touching.string() + ": the surface cuts or touches itself at (27.0785, "))
      << error;
}

TEST_F(FillSurface, SaysWhereASurfaceCutsItselfAlsoWhereGmshDoesNot) {
  const auto surface = case_of("fill_message_without_place/s.stl");
  if (!std::filesystem::exists(surface)) GTEST_SKIP() << surface << " is not here";
  const std::string error = input_error_of([&] { fill_surface(surface, 0); });
  EXPECT_NE(error.find("cuts or touches itself at (7.66081, 1.46771, 5.77591) mm: triangle 28 "), std::string::npos)
      << error;
  EXPECT_NE(error.find(" meets triangle 243 "), std::string::npos) << error;
}

TEST_F(FillSurface, FillsShellsThatStandApart) {
  BoxSurface boxes = box_surface({2, 2, 2}, 1);
  append(boxes, box_surface({1, 1, 1}, 1, {5, 0, 0}));
  const Mesh mesh = fill_surface(file("apart.vtp", vtp_text(boxes)), 0);
  EXPECT_NEAR(volume_of_tag(mesh, mesh.volume_names.at("volume")), 9, 1e-10);
}

TEST_F(FillSurface, RefusesAShellInsideAnother) {
  BoxSurface boxes = box_surface({4, 4, 4}, 1);
  append(boxes, box_surface({1, 1, 1}, 1, {1.5, 1.5, 1.5}));
  EXPECT_EQ(
      error_for(file("nested.vtp", vtp_text(boxes))),
      "mesh fill nested.vtp: Gmsh could not keep all triangles as the boundary (a shell inside another one is not "
      "supported): the first that it lost is triangle 192 with the corners (1.5, 1.5, 1.5) mm, (1.5, 1.5, 2.5) mm and "
      "(1.5, 2.5, 2.5) mm");
}

TEST_F(FillSurface, RefusesOtherPolygonsAndClassesThatAreNone) {
  BoxSurface box = box_surface({1, 1, 1}, 1);
  box.classes[2] = -4;
  EXPECT_EQ(error_for(file("class.vtp", vtp_text(box))),
            "mesh fill class.vtp: class: expected whole numbers from 0 on, got -4 at 2");
  std::string uneven = vtp_text(box_surface({1, 1, 1}, 1));
  const auto last_but_one = uneven.rfind(" 33 36 ");
  ASSERT_NE(last_but_one, std::string::npos);
  uneven.replace(last_but_one, 7, " 32 36 ");
  EXPECT_EQ(error_for(file("uneven.vtp", uneven)),
            "mesh fill uneven.vtp: cell 10 has 2 corners: expected triangles only");
}

TEST_F(FillSurface, RefusesFilesItCannotRead) {
  EXPECT_EQ(error_for(directory / "none.vtp"), "mesh fill none.vtp: cannot be read: No such file or directory");
  ASSERT_EQ(::mkfifo((directory / "fifo.stl").c_str(), 0666), 0);
  EXPECT_EQ(error_for(directory / "fifo.stl"),
            "mesh fill fifo.stl: cannot be read: expected a regular file, got a FIFO");
  EXPECT_EQ(error_for(file("box.off", "v 0 0 0")),
            "mesh fill box.off: expected a surface file .vtp, .stl, .ply or .obj, got '.off'");
  EXPECT_EQ(input_error_of([&] { fill_surface("box.vtp", -1); }),
            "mesh fill: edge: expected a length above 0 mm, got -1 mm");
  const std::string whole = vtp_text(box_surface({1, 1, 1}, 0.5));
  for (std::size_t part = 0; part < 12; ++part)
    EXPECT_NE(error_for(file("cut.vtp", whole.substr(0, part * whole.size() / 12))).find("VTK says: "),
              std::string::npos)
        << part << "/12 of the file";
}

TEST_F(FillSurface, OfAFileThatVtkDoesNotSurviveIsAnError) {
  std::string text = vtp_text(box_surface({1, 1, 1}, 1));
  const std::string components = "NumberOfComponents=\"3\"";
  text.replace(text.find(components), components.size(), "NumberOfComponents=\"-3\"");
  EXPECT_TRUE(error_for(file("wrong.vtp", text)).starts_with("mesh fill wrong.vtp: cannot be read: "));
}

TEST_F(FillSurface, FillsTheHumanBiventricle) {
  const std::filesystem::path surface = CARDIOWARP_SHARED_FOLDER "/meshes/human_biventricle_surface.vtp";
  if (!std::filesystem::exists(surface)) GTEST_SKIP() << surface << " is not here";
  const Mesh mesh = fill_surface(surface, 0);
  EXPECT_EQ(mesh.triangles.size(), 49978u);
  EXPECT_NEAR(static_cast<Real>(mesh.nodes.size()), 38000, 2000);
  EXPECT_NEAR(static_cast<Real>(mesh.tetrahedra.size()), 158000, 10000);
  EXPECT_EQ(faces_by_use(mesh)[0], sorted_triangles(mesh.triangles));
  for (const Tetrahedron& nodes : mesh.tetrahedra) ASSERT_GT(volume(mesh, nodes), 0);
}

}  // namespace
}  // namespace cardiowarp
