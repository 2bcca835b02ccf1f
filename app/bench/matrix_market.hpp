#pragma once
#include <filesystem>
#include <string_view>

#include "app/bench/matrix.hpp"

namespace cardiowarp {

/// The square matrix of a Matrix Market file, plain or gzip: `coordinate`; `real`, `integer` or `pattern`; `general`,
/// `symmetric` or `skew-symmetric`, whose other triangle is filled in. A pattern gets the values of value_at(). The
/// name is the file's without .gz and .mtx. Takes the memory of the unpacked text and 44 bytes an entry. Throws
/// InputError `file:line: ...` for whatever the format does not allow, for entries above the diagonal of a symmetric
/// matrix, equal positions, values that are not finite, and matrices without rows or entries. Format: R. F. Boisvert,
/// R. Pozo, K. A. Remington, The Matrix Market Exchange Formats: Initial Design, NISTIR 5935.
BenchMatrix read_matrix_market(const std::filesystem::path& file);

/// Reads the unpacked content of such a file that is in memory already; messages and the matrix are named after `file`.
BenchMatrix read_matrix_market_text(const std::filesystem::path& file, std::string_view text);

}  // namespace cardiowarp
