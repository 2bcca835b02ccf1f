#pragma once
#include <vector>

#include "app/simulation/problem.hpp"

namespace cardiowarp {

/// The share of a process in a problem: consecutive nodes of its own, every element that touches one of them, and the
/// other nodes of these elements (ghosts). An element at a border is computed by each of its owners, so that no element
/// value has to be sent.
struct Subdomain {
  Problem problem;  ///< on the subdomain's nodes and elements; stimuli reach the ghosts
  Index own_nodes = 0;
  std::vector<Index> node_in_whole;  ///< [nodes] own ones first and consecutive, then the ghosts, ascending
};

/// The subdomain with the nodes from `begin` up to, but without, `end`.
Subdomain subdomain_of(const Problem& whole, Index begin, Index end);

}  // namespace cardiowarp
