#include "meshes/vtu_stored.hpp"

#include <fmt/format.h>
#include <libdeflate.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <memory>
#include <new>

#include "fem/input_error.hpp"
#include "kernels/backend/thread_team.hpp"

namespace cardiowarp {
namespace {

using Count = std::uint64_t;

constexpr std::array<std::int16_t, 256> value_of_base64() {
  std::array<std::int16_t, 256> values{};
  values.fill(-1);
  constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (std::size_t i = 0; i < alphabet.size(); ++i)
    values[static_cast<unsigned char>(alphabet[i])] = static_cast<std::int16_t>(i);
  return values;
}

/// The bytes that four characters stand for: `count` of them, up to three, are wanted. False where they are not base64.
bool decode_group(const char* group, char* bytes, std::size_t count) {
  static constexpr std::array<std::int16_t, 256> values = value_of_base64();
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i <= count; ++i) {
    const int value = values[static_cast<unsigned char>(group[i])];
    if (value < 0) return false;
    bits |= static_cast<std::uint32_t>(value) << (18 - 6 * i);
  }
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<char>(bits >> (16 - 8 * i));
  return true;
}

/// `count` bytes of base64 from `text`, which has as many characters as they need.
bool decode_base64(const char* text, char* bytes, std::size_t count) {
  std::atomic<bool> good = true;
  constexpr std::int64_t least = 1 << 14;
  parallel_ranges(static_cast<std::int64_t>((count + 2) / 3), least, [&](std::int64_t begin, std::int64_t end) {
    for (auto group = static_cast<std::size_t>(begin); group < static_cast<std::size_t>(end); ++group)
      if (!decode_group(text + 4 * group, bytes + 3 * group, std::min<std::size_t>(3, count - 3 * group)))
        return good.store(false);
  });
  return good;
}

struct FreeDecompressor {
  void operator()(libdeflate_decompressor* decompressor) const { libdeflate_free_decompressor(decompressor); }
};

bool inflate(std::string_view block, char* bytes, std::size_t count) {
  thread_local const std::unique_ptr<libdeflate_decompressor, FreeDecompressor> decompressor(
      libdeflate_alloc_decompressor());
  if (!decompressor) throw std::bad_alloc();
  std::size_t found = 0;
  return libdeflate_zlib_decompress(decompressor.get(), block.data(), block.size(), bytes, count, &found) ==
             LIBDEFLATE_SUCCESS &&
         found == count;
}

}  // namespace

std::vector<Count> VtuStored::numbers(Count count, const VtuEncoding& encoding) const {
  const std::size_t width = encoding.header_bytes;
  const std::optional<TeamVector<char>> stored = bytes(count * width, 0);
  if (!stored) throw InputError("is not base64");
  std::vector<Count> values(count, 0);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t byte = 0; byte < width; ++byte) {
      const std::size_t significance = encoding.swapped ? width - 1 - byte : byte;
      values[i] |= Count{static_cast<unsigned char>((*stored)[i * width + byte])} << (8 * significance);
    }
  return values;
}

std::optional<TeamVector<char>> VtuStored::bytes(Count bytes, Count after) const {
  const char* const begin = data_.data() + after;
  if (!base64_) return TeamVector<char>(begin, begin + bytes);
  TeamVector<char> result(bytes);
  return decode_base64(begin, result.data(), bytes) ? std::optional(std::move(result)) : std::nullopt;
}

Count decoded_bytes(const VtuStored& stored, const VtuEncoding& encoding) {
  const Count width = encoding.header_bytes;
  const auto expect = [](bool there) {
    if (!there) throw InputError("is cut off");
  };
  if (!encoding.compressed) {
    if (!stored.holds(width)) return 0;
    const Count bytes = stored.numbers(1, encoding)[0];
    expect(bytes <= std::numeric_limits<Count>::max() / 8 && stored.holds(width + bytes));
    return bytes;
  }
  if (!stored.holds(3 * width)) return 0;
  const std::vector<Count> head = stored.numbers(3, encoding);
  const Count blocks = head[0], block_bytes = head[1], last_bytes = head[2] == 0 ? block_bytes : head[2];
  if (blocks == 0) return 0;
  expect(blocks <= std::numeric_limits<std::uint32_t>::max() && stored.holds((3 + blocks) * width));
  Count compressed = 0;
  const std::vector<Count> sizes = stored.numbers(3 + blocks, encoding);
  for (Count block = 0; block < blocks; ++block) {
    expect(sizes[3 + block] <= std::numeric_limits<Count>::max() - compressed);
    compressed += sizes[3 + block];
    expect(stored.holds(compressed, stored.length((3 + blocks) * width)));
  }
  // VTK divides by the one and reads past its blocks with the other; no compression that it knows saves more than this.
  constexpr Count most = 10'000;
  if (block_bytes == 0 || last_bytes > block_bytes || block_bytes > std::numeric_limits<std::uint32_t>::max() ||
      ((blocks - 1) * block_bytes + last_bytes) / most > compressed)
    throw InputError(fmt::format("has {} blocks of {} bytes, the last of {}, in {} bytes, which cannot be", blocks,
                                 block_bytes, last_bytes, compressed));
  return (blocks - 1) * block_bytes + last_bytes;
}

std::optional<TeamVector<char>> decoded(const VtuStored& stored, const VtuEncoding& encoding) {
  const Count bytes = decoded_bytes(stored, encoding), width = encoding.header_bytes;
  if (bytes == 0) return TeamVector<char>();
  if (!encoding.compressed) {
    if (!stored.is_base64()) return stored.bytes(bytes, width);
    std::optional<TeamVector<char>> all = stored.bytes(width + bytes, 0);
    if (all) all->erase(all->begin(), all->begin() + static_cast<std::ptrdiff_t>(width));
    return all;
  }
  const std::vector<Count> head = stored.numbers(3 + stored.numbers(1, encoding)[0], encoding);
  const Count blocks = head[0], block_bytes = head[1];
  std::vector<Count> begins(blocks + 1, 0);
  for (Count block = 0; block < blocks; ++block) begins[block + 1] = begins[block] + head[3 + block];
  const Count after = stored.length(head.size() * width);
  std::string_view compressed = stored.text(after);
  std::optional<TeamVector<char>> decoded_text;
  if (stored.is_base64()) {
    decoded_text = stored.bytes(begins.back(), after);
    if (!decoded_text) return {};
    compressed = {decoded_text->data(), decoded_text->size()};
  }
  TeamVector<char> result(bytes);
  std::atomic<bool> good = true;
  parallel_ranges(static_cast<std::int64_t>(blocks), 1, [&](std::int64_t first, std::int64_t last) {
    for (auto block = static_cast<Count>(first); block < static_cast<Count>(last); ++block) {
      const std::string_view data = compressed.substr(begins[block], begins[block + 1] - begins[block]);
      const Count begin = block * block_bytes;
      if (!inflate(data, result.data() + begin, std::min(block_bytes, bytes - begin))) good = false;
    }
  });
  return good ? std::optional(std::move(result)) : std::nullopt;
}

}  // namespace cardiowarp
