#include "app/output/remembering_compressor.hpp"

#include <gtest/gtest.h>
#include <vtkNew.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

namespace cardiowarp {
namespace {

using Bytes = std::vector<unsigned char>;

Bytes compressed(vtkDataCompressor& compressor, const Bytes& data) {
  Bytes bytes(compressor.GetMaximumCompressionSpace(data.size()));
  bytes.resize(compressor.Compress(data.data(), data.size(), bytes.data(), bytes.size()));
  return bytes;
}

Bytes by_vtk(const Bytes& data) {
  const vtkNew<vtkZLibDataCompressor> compressor;
  return compressed(*compressor, data);
}

/// `size` bytes of numbers that zlib can compress a little.
Bytes block(std::size_t size, double frequency) {
  Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i)
    bytes[i] = static_cast<unsigned char>(100 + 20 * std::sin(frequency * static_cast<double>(i)));
  return bytes;
}

const std::vector<Bytes> blocks{block(32768, 0.1), block(32768, 0.2), block(1, 0.3), block(4097, 0.4)};

TEST(RememberingCompressor, MakesTheSameBytesAsVtkWithAndWithoutKnownBlocks) {
  CompressedBlocks learned;
  const vtkNew<RememberingCompressor> first, second;
  first->learned = &learned;
  for (const Bytes& data : blocks) EXPECT_EQ(compressed(*first, data), by_vtk(data));
  EXPECT_EQ(learned.size(), blocks.size());
  second->known = &learned;
  for (const Bytes& data : blocks) EXPECT_EQ(compressed(*second, data), by_vtk(data));
  EXPECT_EQ(compressed(*second, block(777, 0.5)), by_vtk(block(777, 0.5)));
  EXPECT_EQ(learned.size(), blocks.size());
}

TEST(RememberingCompressor, DoesNotCompressAKnownBlockAgain) {
  CompressedBlocks learned;
  const vtkNew<RememberingCompressor> compressor;
  compressor->learned = &learned;
  const Bytes before = compressed(*compressor, blocks[0]);
  ASSERT_EQ(learned.size(), 1U);
  learned.begin()->second[before.size() / 2] ^= 1;
  compressor->known = &learned;
  EXPECT_NE(compressed(*compressor, blocks[0]), before);
}

TEST(RememberingCompressor, DoesNotTakeABlockForAnotherOfTheSameHash) {
  CompressedBlocks learned;
  const vtkNew<RememberingCompressor> compressor;
  compressor->learned = &learned;
  compressed(*compressor, blocks[0]);
  compressed(*compressor, blocks[1]);
  ASSERT_EQ(learned.size(), 2U);
  std::swap(learned.begin()->second, std::next(learned.begin())->second);
  compressor->known = &learned;
  for (const Bytes& data : blocks) EXPECT_EQ(compressed(*compressor, data), by_vtk(data));
}

/// Numbers whose bits are nearly random.
Bytes noise(std::size_t size) {
  Bytes bytes(size);
  std::uint32_t state = 1;
  for (unsigned char& byte : bytes) byte = static_cast<unsigned char>((state = state * 1664525 + 1013904223) >> 24);
  return bytes;
}

TEST(RememberingCompressor, StoresWhatZlibWouldHardlyMakeSmaller) {
  const vtkNew<RememberingCompressor> compressor;
  const vtkNew<vtkZLibDataCompressor> vtk;
  for (const std::size_t size : {std::size_t{32768}, std::size_t{8193}, std::size_t{777}}) {
    const Bytes data = noise(size);
    const Bytes stored = compressed(*compressor, data);
    Bytes again(size);
    ASSERT_EQ(vtk->Uncompress(stored.data(), stored.size(), again.data(), again.size()), size);
    EXPECT_EQ(again, data);
    EXPECT_LT(stored.size(), size + 64);
    // In a stored block the data stand as they are; small blocks are left to zlib.
    const bool stands_there = std::search(stored.begin(), stored.end(), data.begin(), data.end()) != stored.end();
    EXPECT_TRUE(stands_there || size < 8192) << size;
  }
  Bytes half = noise(32768);
  std::fill(half.begin() + 12000, half.end(), 7);
  EXPECT_EQ(compressed(*compressor, half), by_vtk(half));

  Bytes skewed = noise(32768);  // of one bit less: an eighth can be spared
  for (unsigned char& byte : skewed) byte &= 0x7f;
  EXPECT_NE(compressed(*compressor, skewed), by_vtk(skewed));
  CompressedBlocks learned;
  compressor->learned = &learned;
  EXPECT_EQ(compressed(*compressor, skewed), by_vtk(skewed));
}

TEST(RememberingCompressor, IsVtksZlibInAFile) {
  const vtkNew<RememberingCompressor> compressor;
  EXPECT_STREQ(compressor->GetClassName(), "vtkZLibDataCompressor");
}

}  // namespace
}  // namespace cardiowarp
