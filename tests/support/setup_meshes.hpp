#pragma once
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/assembly_case.hpp"
#include "tests/support/random_mesh.hpp"

namespace cardiowarp::test {

/// Two meshes that share no node, in turn one element of each.
inline Mesh side_by_side(const Mesh& a, const Mesh& b) {
  Mesh both;
  both.nodes = a.nodes;
  const auto moved = static_cast<Index>(a.nodes.size());
  for (const Vector3& p : b.nodes) both.nodes.push_back(p + Vector3{100, 0, 0});
  for (std::size_t e = 0; e < std::max(a.tetrahedra.size(), b.tetrahedra.size()); ++e) {
    if (e < a.tetrahedra.size()) both.tetrahedra.push_back(a.tetrahedra[e]);
    if (e >= b.tetrahedra.size()) continue;
    Tetrahedron corners = b.tetrahedra[e];
    for (Index& node : corners) node += moved;
    both.tetrahedra.push_back(corners);
  }
  both.element_tags.assign(both.tetrahedra.size(), 0);
  return both;
}

/// Meshes on which what a set-up works out is compared with a slower way to it, by name: a box in order and out of it,
/// a few long rows, disconnected parts, one tetrahedron, and enough nodes for every one of 16 threads.
inline std::vector<std::pair<std::string, Mesh>> setup_meshes(unsigned seed) {
  const Mesh box = random_mesh({6, 5, 4}, 0.5, seed);
  Mesh one = part_of_a_box(1, seed);
  return {{"a box", box},
          {"a box out of order", renumbered(box, seed).mesh},
          {"a large box out of order", renumbered(random_mesh({12, 12, 12}, 0.5, seed), seed).mesh},
          {"a wheel", wheel_mesh(60, seed)},
          {"a large wheel", wheel_mesh(3000, seed)},
          {"parts", renumbered(side_by_side(wheel_mesh(40, seed), part_of_a_box(97, seed)), seed).mesh},
          {"one tetrahedron", std::move(one)}};
}

}  // namespace cardiowarp::test
