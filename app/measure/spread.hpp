#pragma once
#include <vector>

namespace cardiowarp {

/// Of repeated measurements, seconds.
struct Spread {
  double median = 0, shortest = 0, longest = 0;
};

/// `seconds` is not empty; of an even number the median is the mean of the two in the middle.
Spread spread_of(std::vector<double> seconds);

}  // namespace cardiowarp
