#include "app/simulation/pulse_watch.hpp"

namespace cardiowarp {

std::vector<Index> nodes_around(const Sparsity& sparsity, const std::vector<Vector3>& position,
                                const std::vector<Index>& nodes, Real distance_mm) {
  struct Found {
    Index node, from;  // which of `nodes` it was found from
  };
  std::vector<bool> known(position.size(), false);
  std::vector<Found> inside;
  std::vector<Index> around;
  for (const Index node : nodes) {
    known[node] = true;
    inside.push_back({node, node});
  }
  for (std::size_t k = 0; k < inside.size(); ++k) {
    const auto [node, from] = inside[k];
    for (Index entry = sparsity.row_begin[node]; entry < sparsity.row_begin[node + 1]; ++entry) {
      const Index neighbour = sparsity.column[entry];
      if (known[neighbour]) continue;
      known[neighbour] = true;
      if (norm(position[neighbour] - position[from]) > distance_mm)
        around.push_back(neighbour);
      else
        inside.push_back({neighbour, from});
    }
  }
  if (around.empty())
    for (std::size_t k = nodes.size(); k < inside.size(); ++k) around.push_back(inside[k].node);
  if (around.empty()) return nodes;
  std::sort(around.begin(), around.end());
  return around;
}

}  // namespace cardiowarp
