#pragma once
#include <string>

#include "app/compare/comparison.hpp"

namespace cardiowarp {

/// The drawing that `cardiowarp compare --figure` writes, as SVG text. Each side has a horizontal bar of its median
/// seconds, divided into the phases of a run, and all bars have one scale. Behind a bar stand its seconds in all and,
/// where the sides agree, how many times as fast as the first side it is.
std::string phase_figure(const Comparison& comparison);

}  // namespace cardiowarp
