#pragma once
#include <string>

#include "app/compare/comparison.hpp"
#include "app/measure/table.hpp"

namespace cardiowarp {

// A Comparison as a table for files and as text for the terminal. CompareCommand calls both functions once the sides
// have run.

/// A line for each side and phase, with everything that is known of it (docs/method/comparing.md). `speed_up` is the
/// first side's median over this side's; empty where this side's fields differ by more than the bound.
Table comparison_table(const Comparison& comparison);

/// The comparison for a reader: a table of phases by sides, iterations, memory, differences, and what may be concluded.
std::string comparison_text(const Comparison& comparison);

}  // namespace cardiowarp
