#include "app/bench/matrix_sources.hpp"

#include <set>

#include "app/bench/matrix_market.hpp"
#include "app/bench/stand_in.hpp"
#include "fem/input_error.hpp"
#include "meshes/mesh_file.hpp"

namespace cardiowarp {
namespace {

BenchMatrix matrix_of_mesh_file(const std::filesystem::path& file) {
  Mesh mesh = read_mesh(file);
  check_mesh_of(file, mesh);
  return mesh_matrix(file.stem().string(), mesh);
}

}  // namespace

std::vector<std::filesystem::path> MatrixSources::files() const {
  std::vector<std::filesystem::path> all = meshes;
  all.insert(all.end(), matrix_files.begin(), matrix_files.end());
  return all;
}

void require_valid(const MatrixSources& sources) {
  if (sources.files().empty() && sources.stand_ins.empty())
    throw InputError("bench spmv: expected a MESH, --matrix FILE or --stand-in NAME, got none");
  parse_stand_ins(sources.stand_ins);
}

std::vector<BenchMatrix> read_matrices(const MatrixSources& sources) {
  std::vector<BenchMatrix> matrices;
  for (const auto& file : sources.meshes) matrices.push_back(matrix_of_mesh_file(file));
  for (const auto& file : sources.matrix_files) matrices.push_back(read_matrix_market(file));
  for (const StandIn& s : parse_stand_ins(sources.stand_ins)) matrices.push_back(stand_in(s.matrix_class, s.seed));
  make_names_distinct(matrices);
  return matrices;
}

void make_names_distinct(std::vector<BenchMatrix>& matrices) {
  std::set<std::string> names;
  for (BenchMatrix& matrix : matrices) {
    const std::string name = matrix.name;
    for (int k = 2; !names.insert(matrix.name).second; ++k) matrix.name = name + '_' + std::to_string(k);
  }
}

}  // namespace cardiowarp
