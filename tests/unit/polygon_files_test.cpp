#include "meshes/polygon_files.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "fem/mesh.hpp"
#include "meshes/generate.hpp"
#include "meshes/surface_file.hpp"
#include "meshes/text_rows.hpp"
#include "tests/support/input_error_of.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/text_file.hpp"

namespace cardiowarp {
namespace {

const std::vector<Vector3> corners{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
const std::vector<Triangle> faces{{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

const std::string ply =
    "ply\nformat ascii 1.0\ncomment by hand\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
    "property uchar red\nelement face 4\nproperty int flags\nproperty list uchar int vertex_indices\nend_header\n"
    "0 0 0 7\n1 0 0 7\n0 1 0 7\n0 0 1 7\n9 3 0 2 1\n9 3 0 1 3\n9 3 0 3 2\n9 3 1 2 3\n";

const std::string obj =
    "# by hand\no thing\nv 0 0 0\nv 1 0 0 0.5 0.5 0.5\nv 0 1 0\nv 0 0 1\nvn 0 0 1\nf 1//1 3//1 2//1\nf 1 2/7 4\n"
    "f 1 4 3 # last but one\nf -3 -2 -1\n";

std::string ply_error(const std::string& text) {
  return test::input_error_of([&] { read_ply_text({"a.ply", text}); });
}
std::string obj_error(const std::string& text) {
  return test::input_error_of([&] { read_obj_text({"a.obj", text}); });
}

TEST(PlyText, HasVerticesAndFacesAmongOtherProperties) {
  const Mesh surface = read_ply_text({"a.ply", ply});
  EXPECT_EQ(surface.nodes, corners);
  EXPECT_EQ(surface.triangles, faces);
}

TEST(PlyText, WithAMistakeNamesLineAndValue) {
  EXPECT_EQ(ply_error(replaced(ply, "1 0 0 7", "1 abc 0 7")), "a.ply:14: expected a number, got 'abc'");
  EXPECT_EQ(ply_error(replaced(ply, "9 3 1 2 3", "9 3 1 2 4")), "a.ply:20: a face has vertex 4: expected 0 to 3");
  EXPECT_EQ(ply_error(replaced(ply, "9 3 1 2 3", "9 4 1 2 3 0")),
            "a.ply:20: a face has 4 corners: expected triangles only");
  EXPECT_EQ(ply_error(replaced(ply, "9 3 1 2 3\n", "")),
            "a.ply:19: expected a number, got the end of the file (truncated?)");
  EXPECT_EQ(ply_error(replaced(ply, "vertex 4", "vertex 999999")),
            "a.ply:4: 999999 elements vertex are more than the file can hold");
  EXPECT_EQ(ply_error(replaced(ply, "float x", "half x")),
            "a.ply:5: expected a type of numbers such as float, got 'half'");
  EXPECT_EQ(ply_error(replaced(ply, "float z", "float w")), "a.ply:13: expected finite x, y and z of a vertex");
  EXPECT_EQ(ply_error(replaced(ply, "vertex_indices", "corners")),
            "a.ply:17: the element face has no property vertex_indices");
  EXPECT_EQ(ply_error(replaced(ply, "element face", "element side")), "a.ply:20: the file has no element face");
  EXPECT_EQ(ply_error("solid\n"), "a.ply:1: is not a PLY file: expected ply");
}

/// The numbers of a binary file in one byte order.
struct Bytes {
  bool is_big;
  std::string text;

  template <class Value>
  void add(Value value) {
    std::array<char, sizeof(Value)> bytes;
    std::memcpy(bytes.data(), &value, sizeof value);
    if (is_big) std::reverse(bytes.begin(), bytes.end());
    text.append(bytes.data(), bytes.size());
  }
};

TEST(PlyText, MayBeBinaryInEitherByteOrder) {
  for (const bool is_big : {false, true}) {
    Bytes bytes{is_big, std::string("ply\nformat ") + (is_big ? "binary_big_endian" : "binary_little_endian") +
                            " 1.0\nelement vertex 4\nproperty double x\nproperty float y\nproperty short z\n"
                            "element face 4\nproperty list uchar uint vertex_index\nend_header\n"};
    for (const Vector3& p : corners)
      bytes.add(p.x), bytes.add(static_cast<float>(p.y)), bytes.add(static_cast<std::int16_t>(p.z));
    for (const auto& [a, b, c] : faces)
      bytes.add(std::uint8_t{3}), bytes.add(std::uint32_t(a)), bytes.add(std::uint32_t(b)), bytes.add(std::uint32_t(c));
    const Mesh surface = read_ply_text({"a.ply", bytes.text});
    EXPECT_EQ(surface.nodes, corners);
    EXPECT_EQ(surface.triangles, faces);
    EXPECT_NE(ply_error(bytes.text.substr(0, bytes.text.size() - 1)).find("got the end of the file (truncated?)"),
              std::string::npos);
  }
}

TEST(ObjText, HasFacesOfNumbersForwardsAndBackwards) {
  const Mesh surface = read_obj_text({"a.obj", obj});
  EXPECT_EQ(surface.nodes, corners);
  EXPECT_EQ(surface.triangles, faces);
}

TEST(ObjText, WithAMistakeNamesLineAndValue) {
  EXPECT_EQ(obj_error(replaced(obj, "v 0 1 0", "v 0 abc 0")), "a.obj:5: expected a coordinate, got 'abc'");
  EXPECT_EQ(obj_error(replaced(obj, "f 1 2/7 4", "f 1 2/7 5")),
            "a.obj:9: a face has vertex 5: expected 1 to 4, which stand before it");
  EXPECT_EQ(obj_error(replaced(obj, "f -3", "f -5")),
            "a.obj:11: a face has vertex -5: expected 1 to 4, which stand before it");
  EXPECT_EQ(obj_error(replaced(obj, "f 1 2/7 4", "f 1 2/7 4 3")),
            "a.obj:9: a face has 4 corners: expected triangles only");
  EXPECT_EQ(obj_error(replaced(obj, "f 1 2/7 4", "f x 2/7 4")), "a.obj:9: expected the number of a vertex, got 'x'");
  EXPECT_EQ(obj_error(obj.substr(0, obj.size() - 1)), "a.obj: expected a line break at the end (truncated file?)");
}

class JoinedSurfaces : public testing::Test {
 protected:
  std::filesystem::path file(const char* name, const std::string& text) const {
    test::write_text(directory / name, text);
    return directory / name;
  }
  test::TemporaryDirectory directory;
};

/// A tetrahedron of 3 cm in two open files whose points are their own: one face as OBJ, the three others as PLY.
const std::string base = "v 0 0 0\nv 3 0 0\nv 0 3 0\nv 9 9 9\nf 1 3 2\n";
const std::string wall = replaced(
    replaced(replaced(replaced(replaced(ply, "9 3 0 2 1\n", ""), "face 4", "face 3"), "\n1 0 0 7", "\n3 0 0 7"),
             "\n0 1 0 7", "\n0 3 0.0000001 7"),
    "\n0 0 1 7", "\n0 0 3 7");

TEST_F(JoinedSurfaces, CloseOneAnotherAndHaveTheNamesOfTheirFiles) {
  const std::vector<std::filesystem::path> files{file("base.obj", base), file("wall.ply", wall)};
  const Mesh mesh = fill_surface(files, 0, LengthUnit::centimetre);
  EXPECT_EQ(mesh.surface_names, (std::map<std::string, int>{{"base", 1}, {"wall", 2}}));
  EXPECT_EQ(mesh.triangle_tags, (std::vector<int>{1, 2, 2, 2}));
  EXPECT_EQ(mesh.volume_names, (std::map<std::string, int>{{"volume", 3}}));
  EXPECT_NEAR(surface_size(files, LengthUnit::centimetre).volume_mm3, 4500, 1e-3);
  EXPECT_EQ(mesh.nodes[1], (Vector3{30, 0, 0}));
}

TEST_F(JoinedSurfaces, ThatLeaveAGapAreRefusedWithAPlace) {
  const std::vector<std::filesystem::path> files{file("base.obj", replaced(base, "v 0 3 0", "v 0 2.9 0")),
                                                 file("wall.ply", wall)};
  const std::string error = test::input_error_of([&] { surface_size(files); });
  EXPECT_NE(error.find("the surface is not closed: 4 edges with one triangle"), std::string::npos) << error;
}

TEST_F(JoinedSurfaces, OfOneNameAreRefused) {
  std::filesystem::create_directory(directory / "other");
  const std::vector<std::filesystem::path> files{file("wall.obj", base), file("other/wall.ply", wall)};
  const std::string error = test::input_error_of([&] { surface_size(files); });
  EXPECT_NE(error.find("two files give the surface the name 'wall'"), std::string::npos) << error;
}

TEST_F(JoinedSurfaces, OfOneObjWithPointsOfTheirOwnForEachFaceAreOneSurface) {
  std::string text;
  for (const auto& [a, b, c] : faces)
    for (const Index node : {a, b, c}) {
      const Vector3 p = corners[static_cast<std::size_t>(node)];
      text += "v " + std::to_string(p.x) + " " + std::to_string(p.y) + " " + std::to_string(p.z) + "\n";
    }
  for (int face = 0; face < 4; ++face)
    text += "f " + std::to_string(3 * face + 1) + " " + std::to_string(3 * face + 2) + " " +
            std::to_string(3 * face + 3) + "\n";
  EXPECT_NEAR(surface_size(file("soup.obj", text)).volume_mm3, 1.0 / 6, 1e-12);
}

}  // namespace
}  // namespace cardiowarp
