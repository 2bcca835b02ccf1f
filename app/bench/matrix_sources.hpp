#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "app/bench/matrix.hpp"
#include "fem/mesh.hpp"

namespace cardiowarp {

/// Where the meshes of `cardiowarp bench` come from.
struct MeshSources {
  std::vector<std::filesystem::path> files;
  std::vector<Index> nodes;  ///< numbers of --nodes, of an idealised heart each

  bool empty() const { return files.empty() && nodes.empty(); }
};

struct NamedMesh {
  std::string name;
  Mesh mesh;
};

/// Throws InputError where a number of nodes is not one of a heart. Reads no file, makes no mesh.
void require_valid(const MeshSources& sources);

/// All meshes, in the order above. Throws InputError for a bad file.
std::vector<NamedMesh> read_meshes(const MeshSources& sources);

/// Where the matrices of `cardiowarp bench spmv` come from.
struct MatrixSources {
  MeshSources meshes;
  std::vector<std::filesystem::path> matrix_files;
  std::vector<std::string> stand_ins;  ///< words of --stand-in

  std::vector<std::filesystem::path> files() const;
};

/// Throws InputError when there is no source, or no such stand-in or heart. Reads no file.
void require_valid(const MatrixSources& sources);

/// All matrices, in the order above. A name that is already there gets a number: heart, heart_2. Throws InputError for
/// a bad file.
std::vector<BenchMatrix> read_matrices(const MatrixSources& sources);

/// Numbers equal names as read_matrices() does.
void make_names_distinct(std::vector<BenchMatrix>& matrices);

}  // namespace cardiowarp
