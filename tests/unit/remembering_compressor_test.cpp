#include "app/output/remembering_compressor.hpp"

#include <gtest/gtest.h>
#include <vtkNew.h>

#include <cmath>
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

TEST(RememberingCompressor, IsVtksZlibInAFile) {
  const vtkNew<RememberingCompressor> compressor;
  EXPECT_STREQ(compressor->GetClassName(), "vtkZLibDataCompressor");
}

}  // namespace
}  // namespace cardiowarp
