#pragma once
#include <optional>
#include <string>

namespace cardiowarp {

class Simulation;
struct Problem;

/// The warning of a run in which a potential was beyond largest_potential_mv (app/simulation/far_potential.hpp) at the
/// end of a step, or is now: `the potential reached -1.7e+05 mV at node 4 (0.5, 0, 0) mm by t = 2 ms: ...`. Absent
/// where all were within. Takes 8 bytes a node of host memory for as long as it looks.
std::optional<std::string> warning_of_extremes(const Problem& problem, Simulation& simulation);

}  // namespace cardiowarp
