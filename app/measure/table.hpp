#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace cardiowarp {

// Tables of results, and the three texts that are made of them: CSV and JSON for files, and columns of equal width for
// a reader. `bench` and `compare` gather their results in tables, which they print and, where they are asked to, write.
// A table is small and in host memory. Each row has a cell for every column; a cell is empty where nothing was
// measured.

/// One value of a table; the first kind is an empty cell.
using TableCell = std::variant<std::monostate, bool, std::int64_t, double, std::string>;

/// Empty where there is no value.
inline TableCell cell_of(const std::optional<double>& value) { return value ? TableCell(*value) : TableCell(); }

/// Rows of named columns.
struct Table {
  std::vector<std::string> columns;
  std::vector<std::vector<TableCell>> rows;  ///< [rows][columns]
};

/// The columns of these names, in this order; all of them exist.
Table with_columns(const Table& table, const std::vector<std::string>& columns);

/// RFC 4180 with line feeds: a header, then a line a row; numbers with 6 digits, yes and no, nothing for an empty cell.
/// Text with a # is in quotes, which keep it from being read as a comment.
std::string csv_text(const Table& table);

/// An array of objects with the columns as keys; null for an empty cell.
std::string json_text(const Table& table);

/// The table for a reader: columns of equal width, numbers with 4 digits, - for an empty cell.
std::string aligned_text(const Table& table);

}  // namespace cardiowarp
