#pragma once
#include <string>
#include <vector>

namespace cardiowarp {

struct Config;
struct Problem;

/// Warnings about a problem that can be computed but may not be what the user meant, one sentence each. load_problem()
/// logs them before anything is computed. They tell of steps or elements that make the front too fast or too slow
/// (resolution.hpp),
/// of regions that later ones cover, of a stimulus that is cut short, never on or changes the potential by less than
/// 0.1 mV, of frames that cannot be at their times, of anisotropy without fibers,
/// and, where the run begins with the state that the problem has from `initial`, of a uniform start without a stimulus.
std::vector<std::string> problem_warnings(const Config& config, const Problem& problem,
                                          bool begins_with_initial = true);

}  // namespace cardiowarp
