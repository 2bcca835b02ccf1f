#pragma once
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "meshes/steady_compressor.hpp"

namespace cardiowarp {

// Spares a run from compressing its mesh anew for each frame. All frames repeat nodes, tetrahedra, regions and fibers,
// so VtuGrid keeps the compressed blocks of the first frame, and the compressors of later ones look each block up
// there. What changes from frame to frame is compressed only where that pays: the values of a wave under way have
// nearly random bits, and go into the file as they are, which takes a tenth of the time and makes a heart's frames 2 %
// larger. Any reader inflates both. The blocks of one frame stay in memory for the whole run.

/// What zlib makes of blocks of data, by a hash of these.
using CompressedBlocks = std::unordered_map<std::uint64_t, std::vector<unsigned char>>;

/// VTK's zlib compressor for files that have much in common, as frames their mesh: it looks each
/// block up in `known` before it compresses it, and adds those of the first file to `learned`. A block is taken for a
/// known one where the hash (64 bits) and zlib's own checksum (32) are the same. A block that it does not learn and of
/// which zlib would spare less than a fifth is stored without compression, in a zlib stream all the same.
class RememberingCompressor final : public SteadyCompressor {
 public:
  static RememberingCompressor* New();

  const CompressedBlocks* known = nullptr;  ///< null: none; does not change while this compresses
  CompressedBlocks* learned = nullptr;      ///< null: nothing is kept

 private:
  std::size_t CompressBuffer(const unsigned char* data, std::size_t size, unsigned char* compressed,
                             std::size_t room) override;
};

}  // namespace cardiowarp
