#pragma once

namespace cardiowarp {

// A reserve of memory for the end of a program that has run out of it. Where an allocation fails, this program throws,
// and the objects that are destroyed before the message is written may themselves need memory: VTK's objects allocate
// when they are destroyed, and end the process where they get none; other parts of VTK and of Gmsh do not look whether
// malloc() has failed. So four megabytes of addresses are reserved, which take no memory until something is written
// there. The program has a malloc() of its own, which the libraries call, too, and which asks that of the C library.
// When that fails for the first time, the reserve is given back and it is asked again; when it fails once more,
// malloc() fails and operator new throws std::bad_alloc. The reserve does not help an allocation that is larger. Built
// with a sanitizer that has a malloc() of its own (kernels/backend/sanitizers.hpp), the program has no reserve.

/// Makes the reserve where there is none and the system has room for it. Called at the beginning of main(), and later
/// to renew a reserve that was given back. Costs next to nothing where there is one.
void hold_memory_reserve() noexcept;

/// Makes a std::bad_alloc that nobody can catch end the process with the message and the exit code of memory that has
/// run out. Nobody can catch what a destructor throws (those of nlohmann-json allocate, too), or a library while it is
/// loaded. Any other exception that nobody catches ends the process as before.
void end_in_words_where_memory_runs_out() noexcept;

}  // namespace cardiowarp
