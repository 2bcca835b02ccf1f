#pragma once
#include "app/config/config.hpp"

namespace cardiowarp {

/// Validates configuration and mesh and prints what `run` would do; writes nothing. Throws InputError.
void check(const Config& config);

}  // namespace cardiowarp
