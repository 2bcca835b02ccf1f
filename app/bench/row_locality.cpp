#include "app/bench/row_locality.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "kernels/sparse/ell_warp_layout.hpp"

namespace cardiowarp {
namespace {

constexpr Index numbers_of_a_sector = 4;  // 32 bytes

Index distinct_sectors(std::vector<Index>& columns) {
  for (Index& column : columns) column /= numbers_of_a_sector;
  std::sort(columns.begin(), columns.end());
  return static_cast<Index>(std::unique(columns.begin(), columns.end()) - columns.begin());
}

}  // namespace

RowLocality row_locality(const BenchMatrix& matrix, const RowSorting& sorting) {
  EllWarpOptions options;
  options.window = sorting.window;
  options.sorted = sorting.sorted;
  const EllWarpShape shape = ell_warp_shape(row_lengths(matrix.row_begin), options);
  const std::vector<Index> position = inverse_permutation(shape.row);
  RowLocality locality{.padding = shape.padding_ratio()};
  std::vector<Index> given, sorted;
  std::int64_t sectors = 0, sorted_sectors = 0, distances = 0;
  for (Index slice = 0; slice < shape.slices(); ++slice) {
    given.clear();
    sorted.clear();
    for (Index p = shape.slice_row[slice]; p < shape.slice_row[slice + 1]; ++p) {
      const Index row = shape.row[p];
      for (Index e = matrix.row_begin[row]; e < matrix.row_begin[row + 1]; ++e) {
        const Index distance = std::abs(row - matrix.column[e]);
        distances += distance;
        locality.largest_distance = std::max(locality.largest_distance, distance);
        given.push_back(matrix.column[e]);
        sorted.push_back(position[matrix.column[e]]);
      }
    }
    sectors += distinct_sectors(given);
    sorted_sectors += distinct_sectors(sorted);
  }
  locality.sectors_k1 = static_cast<double>(sectors) / shape.slices();
  locality.sectors_k1rs = static_cast<double>(sorted_sectors) / shape.slices();
  locality.mean_distance = static_cast<double>(distances) / static_cast<double>(matrix.entries());
  return locality;
}

Table locality_table() {
  return {{"matrix", "unknowns", "node_order", "rows", "nonzeros", "sorting", "padding", "sectors_a_warp_k1",
           "sectors_a_warp_k1rs", "mean_distance", "largest_distance"},
          {}};
}

void add_locality(Table& table, const BenchMatrix& matrix) {
  const std::vector<std::pair<const char*, RowSorting>> sortings{
      {"unsorted", {.sorted = false}}, {"windows of 1024", {.window = 1024}}, {"all rows", {}}};
  for (const auto& [name, sorting] : sortings) {
    const RowLocality locality = row_locality(matrix, sorting);
    table.rows.push_back({matrix.name, std::int64_t{matrix.unknowns},
                          matrix.node_order.empty() ? TableCell() : TableCell(matrix.node_order),
                          std::int64_t{matrix.rows()}, matrix.entries(), std::string(name), locality.padding,
                          locality.sectors_k1, locality.sectors_k1rs, locality.mean_distance,
                          std::int64_t{locality.largest_distance}});
  }
}

}  // namespace cardiowarp
