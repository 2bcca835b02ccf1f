#include "app/bench/matrix.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/bench/bandwidth_order.hpp"
#include "app/simulation/window_order.hpp"
#include "assembly/build_sparsity.hpp"
#include "assembly/diffusion_matrix.hpp"
#include "assembly/locality_order.hpp"
#include "fem/cells/aliev_panfilov.hpp"
#include "fem/input_error.hpp"
#include "fem/nearest_name.hpp"
#include "fem/tetrahedron.hpp"
#include "kernels/backend/thread_team.hpp"
#include "kernels/libraries/metis_parts.hpp"
#include "kernels/sparse/ell_warp_layout.hpp"

namespace cardiowarp {

Mesh in_local_order(const Mesh& mesh) {
  const std::vector<Index> order = locality_order(mesh.nodes);
  const std::vector<Index> new_node = inverse_permutation(order);
  Mesh ordered;
  for (const Index node : order) ordered.nodes.push_back(mesh.nodes[node]);
  ordered.tetrahedra = mesh.tetrahedra;
  for (Tetrahedron& nodes : ordered.tetrahedra)
    for (Index& node : nodes) node = new_node[node];
  return ordered;
}

namespace {

const std::vector<std::pair<BenchOrder, std::string>>& bench_orders() {
  static const std::vector<std::pair<BenchOrder, std::string>> orders{{BenchOrder::hilbert, "hilbert"},
                                                                      {BenchOrder::mesh, "mesh"},
                                                                      {BenchOrder::metis, "metis"},
                                                                      {BenchOrder::rcm, "rcm"},
                                                                      {BenchOrder::metis_nodes, "metis_nodes"}};
  return orders;
}

}  // namespace

std::string name_of(BenchOrder order) {
  for (const auto& [each, name] : bench_orders())
    if (each == order) return name;
  return {};
}

BenchOrder parse_bench_order(const std::string& name) {
  std::vector<std::string> names;
  for (const auto& [order, valid] : bench_orders()) {
    names.push_back(valid);
    if (name != valid) continue;
    if ((order == BenchOrder::metis || order == BenchOrder::metis_nodes) && !has_metis())
      throw InputError(fmt::format("--order: '{}' needs METIS, which this build does not have", name));
    return order;
  }
  throw InputError(
      fmt::format("--order: unknown order '{}'; expected {}{}", name, fmt::join(names, ", "), suggestion(name, names)));
}

BenchMatrix in_order(const BenchMatrix& matrix, const std::vector<Index>& order) {
  const std::vector<Index> new_of_old = inverse_permutation(order);
  BenchMatrix ordered{matrix.name, {0}, {}, {}, matrix.unknowns, matrix.step_ms, matrix.node_order};
  ordered.row_begin.reserve(matrix.row_begin.size());
  for (const Index row : order)
    ordered.row_begin.push_back(ordered.row_begin.back() + matrix.row_begin[row + 1] - matrix.row_begin[row]);
  resize_by_team(ordered.column, matrix.column.size());
  resize_by_team(ordered.value, matrix.value.size());
  parallel_ranges(matrix.rows(), 256, [&](std::int64_t begin, std::int64_t end) {
    std::vector<std::pair<Index, Real>> entries;
    for (std::int64_t row = begin; row < end; ++row) {
      entries.clear();
      for (Index e = matrix.row_begin[order[row]]; e < matrix.row_begin[order[row] + 1]; ++e)
        entries.emplace_back(new_of_old[matrix.column[e]], matrix.value[e]);
      std::stable_sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
      for (std::size_t k = 0; k < entries.size(); ++k)
        std::tie(ordered.column[ordered.row_begin[row] + k], ordered.value[ordered.row_begin[row] + k]) = entries[k];
    }
  });
  return ordered;
}

BenchMatrix in_mesh_order(const BenchMatrix& matrix, const Mesh& mesh) {
  const std::vector<Index> new_node = inverse_permutation(locality_order(mesh.nodes));
  std::vector<Index> order;
  order.reserve(matrix.rows());
  for (const Index node : new_node)
    for (Index k = 0; k < matrix.unknowns; ++k) order.push_back(matrix.unknowns * node + k);
  BenchMatrix ordered = in_order(matrix, order);
  ordered.node_order = "mesh";
  return ordered;
}

BenchMatrix in_bench_order(BenchMatrix matrix, const Mesh& mesh, BenchOrder order) {
  constexpr Index part_nodes = 1024;
  if (order == BenchOrder::mesh) return in_mesh_order(matrix, mesh);
  if (order == BenchOrder::rcm) {
    const BenchMatrix meshed = in_mesh_order(matrix, mesh);
    matrix = in_order(meshed, reverse_cuthill_mckee({meshed.row_begin, meshed.column}));
  } else if (order == BenchOrder::metis_nodes) {
    matrix = in_order(matrix, metis_window_order({matrix.row_begin, matrix.column}, part_nodes * matrix.unknowns));
  } else {
    return matrix;
  }
  matrix.node_order = name_of(order);
  return matrix;
}

Real value_at(Index row, Index column) {
  const auto [low, high] = std::minmax(row, column);
  // The output function of SplitMix64 (Steele, Lea, Flood 2014, Fast splittable pseudorandom number generators).
  std::uint64_t bits =
      (static_cast<std::uint64_t>(low) << 32U | static_cast<std::uint64_t>(high)) + 0x9e3779b97f4a7c15U;
  bits = (bits ^ bits >> 30U) * 0xbf58476d1ce4e5b9U;
  bits = (bits ^ bits >> 27U) * 0x94d049bb133111ebU;
  bits ^= bits >> 31U;
  return static_cast<Real>(bits >> 11U) * 0x1p-52 - 1;
}

BenchMatrix mesh_matrix(const std::string& name, const Mesh& mesh, const MeshMatrixOptions& options) {
  constexpr Real diffusivity_mm2_per_ms = 1;
  const Mesh ordered = in_local_order(mesh);
  Sparsity sparsity = build_sparsity(ordered.tetrahedra, static_cast<Index>(ordered.nodes.size()));
  const std::vector<Diffusivity> diffusivity(ordered.tetrahedra.size(),
                                             {AlievPanfilov::scaling.diffusivity(diffusivity_mm2_per_ms), 0, {}});
  std::vector<Real> value = diffusion_matrix(ordered, diffusivity, sparsity);
  const auto entry_of = [&](Index row, Index column) {
    const auto begin = sparsity.column.begin() + sparsity.row_begin[row];
    return std::lower_bound(begin, sparsity.column.begin() + sparsity.row_begin[row + 1], column) -
           sparsity.column.begin();
  };
  // A_II += Σ_e V_e / 4 h,  or  A_IJ += Σ_e V_e / 16 h
  const Real step = AlievPanfilov::scaling.tau_from_ms(options.step_ms);
  for (const Tetrahedron& nodes : ordered.tetrahedra) {
    const Real volume = tetrahedron_geometry(ordered.nodes, nodes).volume;
    for (const Index row : nodes) {
      if (options.lumped)
        value[sparsity.diagonal[row]] += volume / 4 / step;
      else
        for (const Index column : nodes) value[entry_of(row, column)] += volume / 16 / step;
    }
  }
  return {name,     std::move(sparsity.row_begin), std::move(sparsity.column), std::move(value), 1, options.step_ms,
          "hilbert"};
}

void require_symmetric(const BenchMatrix& matrix, const std::string& source) {
  constexpr Real rounding = 1e-12;
  // The value at a place, 0 where there is none.
  const auto at = [&](Index row, Index column) -> Real {
    const auto begin = matrix.column.begin() + matrix.row_begin[row],
               end = matrix.column.begin() + matrix.row_begin[row + 1];
    const auto found = std::lower_bound(begin, end, column);
    return found != end && *found == column ? matrix.value[found - matrix.column.begin()] : 0;
  };
  for (Index row = 0; row < matrix.rows(); ++row) {
    if (const Real diagonal = at(row, row); !(diagonal > 0))
      throw InputError(
          fmt::format("{}: expected a symmetric positive definite matrix, got {} on the diagonal of row {}", source,
                      diagonal, row + 1));
    for (Index e = matrix.row_begin[row]; e < matrix.row_begin[row + 1]; ++e)
      if (const Real mirrored = at(matrix.column[e], row), own = matrix.value[e];
          std::fabs(mirrored - own) > rounding * std::fabs(own))
        throw InputError(
            fmt::format("{}: expected a symmetric matrix, got {} in row {}, column {} and {} in row {}, "
                        "column {}",
                        source, own, row + 1, matrix.column[e] + 1, mirrored, matrix.column[e] + 1, row + 1));
  }
}

}  // namespace cardiowarp
