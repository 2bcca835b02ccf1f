#pragma once
#include <cstdint>

namespace cardiowarp {

/// A number that one thread block of a launch sends to others while all of them run: 16 bytes of device memory, in
/// which each half of the number stands beside the round, the number of the exchange that it belongs to. A reader knows
/// by the round that the number has come. How they are sent and received: solver/parts/messages.cuh.
struct alignas(16) Message {
  std::uint32_t low, low_round, high, high_round;
};

}  // namespace cardiowarp
