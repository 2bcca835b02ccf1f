#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/backend/types.hpp"

namespace cardiowarp {

/// The content of a SeriesFile, read back: a table with time in its first column.
struct SeriesTable {
  std::vector<std::string> names;          ///< of the other columns
  std::vector<Real> time_ms;               ///< [rows]
  std::vector<std::vector<Real>> columns;  ///< [names × rows]
};

/// The table of such a text. A line with another number of words than the first is left out.
SeriesTable series_table(std::string_view text);

/// Throws InputError with the reason where the file cannot be read.
std::string text_of_series(const std::filesystem::path& file);

}  // namespace cardiowarp
