#include "app/bench/matrix_sources.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "app/bench/block_matrices.hpp"
#include "app/bench/matrix_market.hpp"
#include "app/bench/stand_in.hpp"
#include "fem/input_error.hpp"
#include "meshes/generate.hpp"
#include "meshes/mesh_file.hpp"
#include "meshes/opencarp_file.hpp"

namespace cardiowarp {
namespace {

template <class Use>
void for_each_mesh(const MeshSources& sources, MeshesOf elements, const Use& use) {
  for (const auto& given : sources.files) {
    const std::filesystem::path file = mesh_file_named(given);
    Mesh mesh = read_mesh(file);
    check_mesh_of(file, mesh);
    if (elements == MeshesOf::linear_tetrahedra) require_linear(mesh, file.string());
    use(NamedMesh{file.stem().string(), std::move(mesh)});
  }
  for (const Index nodes : sources.nodes)
    use(NamedMesh{"biventricle_" + std::to_string(nodes), biventricle_mesh(biventricle_edge_mm(nodes, "--nodes"))});
}

}  // namespace

void require_valid(const MeshSources& sources) {
  for (const Index nodes : sources.nodes) biventricle_edge_mm(nodes, "--nodes");
}

std::vector<NamedMesh> read_meshes(const MeshSources& sources, MeshesOf elements) {
  std::vector<NamedMesh> meshes;
  for_each_mesh(sources, elements, [&](NamedMesh mesh) { meshes.push_back(std::move(mesh)); });
  make_names_distinct(meshes);
  return meshes;
}

std::vector<std::filesystem::path> MatrixSources::files() const {
  std::vector<std::filesystem::path> all = meshes.files;
  all.insert(all.end(), matrix_files.begin(), matrix_files.end());
  return all;
}

void require_valid(const MatrixSources& sources) {
  if (sources.meshes.empty() && sources.matrix_files.empty() && sources.stand_ins.empty())
    throw InputError("bench spmv: expected a MESH, --nodes N, --matrix FILE or --stand-in NAME, got none");
  if (sources.unknowns < 1 || sources.unknowns > 3)
    throw InputError(fmt::format("--unknowns: expected 1, 2 or 3 unknowns a node, got {}", sources.unknowns));
  require_valid(sources.meshes);
  parse_bench_order(sources.order);
  parse_stand_ins(sources.stand_ins);
}

std::vector<BenchMatrix> read_matrices(const MatrixSources& sources) {
  std::vector<BenchMatrix> matrices;
  const auto take = [&](const std::string& source, BenchMatrix matrix) {
    if (matrix.rows() % sources.unknowns != 0)
      throw InputError(fmt::format("{}: expected a multiple of {} rows for --unknowns {}, got {}", source,
                                   sources.unknowns, sources.unknowns, matrix.rows()));
    matrix.unknowns = sources.unknowns;
    matrices.push_back(std::move(matrix));
  };
  const BenchOrder order = parse_bench_order(sources.order);
  for_each_mesh(sources.meshes, MeshesOf::linear_tetrahedra, [&](const NamedMesh& m) {
    BenchMatrix matrix = mesh_matrix(m.name, m.mesh, sources.unknowns);
    matrices.push_back(in_bench_order(std::move(matrix), m.mesh, order));
  });
  for (const auto& file : sources.matrix_files) take(file.string(), read_matrix_market(file));
  for (const StandIn& s : parse_stand_ins(sources.stand_ins))
    take("--stand-in " + s.matrix_class.name, stand_in(s.matrix_class, s.seed));
  make_names_distinct(matrices);
  return matrices;
}

std::vector<BenchMatrix> read_systems(const MatrixSources& sources, const std::vector<Real>& steps_ms, bool lumped) {
  std::vector<NamedMesh> meshes = read_meshes(sources.meshes);
  std::vector<BenchMatrix> of_files, matrices;
  for (const auto& file : sources.matrix_files) {
    of_files.push_back(read_matrix_market(file));
    require_symmetric(of_files.back(), file.string());
  }
  make_names_distinct(of_files);
  const BenchOrder order = parse_bench_order(sources.order);
  for (const auto& [name, mesh] : meshes)
    for (const Real step_ms : steps_ms) {
      BenchMatrix matrix = mesh_matrix(name, mesh, {.step_ms = step_ms, .lumped = lumped});
      matrices.push_back(in_bench_order(std::move(matrix), mesh, order));
    }
  for (BenchMatrix& matrix : of_files) matrices.push_back(std::move(matrix));
  return matrices;
}

}  // namespace cardiowarp
