#include "app/output/remembering_compressor.hpp"

#include <vtkObjectFactory.h>
#include <zlib.h>

#include <algorithm>
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
  const std::size_t bytes = vtkZLibDataCompressor::CompressBuffer(data, size, compressed, room);
  if (learned != nullptr && bytes > 0) learned->try_emplace(hash, compressed, compressed + bytes);
  return bytes;
}

}  // namespace cardiowarp
