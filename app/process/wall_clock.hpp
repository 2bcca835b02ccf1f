#pragma once
#include <string>

namespace cardiowarp {

/// The seconds of a duration with its units, as `1h`, `90 min`, `1h 30min`, `2.5 s`. Throws InputError that begins with
/// `option` where it is none, or not positive.
double wall_clock_seconds(const std::string& option, const std::string& duration);

}  // namespace cardiowarp
