#pragma once

namespace cardiowarp {

// Memory for the way out. Where an allocation fails, this program throws, and what is destroyed on the way to the
// message may itself need memory: VTK's objects allocate when they are destroyed, and end the process where they get
// none; other parts of VTK and of Gmsh do not look whether malloc gave them any. So some megabytes of addresses are set
// aside, which at first take no memory as nothing is written there. This program's malloc, which the libraries call,
// too, asks the C library; the first time that it gets nothing, it gives the reserve back and asks again. The next time
// it returns nothing, and operator new throws std::bad_alloc. What is larger than the reserve is not helped by it. A
// program with the address or thread sanitizer, which have a malloc of their own, has no reserve.

/// Sets the reserve aside; at the beginning of main(), and again where it was given up and there is room for it. Costs
/// next to nothing where it is held.
void hold_memory_reserve() noexcept;

/// From now on the process ends with the message and the exit code of memory that has run out also where nobody can
/// catch std::bad_alloc, as it is thrown by what is being destroyed (nlohmann-json allocates there, too) or by
/// libraries while they are loaded. Any other exception that nobody catches ends the process as before.
void end_in_words_where_memory_runs_out() noexcept;

}  // namespace cardiowarp
