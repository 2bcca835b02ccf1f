#include "app/process/freed_memory.hpp"

#include <malloc.h>

namespace cardiowarp {

void keep_freed_memory() {
  // Large blocks, too, come from the heap, whose end never moves back.
  ::mallopt(M_MMAP_MAX, 0);
  ::mallopt(M_TRIM_THRESHOLD, -1);
}

}  // namespace cardiowarp
