#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "app/bench/spmv.hpp"
#include "app/measure/table.hpp"

namespace cardiowarp {

// The tables that `bench spmv` makes of its measurements. A row is a matrix in a format, multiplied so many times
// together: what the format chose, its bytes, its times, and its ratio to the products of cuSPARSE. run_bench() prints
// some of the columns and, on request, writes all of them to files. A wrong product keeps its row, but has no times.

/// A table whose first row is the copy, with the columns of docs/benchmarks/README.md.
Table spmv_table(const DeviceCopy& copy);

/// Adds a row for each of `shown`. The ratios are to the best product of cuSPARSE among `measurements` with as many
/// products together.
void add_rows(Table& table, const BenchMatrix& matrix, const std::vector<SpmvMeasurement>& shown,
              const std::vector<SpmvMeasurement>& measurements, const DeviceCopy& copy);

/// A table of how much sorting, coalescing, renumbering and several threads a row gain, one by one (paper 000 sec. 7,
/// Table VI). A row has the best choices of two formats that differ in one of these, each by so many products, and
/// their difference in per cent of the first. An effect is left out where one of its formats is missing or wrong.
Table effects_table(const std::vector<SpmvMeasurement>& measurements, int products);

/// A table without rows for the histograms of row lengths (paper 000, Fig. 3), and those of a matrix: a row for each
/// length that occurs, with the number of rows of the matrix that have it.
Table row_lengths_table();
void add_row_lengths(Table& table, const BenchMatrix& matrix);

/// The smallest number of products after which reordering has paid: the smallest whole α >= 1 with
/// reordering_s + α seconds <= α rival_s (paper 000 eq. 14); none where the rival is no slower.
std::optional<std::int64_t> products_that_pay(double reordering_s, double seconds, double rival_s);

}  // namespace cardiowarp
