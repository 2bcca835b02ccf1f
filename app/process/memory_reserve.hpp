#pragma once

namespace cardiowarp {

// Memory for the way out. Where an allocation fails, this program throws, and what is destroyed on the way to the
// message may itself need memory: VTK's objects allocate when they are destroyed, and end the process where they get
// none. So some megabytes of addresses are set aside, which take no memory as nothing is written there. The first
// operator new that fails gives them back to the C library and tries again; the next one throws std::bad_alloc.

/// Sets the reserve aside and has every operator new of the process use it. Once, at the beginning of main().
void hold_memory_reserve();

/// Sets the reserve aside again where it was given up and there is room for it. Costs next to nothing where it is held.
void renew_memory_reserve() noexcept;

}  // namespace cardiowarp
