#pragma once
#include <vtkZLibDataCompressor.h>

#include <cstddef>

namespace cardiowarp {

// zlib for VTK's writers. VTK's own compressor returns nothing where zlib gets no memory, and the writer then reads
// from there. This one throws std::bad_alloc, as operator new does.

/// zlib's stream of `size` bytes at `level`, 0 for one that holds them as they are; its size, or 0 where it is longer
/// than `room`. Throws std::bad_alloc.
std::size_t deflate_block(const unsigned char* data, std::size_t size, int level, unsigned char* deflated,
                          std::size_t room);

/// VTK's compressor by zlib, with the same bytes.
class SteadyCompressor : public vtkZLibDataCompressor {
 public:
  /// Without a name of its own, as readers look for VTK's.
  static SteadyCompressor* New();

 protected:
  SteadyCompressor() = default;
  std::size_t CompressBuffer(const unsigned char* data, std::size_t size, unsigned char* compressed,
                             std::size_t room) override;
};

}  // namespace cardiowarp
