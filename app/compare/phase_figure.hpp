#pragma once
#include <string>

#include "app/compare/comparison.hpp"

namespace cardiowarp {

/// An SVG drawing: a bar of median seconds for each side, divided into phases, all on one scale.
std::string phase_figure(const Comparison& comparison);

}  // namespace cardiowarp
