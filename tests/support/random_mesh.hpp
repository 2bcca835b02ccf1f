#pragma once
#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "fem/mesh.hpp"
#include "meshes/generate.hpp"

namespace cardiowarp {

/// A box of tetrahedra whose inner nodes are moved at random by up to a fifth of the edge, with random unit fibers.
inline Mesh random_mesh(Vector3 size_mm, Real edge_mm, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<Real> shift(-0.2 * edge_mm, 0.2 * edge_mm), component(-1, 1);
  Mesh mesh = slab_mesh(size_mm, edge_mm, true);
  const auto inside = [](Real x, Real size) { return x > 1e-9 && x < size - 1e-9; };
  for (Vector3& node : mesh.nodes)
    if (inside(node.x, size_mm.x) && inside(node.y, size_mm.y) && inside(node.z, size_mm.z))
      node = node + Vector3{shift(generator), shift(generator), shift(generator)};
  mesh.fibers.clear();
  for (std::size_t e = 0; e < mesh.tetrahedra.size(); ++e) {
    const Vector3 direction{component(generator), component(generator), 1.5 + component(generator)};
    mesh.fibers.push_back((1 / norm(direction)) * direction);
  }
  return mesh;
}

/// The same mesh with nodes and elements listed in a random order; `node_order[new] = old`, likewise for elements.
struct Renumbering {
  std::vector<Index> node_order, element_order;
  Mesh mesh;
};

inline Renumbering renumbered(const Mesh& mesh, unsigned seed) {
  std::mt19937 generator(seed);
  Renumbering result;
  result.node_order.resize(mesh.nodes.size());
  result.element_order.resize(mesh.tetrahedra.size());
  std::iota(result.node_order.begin(), result.node_order.end(), 0);
  std::iota(result.element_order.begin(), result.element_order.end(), 0);
  std::shuffle(result.node_order.begin(), result.node_order.end(), generator);
  std::shuffle(result.element_order.begin(), result.element_order.end(), generator);
  std::vector<Index> new_node(mesh.nodes.size());
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i) {
    new_node[result.node_order[i]] = static_cast<Index>(i);
    result.mesh.nodes.push_back(mesh.nodes[result.node_order[i]]);
  }
  for (const Index element : result.element_order) {
    Tetrahedron nodes = mesh.tetrahedra[element];
    for (Index& node : nodes) node = new_node[node];
    result.mesh.tetrahedra.push_back(nodes);
    result.mesh.element_tags.push_back(mesh.element_tags[element]);
    if (!mesh.fibers.empty()) result.mesh.fibers.push_back(mesh.fibers[element]);
  }
  result.mesh.volume_names = mesh.volume_names;
  return result;
}

/// The same with the surfaces of the mesh, whose triangles keep their order.
inline Renumbering renumbered_with_surfaces(const Mesh& mesh, unsigned seed) {
  Renumbering result = renumbered(mesh, seed);
  std::vector<Index> new_node(mesh.nodes.size());
  for (std::size_t i = 0; i < new_node.size(); ++i) new_node[result.node_order[i]] = static_cast<Index>(i);
  for (Triangle triangle : mesh.triangles) {
    for (Index& node : triangle) node = new_node[node];
    result.mesh.triangles.push_back(triangle);
  }
  result.mesh.triangle_tags = mesh.triangle_tags;
  result.mesh.surface_names = mesh.surface_names;
  return result;
}

}  // namespace cardiowarp
