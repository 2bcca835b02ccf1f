#pragma once
#include <cstddef>

namespace cardiowarp {

/// Asks the system for pages of 2 MiB in place of 4 KiB for memory that nobody has touched yet: the first touch of a
/// page costs more than to fill it, and so does finding it again. Where the system has no such pages, or `bytes` are
/// few, nothing happens.
void prefer_huge_pages(void* memory, std::size_t bytes);

}  // namespace cardiowarp
