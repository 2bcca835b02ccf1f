#pragma once
#include <string>

#include "solver/newton.hpp"

namespace cardiowarp {

/// One sentence on why Newton's method ended, with its numbers; `left_range` where a node left its cell model's range,
/// which is `range`, from range_in_words().
std::string failure_reason(const NewtonReport& newton, bool left_range, const std::string& range);

}  // namespace cardiowarp
