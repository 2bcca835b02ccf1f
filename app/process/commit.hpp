#pragma once
#include <string>

namespace cardiowarp {

/// The commit that the program was built from, as `cmake/commit.cmake` found it: twelve digits, ` with changes` behind
/// them where tracked files differed from it, or `unknown` and why in brackets.
std::string commit();

}  // namespace cardiowarp
