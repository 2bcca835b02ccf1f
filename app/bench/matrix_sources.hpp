#pragma once
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "app/bench/matrix.hpp"
#include "app/bench/options.hpp"
#include "fem/mesh.hpp"

namespace cardiowarp {

// Reads or makes the meshes and matrices that the command line of `cardiowarp bench` names: mesh files, idealized
// hearts of a number of nodes and, for `bench spmv`, files of matrices and generated matrices. run_bench() has numbers
// and names checked first, then reads or makes everything, and only then measures. All of it is in host memory at once.

struct NamedMesh {
  std::string name;
  Mesh mesh;
};

/// Throws InputError where no idealized heart can be made with a number of nodes. Reads no file and makes no mesh.
void require_valid(const MeshSources& sources);

/// The kinds of elements that the meshes of a measurement may have.
enum class MeshesOf { linear_tetrahedra, linear_or_quadratic_tetrahedra };

/// All meshes, first those of files and then the hearts, with distinct names (make_names_distinct()). Throws InputError
/// for a bad file, and for one with other elements than `elements`.
std::vector<NamedMesh> read_meshes(const MeshSources& sources, MeshesOf elements = MeshesOf::linear_tetrahedra);

/// Throws InputError when there is no source, no such stand-in, heart or order, or a number of unknowns other than 1, 2
/// and 3. Reads no file.
void require_valid(const MatrixSources& sources);

/// All matrices, in the order of the members of MatrixSources, with distinct names (make_names_distinct()). The matrix
/// of a mesh is made with the number of unknowns; the others are taken to have so many unknowns a node. Throws
/// InputError for a bad file, and for a matrix whose rows are no multiple of the unknowns.
std::vector<BenchMatrix> read_matrices(const MatrixSources& sources);

/// The matrices of `bench solver`: those of the meshes, each with every step of `steps_ms`, and those of the files.
/// Names are distinct. Throws InputError for a bad file, and for a matrix that is not symmetric with a positive
/// diagonal.
std::vector<BenchMatrix> read_systems(const MatrixSources& sources, const std::vector<Real>& steps_ms, bool lumped);

/// Adds a number to each name that an earlier one has already: heart, heart_2, ..
template <class Named>
void make_names_distinct(std::vector<Named>& all) {
  std::set<std::string> names;
  for (Named& one : all) {
    const std::string name = one.name;
    for (int k = 2; !names.insert(one.name).second; ++k) one.name = name + '_' + std::to_string(k);
  }
}

}  // namespace cardiowarp
