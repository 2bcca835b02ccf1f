#pragma once
#include "app/measure/provenance.hpp"

namespace cardiowarp {

/// This program, this machine, now.
Provenance measured_here();

}  // namespace cardiowarp
