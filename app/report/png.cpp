#include "app/report/png.hpp"

#include <zlib.h>

#include <cstddef>
#include <stdexcept>

namespace cardiowarp {
namespace {

void append_number(std::string& bytes, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xFF);
}

void append_chunk(std::string& png, const std::string& name, const std::string& content) {
  append_number(png, static_cast<std::uint32_t>(content.size()));
  const std::string named = name + content;
  png += named;
  append_number(png, static_cast<std::uint32_t>(
                         crc32(0, reinterpret_cast<const Bytef*>(named.data()), static_cast<uInt>(named.size()))));
}

std::string compressed(const std::string& content) {
  uLongf size = compressBound(content.size());
  std::string bytes(size, '\0');
  if (compress2(reinterpret_cast<Bytef*>(bytes.data()), &size, reinterpret_cast<const Bytef*>(content.data()),
                content.size(), Z_BEST_SPEED) != Z_OK)
    throw std::runtime_error("zlib does not compress a picture");
  bytes.resize(size);
  return bytes;
}

}  // namespace

std::string png_of(const RgbImage& image) {
  std::string head;
  append_number(head, static_cast<std::uint32_t>(image.width));
  append_number(head, static_cast<std::uint32_t>(image.height));
  head += {8, 2, 0, 0, 0};  // bits of a color; colors are red, green, blue; the usual methods
  std::string rows;
  const std::size_t row_bytes = 3 * static_cast<std::size_t>(image.width);
  for (int row = 0; row < image.height; ++row) {
    rows += '\0';  // no filter
    rows.append(reinterpret_cast<const char*>(image.bytes.data()) + static_cast<std::size_t>(row) * row_bytes,
                row_bytes);
  }
  std::string png = "\x89PNG\r\n\x1a\n";
  append_chunk(png, "IHDR", head);
  append_chunk(png, "IDAT", compressed(rows));
  append_chunk(png, "IEND", "");
  return png;
}

std::string base64_of(const std::string& bytes) {
  constexpr const char* letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t begin = 0; begin < bytes.size(); begin += 3) {
    std::uint32_t three = 0;
    const std::size_t known = std::min<std::size_t>(3, bytes.size() - begin);
    for (std::size_t k = 0; k < 3; ++k)
      three = three << 8 | (k < known ? static_cast<std::uint8_t>(bytes[begin + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k) text += k <= known ? letters[three >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

}  // namespace cardiowarp
