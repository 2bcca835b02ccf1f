#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "app/bench/spmv.hpp"
#include "app/measure/table.hpp"

namespace cardiowarp {

// The tables that `bench spmv` makes of its measurements. A row is a matrix in a format, multiplied so many times
// together: what the format chose, its bytes, its times, and its ratio to the products of cuSPARSE. BenchCommand prints
// some of the columns and, on request, writes all of them to files. A wrong product keeps its row, but has no times.

/// A table whose first row is the copy, with the columns of docs/benchmarks/README.md.
Table spmv_table(const DeviceCopy& copy);

/// A row for each of `shown`; the ratios are to the best products of cuSPARSE, as many together, among `measurements`.
void add_rows(Table& table, const BenchMatrix& matrix, const std::vector<SpmvMeasurement>& shown,
              const std::vector<SpmvMeasurement>& measurements, const DeviceCopy& copy);

/// What sorting, coalescing, renumbering and several threads a row do, one by one (paper 000 sec. 7): the best choices
/// of two formats beside each other by so many products; both differences in per cent of the first (its Table VI). An
/// effect of which a format is missing or wrong is left out.
Table effects_table(const std::vector<SpmvMeasurement>& measurements, int products);

/// A table without rows for the histograms of row lengths (paper 000, Fig. 3), and those of a matrix: a row for each
/// length that occurs, with the number of rows of the matrix that have it.
Table row_lengths_table();
void add_row_lengths(Table& table, const BenchMatrix& matrix);

/// The smallest number of products after which reordering has paid: the smallest whole α >= 1 with
/// reordering_s + α seconds <= α rival_s (paper 000 eq. 14); none where the rival is no slower.
std::optional<std::int64_t> products_that_pay(double reordering_s, double seconds, double rival_s);

}  // namespace cardiowarp
