#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/backend/caching.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

// Sums of numbers in memory as packed lists, the reduction of GlobalNZ (Cecka, Lew and Darve 2011, "paper 004",
// sec. 4.2.3, Algorithms 4 and 5): a block of threads has sums_a_list_block sums that are stored one behind the other,
// each thread some of them. A thread goes through a list of words: one that is positive names a number to be added,
// one that is negative the sum that is complete then, and 0 is padding. The sums of a block are dealt out by the
// longest processing time: the longest first, each to the thread that has the fewest words until then. The words of the
// threads of a block are interleaved, a word of each thread, then the next of each, so that neighboring threads read
// neighboring words, and all lists of a block are as long as the longest. The block keeps its sums in shared memory
// and stores them side by side. The order of every sum is fixed.
//
// Bytes: 4 for each word, of which there is one for each number of a sum, one for each sum and the padding.

/// Sums of a block, and its threads.
inline constexpr Index sums_a_list_block = 512, threads_a_list_block = 128;

/// The lists of all blocks. Host memory.
struct ReductionLists {
  Index sums = 0;
  std::vector<Index> begin;  ///< [blocks + 1] first layer of each block: a word of each of its threads
  std::vector<std::int32_t>
      word;  ///< [128 × layers] n > 0: add number n − 1; −k − 1 < 0: sum k of the block is complete

  Index blocks() const { return static_cast<Index>(begin.size()) - 1; }
  std::int64_t padding() const;  ///< words that are 0
  /// The share of the words that is padding; 0 where there are none.
  double wasted() const;
};

/// Sum s adds the numbers number[b] to number[e − 1], in this order, where b and e are the sums of the first s and
/// s + 1 of `length` [sums]. Sums of nothing have no words. Throws InputError where there are too many layers to count.
ReductionLists reduction_lists(std::span<const Index> length, std::span<const Index> number);

/// Work of the threads of a block for its sums. What the sums are stored to is asked of `Store`: store(s, value).
template <class Store>
struct SumLists {
  const Index* begin;
  const std::int32_t* word;
  Index sums;
  const Real* number;
  Store store;

  /// How many sums a block has.
  CARDIOWARP_HD Index sums_of(Index block) const {
    const Index left = sums - block * sums_a_list_block;
    return left < sums_a_list_block ? left : sums_a_list_block;
  }

  /// Goes through the list of one thread; `of_block` [sums_a_list_block] is 0 before.
  CARDIOWARP_HD void sum(Index block, Index thread, Real* of_block) const {
    constexpr Index batch = 4;  // fetches of which none waits for another
    const Index end = begin[block + 1];
    Real sum = 0;
    for (Index from = begin[block]; from < end; from += batch) {
      std::int32_t named[batch] = {};
      Real term[batch] = {};
      for (Index k = 0; k < batch; ++k)
        if (from + k < end)
          named[k] = fetch<Caching::streamed>(word + std::int64_t{threads_a_list_block} * (from + k) + thread);
      for (Index k = 0; k < batch; ++k)
        if (named[k] > 0) term[k] = number[named[k] - 1];
      for (Index k = 0; k < batch; ++k) {
        sum += term[k];
        if (named[k] < 0) {
          of_block[-named[k] - 1] = sum;
          sum = 0;
        }
      }
    }
  }

  /// Loop body over the blocks (kernel: global_nz.cuh).
  CARDIOWARP_HD void operator()(Index block) const {
    Real of_block[sums_a_list_block] = {};
    for (Index thread = 0; thread < threads_a_list_block; ++thread) sum(block, thread, of_block);
    for (Index k = 0; k < sums_of(block); ++k) store(block * sums_a_list_block + k, of_block[k]);
  }
};

}  // namespace cardiowarp
