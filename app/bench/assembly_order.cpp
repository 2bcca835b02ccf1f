#include "app/bench/assembly_order.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>

#include "app/bench/bandwidth_order.hpp"
#include "app/simulation/window_order.hpp"
#include "assembly/build_sparsity.hpp"
#include "assembly/locality_order.hpp"
#include "kernels/sparse/ell_warp_layout.hpp"

namespace cardiowarp {
namespace {

/// The elements by the smallest new number of their nodes; those with the same keep their order.
std::vector<Index> by_first_node(const std::vector<Tetrahedron>& tetrahedra, const std::vector<Index>& node_order) {
  const std::vector<Index> new_node = inverse_permutation(node_order);
  std::vector<Index> first(tetrahedra.size()), element(tetrahedra.size());
  for (std::size_t e = 0; e < tetrahedra.size(); ++e) {
    first[e] = new_node[tetrahedra[e][0]];
    for (const Index node : tetrahedra[e]) first[e] = std::min(first[e], new_node[node]);
  }
  std::iota(element.begin(), element.end(), 0);
  std::stable_sort(element.begin(), element.end(), [&](Index a, Index b) { return first[a] < first[b]; });
  return element;
}

}  // namespace

AssemblyOrder assembly_order(const Mesh& mesh, BenchOrder order) {
  assert(order != BenchOrder::hilbert && order != BenchOrder::metis);
  constexpr Index part_nodes = 1024;
  const auto nodes = static_cast<Index>(mesh.nodes.size());
  AssemblyOrder result;
  if (order == BenchOrder::mesh) {
    result.node.resize(mesh.nodes.size());
    std::iota(result.node.begin(), result.node.end(), 0);
    result.element.resize(mesh.tetrahedra.size());
    std::iota(result.element.begin(), result.element.end(), 0);
    return result;
  }
  if (order == BenchOrder::rcm) {
    const Sparsity sparsity = build_sparsity(mesh.tetrahedra, nodes);
    result.node = reverse_cuthill_mckee({sparsity.row_begin, sparsity.column});
  } else {
    const std::vector<Index> along_curve = locality_order(mesh.nodes);
    const Sparsity sparsity = build_sparsity(in_local_order(mesh).tetrahedra, nodes);
    for (const Index node : metis_window_order({sparsity.row_begin, sparsity.column}, part_nodes))
      result.node.push_back(along_curve[node]);
  }
  result.element = by_first_node(mesh.tetrahedra, result.node);
  return result;
}

}  // namespace cardiowarp
