// The pictures of a report, pixel by pixel.

#include <gtest/gtest.h>
#include <zlib.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "app/report/png.hpp"
#include "app/report/surface_picture.hpp"
#include "fem/mesh.hpp"

namespace cardiowarp {
namespace {

using Color = std::array<int, 3>;

Color pixel(const RgbImage& image, int column, int row) {
  const std::size_t at =
      3 * (static_cast<std::size_t>(row) * static_cast<std::size_t>(image.width) + static_cast<std::size_t>(column));
  return {image.bytes.at(at), image.bytes.at(at + 1), image.bytes.at(at + 2)};
}

std::uint32_t number_at(const std::string& bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t k = 0; k < 4; ++k) value = value << 8 | static_cast<std::uint8_t>(bytes.at(at + k));
  return value;
}

TEST(Base64, HasTheExamplesOfItsStandard) {
  const std::vector<std::pair<std::string, std::string>> examples{{"", ""},
                                                                  {"f", "Zg=="},
                                                                  {"fo", "Zm8="},
                                                                  {"foo", "Zm9v"},
                                                                  {"foob", "Zm9vYg=="},
                                                                  {"fooba", "Zm9vYmE="},
                                                                  {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : examples) EXPECT_EQ(base64_of(bytes), text);
  EXPECT_EQ(base64_of(std::string("\xff\xfe\x00", 3)), "//4A");
}

TEST(Png, HasItsChunksWithTheirChecksumsAndTheRowsOfTheImage) {
  const RgbImage image{3, 2, {1, 2, 3, 4, 5, 6, 7, 8, 9, 250, 251, 252, 13, 14, 15, 16, 17, 18}};
  const std::string png = png_of(image);
  EXPECT_EQ(png.substr(0, 8), "\x89PNG\r\n\x1a\n");
  std::string names, data;
  for (std::size_t at = 8; at < png.size();) {
    const std::size_t length = number_at(png, at);
    names += png.substr(at + 4, 4);
    if (png.substr(at + 4, 4) == "IDAT") data = png.substr(at + 8, length);
    EXPECT_EQ(number_at(png, at + 8 + length),
              crc32(0, reinterpret_cast<const Bytef*>(png.data()) + at + 4, static_cast<uInt>(length + 4)));
    at += 12 + length;
  }
  EXPECT_EQ(names, "IHDRIDATIEND");
  EXPECT_EQ(number_at(png, 16), 3);
  EXPECT_EQ(number_at(png, 20), 2);
  std::string rows(20, '\0');
  uLongf size = rows.size();
  ASSERT_EQ(uncompress(reinterpret_cast<Bytef*>(rows.data()), &size, reinterpret_cast<const Bytef*>(data.data()),
                       data.size()),
            Z_OK);
  EXPECT_EQ(size, 20);
  EXPECT_EQ(rows, std::string("\0\1\2\3\4\5\6\7\10\11\0\372\373\374\15\16\17\20\21\22", 20));
}

/// Two tetrahedra, the second one behind the first and twice as large, seen along z.
Mesh two_in_a_row() {
  Mesh mesh;
  mesh.nodes = {{0, 0, 5}, {4, 0, 5}, {0, 4, 5}, {0, 0, 6}, {0, 0, 0}, {8, 0, 0}, {0, 8, 0}, {0, 0, 1}};
  mesh.tetrahedra = {{0, 1, 2, 3}, {4, 5, 6, 7}};
  return mesh;
}

const View along_z{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

TEST(SurfacePicture, ShowsWhatIsInFront) {
  const Mesh mesh = two_in_a_row();
  const SurfacePictures pictures(mesh);
  const std::vector<Real> values{1, 1, 1, 1, 0, 0, 0, 0};
  const RgbImage image = pictures.picture(along_z, values, {0, 1, 0}, 84, 0);
  EXPECT_EQ(image.width, 84);
  EXPECT_EQ(image.height, 84);
  // 10 pixels a mm, 2 beside; y upwards: (1, 1) mm is pixel (12, 71).
  const Color front = pixel(image, 12, 71), behind = pixel(image, 62, 71);
  EXPECT_GT(front[0], front[2]) << "yellow";
  EXPECT_GT(behind[2], behind[1]) << "violet";
  EXPECT_EQ(pixel(image, 80, 5), (Color{255, 255, 255}));
  const RgbImage back = pictures.picture({{-1, 0, 0}, {0, 1, 0}, {0, 0, -1}}, values, {0, 1, 0}, 84, 0);
  const Color hidden = pixel(back, 71, 71);
  EXPECT_GT(hidden[2], hidden[1]) << "the large one hides the other from behind";
}

TEST(SurfacePicture, IsGrayWhereACornerHasNoValue) {
  const Mesh mesh = two_in_a_row();
  for (const Real none : {Real(-1), Real(NAN)}) {
    const RgbImage image = SurfacePictures(mesh).picture(along_z, {none, 1, 1, none, 0, 0, 0, 0}, {0, 1, 0}, 84, 0);
    const Color color = pixel(image, 12, 71);
    EXPECT_EQ(color[0], color[1]);
    EXPECT_EQ(color[1], color[2]);
    EXPECT_LT(color[0], 200);
  }
}

TEST(SurfacePicture, HasADarkLineAtMultiplesOfItsDistance) {
  Mesh mesh;
  mesh.nodes = {{0, 0, 0}, {100, 0, 0}, {0, 100, 0}, {0, 0, -1}};
  mesh.tetrahedra = {{0, 2, 1, 3}};
  const RgbImage image = SurfacePictures(mesh).picture(along_z, {0, 100, 0, 0}, {0, 100, 20}, 404, 0);
  const auto brightness = [&](int column) {
    const Color color = pixel(image, column, 390);
    return color[0] + color[1] + color[2];
  };
  // 4 pixels a mm: the line of 40 is at column 162.
  EXPECT_LT(brightness(162), 0.7 * brightness(182));
  EXPECT_NEAR(brightness(182), brightness(186), 20);
}

TEST(SurfacePicture, SurvivesAMeshInAPlaneAndValuesThatAreAllTheSame) {
  Mesh mesh;
  mesh.nodes = {{1, 1, 1}, {1, 1, 2}, {1, 2, 1}, {1, 2, 2}};
  mesh.tetrahedra = {{0, 1, 2, 3}};
  const RgbImage edge_on = SurfacePictures(mesh).picture(along_z, {3, 3, 3, 3}, {3, 3, 0}, 50, 0);
  EXPECT_EQ(edge_on.bytes.size(), static_cast<std::size_t>(3 * edge_on.width * edge_on.height));
  EXPECT_EQ(edge_on.height, 50);
}

TEST(TwoViews, AreAcrossTheShortestExtentWithZUp) {
  const auto [front, back] = two_views({{0, 0, 0}, {9, 5, 7}});
  EXPECT_EQ(front.toward.y, -1);
  EXPECT_EQ(front.up.z, 1);
  EXPECT_EQ(back.right.x, -1);
  const auto slab = two_views({{0, 0, 0}, {20, 7, 3}});
  EXPECT_EQ(slab[0].toward.z, 1);
  EXPECT_EQ(slab[0].up.y, 1);
  const auto narrow = two_views({{0, 0, 0}, {2, 7, 9}});
  EXPECT_EQ(narrow[0].toward.x, 1);
  for (const View& view : {front, back, slab[0], slab[1], narrow[0], narrow[1]})
    EXPECT_EQ(dot(cross(view.right, view.up), view.toward), 1) << "no mirror image";
}

TEST(Viridis, HasItsEndsAndNothingBeyond) {
  EXPECT_EQ(color_of(0), (Color{68, 1, 84}));
  EXPECT_EQ(color_of(1), (Color{253, 231, 37}));
  EXPECT_EQ(color_of(-3), color_of(0));
  EXPECT_EQ(color_of(7), color_of(1));
  EXPECT_EQ(color_of(0.0625), (Color{70, 23, 103}));
}

}  // namespace
}  // namespace cardiowarp
