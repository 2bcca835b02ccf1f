#include "kernels/backend/team_vector.hpp"

#include "kernels/backend/huge_pages.hpp"

namespace cardiowarp {
namespace {

constexpr std::size_t large_page = std::size_t{2} << 20;

}  // namespace

void* allocate_large(std::size_t bytes) {
  if (bytes < large_page) return ::operator new(bytes);
  void* const memory = ::operator new (bytes, std::align_val_t{large_page});
  prefer_huge_pages(memory, bytes);
  return memory;
}

void free_large(void* memory, std::size_t bytes) noexcept {
  if (bytes < large_page)
    ::operator delete(memory);
  else
    ::operator delete (memory, std::align_val_t{large_page});
}

}  // namespace cardiowarp
