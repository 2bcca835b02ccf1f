#pragma once
#include <string>

namespace cardiowarp {

/// The commit that the program was built from, for `cardiowarp info` and the head of measurements. `cmake/commit.cmake`
/// finds it at every build: twelve digits, with ` with changes` behind them where tracked files differed from it, or
/// `unknown` and why in brackets.
std::string commit();

}  // namespace cardiowarp
