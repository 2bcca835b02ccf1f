#include "app/output/vtu_blocks.hpp"

#include <gtest/gtest.h>
#include <vtkNew.h>
#include <vtkZLibDataCompressor.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "app/output/vtu_head.hpp"
#include "tests/support/threads.hpp"

namespace cardiowarp {
namespace {

using Bytes = std::vector<std::byte>;

std::uint64_t number_at(std::string_view blocks, std::size_t index) {
  std::uint64_t number = 0;
  std::memcpy(&number, blocks.data() + index * sizeof(number), sizeof(number));
  return number;
}

/// An array as VTK's zlib reads it out of its blocks, of which nothing is left over.
Bytes read_back(std::string_view blocks) {
  const vtkNew<vtkZLibDataCompressor> zlib;
  const std::size_t count = number_at(blocks, 0), block = number_at(blocks, 1), last = number_at(blocks, 2);
  Bytes data;
  std::size_t at = (3 + count) * sizeof(std::uint64_t);
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t bytes = number_at(blocks, 3 + k), size = k + 1 == count && last > 0 ? last : block;
    Bytes one(size);
    EXPECT_EQ(zlib->Uncompress(reinterpret_cast<const unsigned char*>(blocks.data()) + at, bytes,
                               reinterpret_cast<unsigned char*>(one.data()), size),
              size);
    data.insert(data.end(), one.begin(), one.end());
    at += bytes;
  }
  EXPECT_EQ(at, blocks.size());
  return data;
}

/// Numbers whose bits are nearly random.
Bytes noise(std::size_t size) {
  Bytes bytes(size);
  std::uint32_t state = 1;
  for (std::byte& byte : bytes) byte = static_cast<std::byte>((state = state * 1664525 + 1013904223) >> 24);
  return bytes;
}

/// Noise that is zero from an odd byte on.
Bytes half_at_rest(std::size_t size) {
  Bytes bytes = noise(size);
  std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(size / 2), bytes.end(), std::byte{0});
  return bytes;
}

std::string blocks_of(const Bytes& data, std::size_t block, Deflation deflation) {
  VtuBlocks blocks;
  blocks.append(bytes_in_memory(data, block, deflation));
  return std::string(blocks.bytes());
}

TEST(VtuBlocks, AreReadBackByZlibWhateverTheLengthOfTheArray) {
  constexpr std::size_t block = 32768;
  for (const Deflation deflation : {Deflation::fast, Deflation::thorough, Deflation::where_worth})
    for (const std::size_t size :
         {std::size_t{0}, std::size_t{1}, std::size_t{777}, block - 1, block, block + 1, 2 * block, 7 * block + 4097}) {
      SCOPED_TRACE(size);
      const Bytes data = half_at_rest(size);
      EXPECT_EQ(read_back(blocks_of(data, block, deflation)), data);
    }
}

TEST(VtuBlocks, SayHowManyTheyAreAndHowLongTheLastOneIs) {
  const auto head = [](std::size_t size) {
    const std::string blocks = blocks_of(noise(size), 4096, Deflation::where_worth);
    return std::vector<std::uint64_t>{number_at(blocks, 0), number_at(blocks, 1), number_at(blocks, 2)};
  };
  EXPECT_EQ(head(0), (std::vector<std::uint64_t>{0, 4096, 0}));
  EXPECT_EQ(head(4096), (std::vector<std::uint64_t>{1, 4096, 0}));
  EXPECT_EQ(head(4097), (std::vector<std::uint64_t>{2, 4096, 1}));
  EXPECT_EQ(head(12287), (std::vector<std::uint64_t>{3, 4096, 4095}));
}

TEST(VtuBlocks, KeepTheBitsOfAllValues) {
  using Limits = std::numeric_limits<double>;
  std::vector<double> values{Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity(), -0.0, Limits::denorm_min()};
  for (int i = 0; i < 20011; ++i) values.push_back(i % 3 == 0 ? Limits::signaling_NaN() : std::sin(i));
  Bytes data(values.size() * sizeof(double));
  std::memcpy(data.data(), values.data(), data.size());
  EXPECT_EQ(read_back(blocks_of(data, 32768, Deflation::where_worth)), data);
}

TEST(VtuBlocks, AreTheSameBytesForAnyNumberOfThreads) {
  const Bytes data = half_at_rest(1'000'003);
  std::vector<std::string> made;
  for (const int number : {1, 2, 3, 5}) {
    const test::Threads threads(number);
    made.push_back(blocks_of(data, 32768, Deflation::where_worth));
  }
  for (const std::string& blocks : made) EXPECT_EQ(blocks, made.front());
}

TEST(VtuBlocks, FollowOneAnotherAndTakeTheirMemoryAgain) {
  const Bytes first = half_at_rest(70001), second = noise(333);
  VtuBlocks blocks;
  for (int repetition = 0; repetition < 3; ++repetition) {
    blocks.clear();
    blocks.append(bytes_in_memory(first, 4096, Deflation::fast));
    const std::size_t end = blocks.size();
    blocks.append(bytes_in_memory(second, 32768, Deflation::where_worth));
    if (repetition == 1) blocks.fit();
    EXPECT_EQ(read_back(blocks.bytes().substr(0, end)), first);
    EXPECT_EQ(read_back(blocks.bytes().substr(end)), second);
  }
}

/// Noise of which zlib can make `bits` / 8 of the size.
Bytes noise_of(int bits, std::size_t size) {
  Bytes data = noise(size);
  for (std::byte& byte : data) byte &= static_cast<std::byte>((1 << bits) - 1);
  return data;
}

TEST(VtuBlocks, StoreWhatZlibWouldMakeSmallerByLessThanAFifth) {
  const auto stands_there = [](const Bytes& data, Deflation deflation) {
    const std::string_view text(reinterpret_cast<const char*>(data.data()), data.size());
    return blocks_of(data, 32768, deflation).find(text) != std::string::npos;
  };
  for (const std::size_t size : {std::size_t{32768}, std::size_t{8192}}) {
    EXPECT_TRUE(stands_there(noise_of(7, size), Deflation::where_worth)) << size;
    EXPECT_FALSE(stands_there(noise_of(7, size), Deflation::fast)) << size;
    EXPECT_FALSE(stands_there(noise_of(6, size), Deflation::where_worth)) << size;
  }
  EXPECT_LT(blocks_of(half_at_rest(1'000'000), 32768, Deflation::where_worth).size(), 520'000U);
}

TEST(VtuBlocks, FindTheStepOfNumbersThatGrowWhenTheyAreThorough) {
  std::vector<std::int32_t> offsets;
  for (std::int32_t element = 1; element < 50000; ++element) offsets.push_back(4 * element);
  Bytes data(offsets.size() * sizeof(std::int32_t));
  std::memcpy(data.data(), offsets.data(), data.size());
  EXPECT_LT(blocks_of(data, 1 << 18, Deflation::thorough).size(), data.size() / 3);
}

/// How VTK up to 9.3 hands a file to an expat that puts off unfinished tags, and whether the tag of the appended data
/// is understood before VTK goes on. `counts_nothing`: whether expat takes a piece of no bytes for a try.
bool is_understood_in_time(const std::string& text, bool counts_nothing) {
  constexpr std::size_t block = 4096;
  const std::string_view word = "<AppendedData";
  const std::size_t begin = text.find(word), behind = begin + word.size(), end = text.find('>', begin);
  std::size_t have = word.size(), last_try = 0;
  bool is_complete = false, is_understood = false;
  const auto hand_over = [&](std::size_t bytes) {
    if (bytes == 0 && !counts_nothing) return;
    have += bytes;
    if (have < 2 * last_try) return;
    is_understood = is_complete;
    last_try = have;
  };
  const std::size_t end_of_block = (behind + block - 1) / block * block, at_once = std::min(end, end_of_block) - behind;
  hand_over(at_once);
  for (std::size_t at = behind + at_once; at < end; ++at) hand_over(1);
  hand_over(1);  // the slash
  is_complete = true;
  hand_over(1);
  if (!is_understood) hand_over(std::string_view("\n</VTKFile>\n").size());
  return is_understood;
}

TEST(VtuHead, IsUnderstoodByEveryVtkAndExpat) {
  VtuContents contents;
  contents.nodes = 5;
  for (int more = 0; more < 300; ++more) {
    contents.of_cells.push_back({"Float64", "state_" + std::string(more % 7, 'x'), 1, 1000U});
    const std::string text = vtu_head(contents);
    EXPECT_EQ((text.find("<AppendedData") + 13) % 4096, 0U);
    EXPECT_TRUE(is_understood_in_time(text, true)) << text.size();
    EXPECT_TRUE(is_understood_in_time(text, false)) << text.size();
    EXPECT_TRUE(text.ends_with(" encoding=\"raw\">\n   _"));
  }
  EXPECT_FALSE(is_understood_in_time("<VTKFile>\n  <AppendedData encoding=\"raw\">\n   _", true));
}

}  // namespace
}  // namespace cardiowarp
