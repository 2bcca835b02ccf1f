#pragma once
#include "app/config/config.hpp"

namespace cardiowarp {

/// The command `cardiowarp check`. It reads and checks the configuration and the mesh as `run` does, and prints what
/// that would compute, how, and with how much memory and disk. Nothing is computed or written. Throws InputError for
/// what `run` would refuse in its input.
void check(const Config& config);

}  // namespace cardiowarp
