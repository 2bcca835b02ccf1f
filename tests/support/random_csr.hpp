#pragma once
#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "kernels/sparse/csr.hpp"

namespace cardiowarp {

inline std::vector<Real> random_values(std::size_t n, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<Real> uniform(-1, 1);
  std::vector<Real> values(n);
  for (Real& value : values) value = uniform(generator);
  return values;
}

/// A square CSR matrix of random values in rows of the given lengths, each at most their number.
struct RandomCsr {
  RandomCsr(std::vector<Index> lengths, unsigned seed) : length(std::move(lengths)) {
    std::mt19937 generator(seed);
    const Index rows = static_cast<Index>(length.size());
    for (Index row = 0; row < rows; ++row) {
      // Scattered over the whole row where it is long; cheap, and without repeats, where it is short.
      const Index stride = rows / std::max<Index>(1, length[row]), begin = static_cast<Index>(generator() % rows);
      for (Index k = 0; k < length[row]; ++k)
        column.push_back(static_cast<Index>((begin + static_cast<std::int64_t>(k) * stride) % rows));
      std::sort(column.end() - length[row], column.end());
      row_begin.push_back(static_cast<Index>(column.size()));
    }
    value = random_values(column.size(), seed + 1);
  }
  CsrView view() const { return {static_cast<Index>(length.size()), row_begin.data(), column.data(), value.data()}; }
  std::vector<Index> length, row_begin{0}, column;
  std::vector<Real> value;
};

/// Lengths at the borders of lanes and warps, empty rows, rows like a heart's and one very long one, in random order.
inline std::vector<Index> awkward_row_lengths(Index rows, unsigned seed) {
  std::mt19937 generator(seed);
  std::vector<Index> lengths(rows);
  for (Index& length : lengths) length = static_cast<Index>(generator() % 16 * (generator() % 2));
  const std::vector<Index> borders{1100, 0, 1, 97, 33, 32, 31, 2, 3};
  for (std::size_t i = 0; i < std::min(lengths.size(), borders.size()); ++i) lengths[i] = borders[i];
  for (Index& length : lengths) length = std::min(length, rows);
  std::shuffle(lengths.begin(), lengths.end(), generator);
  return lengths;
}

}  // namespace cardiowarp
