#pragma once

namespace cardiowarp {

/// Has the C library keep all memory that is freed for the allocations to come, until the program ends. To give it back
/// to the system and get it anew takes a set-up, which makes and frees arrays of hundreds of megabytes one after the
/// other, up to a fifth of its time: the system clears each page that it hands out. The first thing in main().
void keep_freed_memory();

}  // namespace cardiowarp
