#include "app/output/vtu_blocks.hpp"

#include <libdeflate.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <new>
#include <stdexcept>
#include <vector>

#include "kernels/backend/thread_team.hpp"

namespace cardiowarp {
namespace {

/// libdeflate's compressors of one thread, each made at its first use: to make one takes longer than to deflate a small
/// block with it.
class Compressors {
 public:
  std::size_t deflate(int level, std::span<const std::byte> data, std::span<char> room) {
    auto& compressor = of_level_[static_cast<std::size_t>(level)];
    if (!compressor) compressor.reset(libdeflate_alloc_compressor(level));
    if (!compressor) throw std::bad_alloc();
    return libdeflate_zlib_compress(compressor.get(), data.data(), data.size(), room.data(), room.size());
  }

 private:
  struct Free {
    void operator()(libdeflate_compressor* compressor) const { libdeflate_free_compressor(compressor); }
  };
  std::array<std::unique_ptr<libdeflate_compressor, Free>, 13> of_level_;
};

Compressors& compressors_of_thread() {
  thread_local Compressors compressors;
  return compressors;
}

constexpr int stored = 0, fast = 1, thorough = 10;

/// Whether deflating a block of values is worth its time, by a sample from its middle. The values of a wave under way
/// differ in nearly all their bits: deflating them takes most of what a frame costs and saves some per cent.
bool is_worth_deflating(std::span<const std::byte> block, Compressors& compressors) {
  constexpr std::size_t sample = 2048, smallest_block = 4 * sample;
  constexpr double worth = 0.8;
  if (block.size() < smallest_block) return true;
  std::array<char, 2 * sample> deflated;
  const std::size_t bytes =
      compressors.deflate(fast, block.subspan((block.size() - sample) / 2 / 8 * 8, sample), deflated);
  return bytes == 0 || static_cast<double>(bytes) < worth * sample;
}

int level_of(Deflation deflation, std::span<const std::byte> block, Compressors& compressors) {
  if (deflation == Deflation::thorough) return thorough;
  return deflation == Deflation::fast || is_worth_deflating(block, compressors) ? fast : stored;
}

/// The room that any block may need, whatever the level.
std::size_t most_bytes_of(std::size_t block) { return libdeflate_zlib_compress_bound(nullptr, block); }

/// The zlib stream of a block in `room`, which has most_bytes_of() it; its bytes.
std::size_t deflate(const ArrayBytes& array, std::size_t first, std::span<char> room, std::vector<std::byte>& scratch) {
  const std::size_t size = std::min(array.block, array.size - first);
  scratch.resize(array.block);
  const std::span<const std::byte> block = array.read(first, std::span(scratch).first(size));
  Compressors& compressors = compressors_of_thread();
  const std::size_t bytes = compressors.deflate(level_of(array.deflation, block, compressors), block, room);
  if (bytes == 0) throw std::logic_error("output: a block found no room");
  return bytes;
}

}  // namespace

ArrayBytes bytes_in_memory(std::span<const std::byte> bytes, std::size_t block, Deflation deflation) {
  return {bytes.size(), block, deflation,
          [bytes](std::size_t first, std::span<std::byte> room) { return bytes.subspan(first, room.size()); }};
}

void VtuBlocks::move_to_room_for(std::size_t bytes) {
  auto room = std::make_unique_for_overwrite<char[]>(bytes);
  if (size_ > 0) std::memcpy(room.get(), data_.get(), size_);
  data_ = std::move(room);
  capacity_ = bytes;
}

void VtuBlocks::fit() { move_to_room_for(size_); }

void VtuBlocks::append(const ArrayBytes& array) {
  const std::size_t blocks = (array.size + array.block - 1) / array.block, slot = most_bytes_of(array.block);
  std::vector<std::uint64_t> head(3 + blocks);
  std::ranges::copy(std::array<std::uint64_t, 3>{blocks, array.block, array.size % array.block}, head.begin());
  const std::size_t head_bytes = head.size() * sizeof(std::uint64_t);
  const std::size_t needed = size_ + head_bytes + blocks * slot;
  if (needed > capacity_) move_to_room_for(std::max(needed, capacity_ + capacity_ / 2));
  char* const first = data_.get() + size_ + head_bytes;
  std::uint64_t* const sizes = head.data() + 3;
  parallel_ranges(static_cast<std::int64_t>(blocks), 1, [&](std::int64_t begin, std::int64_t end) {
    std::vector<std::byte> scratch;
    for (std::int64_t block = begin; block < end; ++block) {
      const auto k = static_cast<std::size_t>(block);
      sizes[k] = deflate(array, k * array.block, {first + k * slot, slot}, scratch);
    }
  });
  std::size_t end = 0;
  for (std::size_t k = 0; k < blocks; ++k) {
    if (end != k * slot) std::memmove(first + end, first + k * slot, sizes[k]);
    end += sizes[k];
  }
  std::memcpy(data_.get() + size_, head.data(), head_bytes);
  size_ += head_bytes + end;
}

}  // namespace cardiowarp
