#include "kernels/sparse/matrix_format.hpp"

#include <algorithm>
#include <numeric>

#include "kernels/backend/thread_team.hpp"

namespace cardiowarp {

StoredEntries stored_as_csr(const CsrPattern& pattern) {
  StoredEntries entries{TeamVector<std::int64_t>(pattern.column.size()), pattern.entries()};
  std::iota(entries.slot_of_entry.begin(), entries.slot_of_entry.end(), std::int64_t{0});
  return entries;
}

TeamVector<Real> values_in_slots(const StoredEntries& entries, std::span<const Real> value) {
  constexpr std::int64_t least = 1 << 14;  // a thread
  TeamVector<Real> stored(entries.slots);
  parallel_ranges(entries.slots, least, [&](std::int64_t begin, std::int64_t end) {
    std::fill(stored.begin() + begin, stored.begin() + end, Real{0});
  });
  parallel_ranges(std::ssize(value), least, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t entry = begin; entry < end; ++entry) stored[entries.slot_of_entry[entry]] = value[entry];
  });
  return stored;
}

}  // namespace cardiowarp
