#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "app/bench/matrix.hpp"

namespace cardiowarp {

/// Where the matrices of `cardiowarp bench spmv` come from.
struct MatrixSources {
  std::vector<std::filesystem::path> meshes, matrix_files;
  std::vector<std::string> stand_ins;  ///< words of --stand-in

  std::vector<std::filesystem::path> files() const;
};

/// Throws InputError when there is no source, or no such stand-in. Reads no file.
void require_valid(const MatrixSources& sources);

/// All matrices, in the order above. A name that is already there gets a number: heart, heart_2. Throws InputError for
/// a bad file.
std::vector<BenchMatrix> read_matrices(const MatrixSources& sources);

/// Numbers equal names as read_matrices() does.
void make_names_distinct(std::vector<BenchMatrix>& matrices);

}  // namespace cardiowarp
