#include "kernels/backend/ascending_order.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <memory>
#include <numeric>
#include <utility>

#include "kernels/backend/huge_pages.hpp"
#include "kernels/backend/thread_team.hpp"

namespace cardiowarp {
namespace {

struct Item {
  std::uint64_t key;
  Index place;
};

constexpr int first_bits = 11;  // the ends of so many lists fit into a fast cache
constexpr std::size_t lists = std::size_t{1} << first_bits;
constexpr std::int64_t least_keys = 1 << 14;  // of a chunk

/// The bits in which some keys differ.
std::uint64_t differing_bits(std::span<const std::uint64_t> key, const FixedChunks& chunks) {
  std::vector<std::uint64_t> of_chunk(chunks.number(), 0);
  chunks.for_each([&](std::int64_t chunk, std::int64_t begin, std::int64_t end) {
    std::uint64_t bits = 0;
    for (std::int64_t i = begin; i < end; ++i) bits |= key[i] ^ key[0];
    of_chunk[chunk] = bits;
  });
  return std::accumulate(of_chunk.begin(), of_chunk.end(), std::uint64_t{0}, std::bit_or<>());
}

/// Sorts n items, which are in the order of their places, by the bits of their keys below `bits`.
void sort_items(Item* items, Item* scratch, std::int64_t n, int bits) {
  constexpr std::int64_t few = 32;
  if (n <= few) {
    std::sort(items, items + n,
              [](const Item& a, const Item& b) { return a.key != b.key ? a.key < b.key : a.place < b.place; });
    return;
  }
  if (bits == 0) return;
  const int shift = std::max(0, bits - 8);
  const auto digit = [shift](const Item& item) { return item.key >> shift & 0xffu; };
  std::array<std::int64_t, 257> begin{};
  for (std::int64_t i = 0; i < n; ++i) ++begin[digit(items[i]) + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::array<std::int64_t, 257> next = begin;
  for (std::int64_t i = 0; i < n; ++i) scratch[next[digit(items[i])]++] = items[i];
  std::copy_n(scratch, n, items);
  for (int k = 0; k < 256; ++k) sort_items(items + begin[k], scratch, begin[k + 1] - begin[k], shift);
}

}  // namespace

std::vector<Index> ascending_order(std::span<const std::uint64_t> key) {
  const auto n = static_cast<std::int64_t>(key.size());
  std::vector<Index> order;
  if (n == 0) return order;
  resize_by_team(order, key.size());
  const FixedChunks chunks(n, least_keys);
  const auto bits = static_cast<int>(std::bit_width(differing_bits(key, chunks)));
  const int shift = std::max(0, bits - first_bits);
  const auto list_of = [&](std::uint64_t of_key) { return of_key >> shift & (lists - 1); };

  // By the first bits. `next` says for each list and chunk where the next item goes: lists follow each other, and in a
  // list the items of the first chunk come before those of the second.
  std::vector<Index> next(chunks.number() * lists);
  chunks.for_each([&](std::int64_t chunk, std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) ++next[chunk * lists + list_of(key[i])];
  });
  std::vector<Index> list_begin;
  Index items_before = 0;
  for (std::size_t list = 0; list < lists; ++list) {
    list_begin.push_back(items_before);
    for (std::int64_t chunk = 0; chunk < chunks.number(); ++chunk)
      items_before += std::exchange(next[chunk * lists + list], items_before);
  }
  list_begin.push_back(items_before);
  const auto items = std::make_unique_for_overwrite<Item[]>(key.size());
  prefer_huge_pages(items.get(), key.size() * sizeof(Item));
  chunks.for_each([&](std::int64_t chunk, std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      items[next[chunk * lists + list_of(key[i])]++] = {key[i], static_cast<Index>(i)};
  });

  // Each list by the other bits, in the chunk where it begins.
  chunks.for_each([&](std::int64_t, std::int64_t begin, std::int64_t end) {
    const auto first = std::lower_bound(list_begin.begin(), list_begin.end() - 1, begin);
    std::vector<Item> scratch;
    for (auto list = first; list + 1 < list_begin.end() && *list < end; ++list) {
      const Index length = *(list + 1) - *list;
      if (scratch.size() < static_cast<std::size_t>(length)) scratch.resize(length);
      sort_items(items.get() + *list, scratch.data(), length, shift);
      for (Index i = *list; i < *(list + 1); ++i) order[i] = items[i].place;
    }
  });
  return order;
}

}  // namespace cardiowarp
