#pragma once
#include <vtkZLibDataCompressor.h>

#include <cstddef>

namespace cardiowarp {

// zlib for VTK's writers. VTK's own compressor returns nothing where zlib gets no memory, and the writer then reads
// from there. This one throws std::bad_alloc, as operator new does.

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
