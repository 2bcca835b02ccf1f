#pragma once
#include <algorithm>
#include <cstdint>
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

/// A square matrix of `unknowns` × `unknowns` blocks with random values: block rows have `lengths` blocks, one block in
/// three is full, and of the others a random entry at least.
inline RandomCsr random_blocks(const std::vector<Index>& lengths, Index unknowns, unsigned seed) {
  const RandomCsr blocks(lengths, seed);
  std::mt19937 generator(seed + 2);
  RandomCsr A({}, seed);
  std::vector<std::uint_fast32_t> full(blocks.column.size());  // a bit for each entry of a block
  const auto entries = static_cast<unsigned>(unknowns * unknowns);
  for (auto& bits : full)
    bits = generator() % 3 == 0 ? ~std::uint_fast32_t{0} : generator() | std::uint_fast32_t{1} << generator() % entries;
  for (Index block_row = 0; block_row < blocks.view().rows; ++block_row)
    for (Index r = 0; r < unknowns; ++r) {
      for (Index block = blocks.row_begin[block_row]; block < blocks.row_begin[block_row + 1]; ++block)
        for (Index c = 0; c < unknowns; ++c)
          if (full[block] >> static_cast<unsigned>(r * unknowns + c) & 1U)
            A.column.push_back(blocks.column[block] * unknowns + c);
      A.length.push_back(static_cast<Index>(A.column.size()) - A.row_begin.back());
      A.row_begin.push_back(static_cast<Index>(A.column.size()));
    }
  A.value = random_values(A.column.size(), seed + 3);
  return A;
}

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
