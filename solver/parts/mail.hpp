#pragma once
#include <cstdint>

namespace cardiowarp {

/// A number on its way from one block of a launch to another: each half beside the round of the exchange it belongs to.
struct alignas(16) Mail {
  std::uint32_t low, low_round, high, high_round;
};

}  // namespace cardiowarp
