#pragma once

namespace cardiowarp {

/// VTK starts no threads of its own: the number of OpenMP's is then that of the program, and no file fails for want of
/// another. Where VTK_SMP_MAX_THREADS is set, that holds. To be called before VTK is used.
void keep_vtk_to_one_thread();

/// Throws InputError with the number that can be had where the threads that are to compute are too many for the system
/// or its limits. A run would otherwise go on with fewer, at another speed than was asked for.
void require_threads();

}  // namespace cardiowarp
