#include "app/petsc/part.hpp"

#include <algorithm>
#include <numeric>

namespace cardiowarp {
namespace {

template <class T>
std::vector<T> selected(const std::vector<T>& values, const std::vector<Index>& which) {
  std::vector<T> result;
  result.reserve(which.size());
  for (const Index i : which) result.push_back(values[i]);
  return result;
}

}  // namespace

std::unique_ptr<Part> part_of(const Problem& whole, Index begin, Index end) {
  auto owner = std::make_unique<Part>();
  Part& part = *owner;
  part.own_nodes = end - begin;
  const auto own = [&](Index node) { return begin <= node && node < end; };

  const std::vector<Tetrahedron>& tetrahedra = whole.mesh->tetrahedra;
  std::vector<Index> elements, ghosts;
  for (Index element = 0; element < static_cast<Index>(tetrahedra.size()); ++element) {
    const Tetrahedron& nodes = tetrahedra[element];
    if (std::none_of(nodes.begin(), nodes.end(), own)) continue;
    elements.push_back(element);
    std::remove_copy_if(nodes.begin(), nodes.end(), std::back_inserter(ghosts), own);
  }
  std::sort(ghosts.begin(), ghosts.end());
  ghosts.erase(std::unique(ghosts.begin(), ghosts.end()), ghosts.end());

  part.node_in_whole.resize(part.own_nodes);
  std::iota(part.node_in_whole.begin(), part.node_in_whole.end(), begin);
  part.node_in_whole.insert(part.node_in_whole.end(), ghosts.begin(), ghosts.end());
  std::vector<Index> node_in_part(whole.mesh->nodes.size(), -1);
  for (std::size_t i = 0; i < part.node_in_whole.size(); ++i)
    node_in_part[part.node_in_whole[i]] = static_cast<Index>(i);

  part.mesh.nodes = selected(whole.mesh->nodes, part.node_in_whole);
  part.mesh.tetrahedra = selected(tetrahedra, elements);
  for (Tetrahedron& nodes : part.mesh.tetrahedra)
    for (Index& node : nodes) node = node_in_part[node];

  Problem& problem = part.problem;
  problem.mesh = &part.mesh;
  problem.cell_models = whole.cell_models;
  problem.cell_model = selected(whole.cell_model, elements);
  problem.diffusivity = selected(whole.diffusivity, elements);
  problem.phi = selected(whole.phi, part.node_in_whole);
  problem.recovery = selected(whole.recovery, elements);
  for (const Stimulus& stimulus : whole.stimuli) {
    Stimulus& here = problem.stimuli.emplace_back(Stimulus{{}, stimulus.pulses, stimulus.amplitude});
    for (const Index node : stimulus.nodes)
      if (node_in_part[node] >= 0) here.nodes.push_back(node_in_part[node]);
  }
  problem.newton = whole.newton;
  problem.linear_solver = whole.linear_solver;
  return owner;
}

}  // namespace cardiowarp
