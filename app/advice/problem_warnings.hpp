#pragma once
#include <string>
#include <vector>

#include "app/config/config.hpp"
#include "app/simulation/problem.hpp"

namespace cardiowarp {

/// Things a user should know before the run, one sentence each: steps or elements that make the front too fast
/// or too slow (resolution.hpp), a stimulus that is cut short or never on, anisotropy without fibres, no stimulus and a
/// uniform start.
std::vector<std::string> problem_warnings(const Config& config, const Problem& problem);

}  // namespace cardiowarp
