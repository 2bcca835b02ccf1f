#pragma once
#include <string>
#include <vector>

namespace cardiowarp {

struct Config;
struct StimulusConfig;

/// `from 0 ms, 8 × 2 ms every 600 ms`
std::string describe_pulses(const StimulusConfig& stimulus);

/// The pulses of all stimuli from 0 to the end of the run: a line for each stimulus, in which a pulse is a `|`, or one
/// for all where they are more than a dozen, and one with the times of both ends. Nothing where there is one pulse or
/// none.
std::vector<std::string> draw_pulses(const Config& config);

}  // namespace cardiowarp
