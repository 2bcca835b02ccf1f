#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/backend/types.hpp"

namespace cardiowarp {

/// The places of `key` in ascending order of their keys, those of equal keys in their own: a radix sort by the thread
/// team, with the same result for any number of threads. Fewer than 2^31 keys.
std::vector<Index> ascending_order(std::span<const std::uint64_t> key);

}  // namespace cardiowarp
