#include "assembly/papers/reduction_lists.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>

#include "assembly/contributions.hpp"
#include "kernels/backend/thread_team.hpp"

namespace cardiowarp {
namespace {

/// The list of each thread of one block whose sums have these lengths and whose numbers begin at `number`.
std::vector<std::vector<std::int32_t>> lists_of(std::span<const Index> length, const Index* number) {
  std::vector<Index> sum(length.size()), first(length.size(), 0);
  std::iota(sum.begin(), sum.end(), 0);
  std::exclusive_scan(length.begin(), length.end(), first.begin(), Index{0});
  std::stable_sort(sum.begin(), sum.end(), [&](Index a, Index b) { return length[a] > length[b]; });

  std::vector<std::vector<std::int32_t>> lists(threads_a_list_block);
  using Load = std::pair<std::size_t, Index>;  // words of a thread, and the thread
  std::priority_queue<Load, std::vector<Load>, std::greater<>> loads;
  for (Index thread = 0; thread < threads_a_list_block; ++thread) loads.emplace(0, thread);
  for (const Index s : sum) {
    if (length[s] == 0) break;
    const Index thread = loads.top().second;
    loads.pop();
    std::vector<std::int32_t>& list = lists[thread];
    for (Index k = 0; k < length[s]; ++k) list.push_back(number[first[s] + k] + 1);
    list.push_back(-s - 1);
    loads.emplace(list.size(), thread);
  }
  return lists;
}

}  // namespace

std::int64_t ReductionLists::padding() const { return std::count(word.begin(), word.end(), 0); }

double ReductionLists::wasted() const {
  return word.empty() ? 0 : static_cast<double>(padding()) / static_cast<double>(word.size());
}

ReductionLists reduction_lists(std::span<const Index> length, std::span<const Index> number) {
  ReductionLists result;
  result.sums = static_cast<Index>(length.size());
  const Index blocks = (result.sums + sums_a_list_block - 1) / sums_a_list_block;
  std::vector<std::int64_t> first(blocks + 1, 0);  // number of each block
  for (Index s = 0; s < result.sums; ++s) first[s / sums_a_list_block + 1] += length[s];
  std::partial_sum(first.begin(), first.end(), first.begin());

  std::vector<std::vector<std::vector<std::int32_t>>> lists(blocks);
  parallel_for(blocks, [&](Index block) {
    const std::size_t begin = std::size_t(block) * sums_a_list_block;
    const std::size_t count = std::min<std::size_t>(sums_a_list_block, length.size() - begin);
    lists[block] = lists_of(length.subspan(begin, count), number.data() + first[block]);
  });
  std::int64_t layers = 0;
  result.begin = {0};
  for (const auto& of_block : lists) {
    std::size_t longest = 0;
    for (const auto& list : of_block) longest = std::max(longest, list.size());
    layers += static_cast<std::int64_t>(longest);
    require_countable_slots(layers);
    result.begin.push_back(static_cast<Index>(layers));
  }
  result.word.assign(std::size_t(layers) * threads_a_list_block, 0);
  parallel_for(blocks, [&](Index block) {
    for (Index thread = 0; thread < threads_a_list_block; ++thread) {
      std::size_t at = std::size_t(result.begin[block]) * threads_a_list_block + thread;
      for (const std::int32_t word : lists[block][thread]) {
        result.word[at] = word;
        at += threads_a_list_block;
      }
    }
  });
  return result;
}

}  // namespace cardiowarp
