#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

namespace cardiowarp {

// Arrays as they stand in the appended data of VTK's XML files with header_type="UInt64" and
// compressor="vtkZLibDataCompressor", one behind the other:
//
//     blocks | bytes of a block | bytes of the last one, 0 where it is whole | bytes that each has here | the blocks
//
// (VTK, "VTK XML file formats", section on appended data). The numbers have 8 bytes, and each block is a zlib stream of
// its own, which the thread team makes beside the others. What comes out depends on the array alone, and not on the
// number of threads. The memory is kept for the next frame; it has room for the arrays as they are.

/// How much time a block gets to be smaller.
enum class Deflation {
  fast,         ///< of meshes: about 200 MB/s a thread
  thorough,     ///< about 50 MB/s, where the fast one finds nothing: numbers that grow by the same step
  where_worth,  ///< fast where a sample of the block becomes a fifth smaller; else it is stored as it is
};

/// The bytes of an array, which need not be in memory.
struct ArrayBytes {
  std::size_t size = 0;
  std::size_t block = 0;  ///< bytes of a block, a multiple of 8
  Deflation deflation = Deflation::fast;
  /// The bytes from `first` on, so many as `room` has: where they lie, or in `room`, into which they were then written.
  /// Called by several threads at once.
  std::function<std::span<const std::byte>(std::size_t first, std::span<std::byte> room)> read;
};

/// Bytes that lie in memory while they are appended.
ArrayBytes bytes_in_memory(std::span<const std::byte> bytes, std::size_t block, Deflation deflation);

/// Arrays in blocks.
class VtuBlocks {
 public:
  void clear() { size_ = 0; }
  /// Appends an array. Cost: twice its size in memory at most. Throws std::bad_alloc.
  void append(const ArrayBytes& array);
  void fit();  ///< gives back the memory that the arrays so far do not take
  std::string_view bytes() const { return {data_.get(), size_}; }
  std::size_t size() const { return size_; }

 private:
  void move_to_room_for(std::size_t bytes);

  std::unique_ptr<char[]> data_;
  std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace cardiowarp
