#pragma once
#include "app/measure/provenance.hpp"

namespace cardiowarp {

/// Where measurements come from that this program makes now on this machine.
Provenance measured_here();

}  // namespace cardiowarp
