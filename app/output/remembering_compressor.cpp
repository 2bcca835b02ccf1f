#include "app/output/remembering_compressor.hpp"

#include <vtkObjectFactory.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <functional>
#include <span>
#include <string_view>

namespace cardiowarp {
namespace {

/// zlib ends a stream with the Adler-32 checksum of what it compressed, its most significant byte first (RFC 1950).
bool has_checksum_of(const std::vector<unsigned char>& compressed, const unsigned char* data, std::size_t size) {
  uLong checksum = 0;
  for (const unsigned char byte : std::span(compressed).last(4)) checksum = checksum << 8 | byte;
  return checksum == adler32_z(adler32_z(0, nullptr, 0), data, size);
}

/// Whether deflating a block of doubles is worth its time, by a sample from its middle. The values of a wave under way
/// differ in nearly all their bits: deflating them takes most of what a frame costs and saves some per cent.
bool is_worth_deflating(const unsigned char* data, std::size_t size, int level) {
  constexpr std::size_t sample = 2048, smallest_block = 4 * sample;
  constexpr double worth = 0.8;
  if (size < smallest_block) return true;
  std::array<unsigned char, 2 * sample> deflated;
  const std::size_t bytes =
      deflate_block(data + (size - sample) / 2 / 8 * 8, sample, level, deflated.data(), deflated.size());
  return bytes == 0 || static_cast<double>(bytes) < worth * sample;
}

}  // namespace

vtkStandardNewMacro(RememberingCompressor);

std::size_t RememberingCompressor::CompressBuffer(const unsigned char* data, std::size_t size,
                                                  unsigned char* compressed, std::size_t room) {
  const std::uint64_t hash = std::hash<std::string_view>()({reinterpret_cast<const char*>(data), size});
  if (known != nullptr) {
    const auto found = known->find(hash);
    if (found != known->end() && has_checksum_of(found->second, data, size)) {
      std::ranges::copy(found->second, compressed);
      return found->second.size();
    }
  }
  // What is learned is compressed once for all frames.
  const int level = this->GetCompressionLevel();
  const bool deflates = learned != nullptr || is_worth_deflating(data, size, level);
  const std::size_t bytes = deflate_block(data, size, deflates ? level : Z_NO_COMPRESSION, compressed, room);
  if (learned != nullptr && bytes > 0) learned->try_emplace(hash, compressed, compressed + bytes);
  return bytes;
}

}  // namespace cardiowarp
