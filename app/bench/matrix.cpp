#include "app/bench/matrix.hpp"

#include <algorithm>
#include <utility>

#include "assembly/diffusion_matrix.hpp"
#include "assembly/locality_order.hpp"
#include "assembly/sparsity.hpp"
#include "fem/cells/aliev_panfilov.hpp"
#include "fem/tetrahedron.hpp"
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

BenchMatrix mesh_matrix(const std::string& name, const Mesh& mesh, NodeOrder order) {
  constexpr Real diffusivity_mm2_per_ms = 1, step_ms = 0.1;
  const Mesh ordered = order == NodeOrder::hilbert ? in_local_order(mesh) : mesh;
  Sparsity sparsity = build_sparsity(ordered.tetrahedra, static_cast<Index>(ordered.nodes.size()));
  const std::vector<Diffusivity> diffusivity(ordered.tetrahedra.size(),
                                             {AlievPanfilov::scaling.diffusivity(diffusivity_mm2_per_ms), 0, {}});
  std::vector<Real> value = diffusion_matrix(ordered, diffusivity, sparsity);
  // A_II += Σ_e V_e / 4 h
  for (const Tetrahedron& nodes : ordered.tetrahedra) {
    const Real mass = tetrahedron_geometry(ordered.nodes, nodes).volume / 4;
    for (const Index node : nodes) value[sparsity.diagonal[node]] += mass / AlievPanfilov::scaling.tau_from_ms(step_ms);
  }
  return {name,
          std::move(sparsity.row_begin),
          std::move(sparsity.column),
          std::move(value),
          1,
          order == NodeOrder::hilbert ? "hilbert" : "mesh"};
}

}  // namespace cardiowarp
