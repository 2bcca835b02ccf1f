#include "kernels/sparse/matrix_format.hpp"

#include <numeric>

namespace cardiowarp {

StoredEntries stored_as_csr(const CsrPattern& pattern) {
  StoredEntries entries{std::vector<std::int64_t>(pattern.column.size()), pattern.entries()};
  std::iota(entries.slot_of_entry.begin(), entries.slot_of_entry.end(), std::int64_t{0});
  return entries;
}

}  // namespace cardiowarp
