#include "kernels/backend/huge_pages.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <cstdint>

namespace cardiowarp {

void prefer_huge_pages(void* memory, std::size_t bytes) {
  constexpr std::uintptr_t page = std::uintptr_t{2} << 20;
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  const std::uintptr_t first = (begin + page - 1) / page * page, end = (begin + bytes) / page * page;
  if (end <= first) return;
  const int before = errno;
  // advice: a refusal changes nothing
  ::madvise(static_cast<char*>(memory) + (first - begin), end - first, MADV_HUGEPAGE);
  errno = before;
}

}  // namespace cardiowarp
