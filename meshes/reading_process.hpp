#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "fem/input_error.hpp"

namespace cardiowarp {

struct Mesh;

// Reads a mesh file in a process of its own. Libraries that read foreign files may crash, hang or fill the memory when
// a file is damaged; that then ends the reading process alone, and the program gets an InputError that says what
// happened. read_mesh() reads VTK files and fill_surface() its surface in this way, with limits of time and memory that
// follow from the size of the file. Whatever makes a mesh with Gmsh does so likewise, without limits.

/// The limits of reading a file before it is given up.
struct ReadingLimits {
  std::uint64_t seconds = 0;                   ///< of computing
  std::uint64_t bytes = 0;                     ///< of memory, beyond what the program has when reading begins
  std::uint64_t clock_seconds = 10 * seconds;  ///< for what waits without computing
};

/// Far more than a sound file of this size needs, and little enough that a count which is wrong by a digit ends soon:
/// 60 s and one more a megabyte, 4 GiB and 64 bytes a byte (compressed files hold that much), of small files less:
/// 512 MiB and 512 bytes a byte, which is 1 GiB for a file of a megabyte.
ReadingLimits limits_for(std::uint64_t file_bytes);

/// The mesh that `read` returns, read by a process of its own, so that a library which crashes, hangs or runs out of
/// memory on a damaged file takes nothing with it. An InputError of `read` arrives as it is; whatever else ends the
/// reading becomes an InputError "<where>: cannot be read: ...". The reading process has one thread, prints nothing and
/// ends with this one. Costs a copy of the mesh through a pipe. An interrupt (SIGINT, SIGTERM) that ends it is passed
/// on.
Mesh read_in_own_process(const std::string& where, const ReadingLimits& limits, const std::function<Mesh()>& read);

/// Says that the process of a library crashed, or ended before it had sent a mesh.
class ProcessCrash : public InputError {
 public:
  using InputError::InputError;
};

/// The mesh that `make` makes with Gmsh, in a process of its own as read_in_own_process() has it, but for as long and
/// with as much memory as it takes. A crash becomes a ProcessCrash "<where>: Gmsh made no mesh: ...", want of
/// memory std::bad_alloc.
Mesh make_in_own_process(const std::string& where, const std::function<Mesh()>& make);

}  // namespace cardiowarp
