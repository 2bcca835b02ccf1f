#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace cardiowarp {

/// Red, green and blue of each pixel, row by row from the upper left corner.
struct RgbImage {
  int width = 0, height = 0;
  std::vector<std::uint8_t> bytes = {};  ///< [height][width][3]
};

/// The image as a PNG file (ISO/IEC 15948), compressed by zlib.
std::string png_of(const RgbImage& image);

/// RFC 4648.
std::string base64_of(const std::string& bytes);

}  // namespace cardiowarp
