#include "app/bench/matrix.hpp"

#include <utility>

#include "assembly/diffusion_matrix.hpp"
#include "assembly/locality_order.hpp"
#include "assembly/sparsity.hpp"
#include "fem/scaling.hpp"
#include "fem/tetrahedron.hpp"
#include "kernels/ell_warp_layout.hpp"

namespace cardiowarp {
namespace {

/// Nodes and tetrahedra of `mesh`, the nodes by locality.
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

}  // namespace

BenchMatrix mesh_matrix(const std::string& name, const Mesh& mesh) {
  constexpr Real diffusivity_mm2_per_ms = 1, step_ms = 0.1;
  const Mesh ordered = in_local_order(mesh);
  Sparsity sparsity = build_sparsity(ordered.tetrahedra, static_cast<Index>(ordered.nodes.size()));
  const std::vector<Diffusivity> diffusivity(ordered.tetrahedra.size(),
                                             {scaled_diffusivity(diffusivity_mm2_per_ms), 0, {}});
  std::vector<Real> value = diffusion_matrix(ordered, diffusivity, sparsity);
  // A_II += Σ_e V_e / 4 h
  for (const Tetrahedron& nodes : ordered.tetrahedra) {
    const Real mass = tetrahedron_geometry(ordered.nodes, nodes).volume / 4;
    for (const Index node : nodes) value[sparsity.diagonal[node]] += mass / tau_from_ms(step_ms);
  }
  return {name, std::move(sparsity.row_begin), std::move(sparsity.column), std::move(value)};
}

}  // namespace cardiowarp
