#pragma once
#include <vector>

namespace cardiowarp {

// How far the times of a repeated measurement lie apart. `bench` and `compare` repeat what they time and report the
// median, beside the shortest and the longest time. A single time that was disturbed hardly moves the median, and the
// other two show how much was disturbed.

/// How far the times of a repeated measurement lie apart, in seconds.
struct Spread {
  double median = 0, shortest = 0, longest = 0;
};

/// `seconds` is not empty; of an even number the median is the mean of the two in the middle.
Spread spread_of(std::vector<double> seconds);

}  // namespace cardiowarp
