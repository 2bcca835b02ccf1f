#pragma once
#include <cstring>
#include <vector>

#include "app/simulation/boundary.hpp"
#include "app/simulation/selection.hpp"
#include "fem/mesh.hpp"
#include "tests/support/single_run.hpp"

namespace cardiowarp::test {

/// A box whose side x0 is held at 20 mV, from which a front starts, and a corner of whose side x1 at −70 mV.
inline Problem held_box(const Mesh& mesh) {
  Problem problem = resting_problem(mesh, 0.1, 0.3);
  Real longest = 0;
  for (const Vector3& node : mesh.nodes) longest = std::max(longest, node.x);
  PrescribedValues values;
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i) {
    const Vector3 p = mesh.nodes[i];
    const bool at_start = p.x<1e-9, at_end = p.x> longest - 1e-9 && p.y < 1.6;
    if (!at_start && !at_end) continue;
    values.node.push_back(static_cast<Index>(i));
    values.value.push_back(at_start ? 20 : -70);
  }
  set_boundary(values, problem);
  return problem;
}

/// Whether the prescribed nodes of a potential have the bits that they have in another.
inline bool are_held(const Problem& problem, const std::vector<Real>& potential_mv,
                     const std::vector<Real>& at_start_mv) {
  for (const Index node : problem.prescribed)
    if (std::memcmp(&potential_mv[node], &at_start_mv[node], sizeof(Real)) != 0) return false;
  return true;
}

}  // namespace cardiowarp::test
