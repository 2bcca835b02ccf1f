#pragma once
#include <string>
#include <vector>

namespace cardiowarp {

/// The names that --log-level takes, for messages and completion: the levels from the lowest on, and `off`.
const std::vector<std::string>& log_levels();

}  // namespace cardiowarp
