#pragma once
#include "app/measure/provenance.hpp"

namespace cardiowarp {

/// Says where measurements come from that this program makes now: its commit, the GPU with driver and CUDA, the
/// processor with the number of threads, and the time of day. `bench`, `compare` and `info --csv-head` ask for it and
/// write it before their tables (app/measure/provenance.hpp). What the machine does not have is `none`, and what it
/// does not tell is `unknown`.
Provenance measured_here();

}  // namespace cardiowarp
