#pragma once

namespace cardiowarp {

/// Keeps VTK from starting threads of its own. The program then has as many threads as OpenMP, and no file fails
/// because the system has no further thread. A user who sets VTK_SMP_MAX_THREADS decides for VTK instead. Called before
/// VTK is used.
void keep_vtk_to_one_thread();

/// Throws InputError where the system, or a limit of it, does not allow as many threads as are to compute; the message
/// has the number that it allows. Without this a run would compute with fewer threads, slower than was asked for.
void require_threads();

}  // namespace cardiowarp
