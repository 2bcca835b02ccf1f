#pragma once
#include <span>
#include <string>
#include <vector>

#include "kernels/backend/types.hpp"

namespace cardiowarp {

struct BoundaryConfig;
struct Mesh;
struct Tissue;

// Nodes whose value is prescribed (Dirichlet conditions): the list `boundary` of a configuration, and `--at` of
// `cardiowarp laplace`. Everywhere else the surface of the mesh lets nothing through. Where the same node is in two
// entries they have to agree. How these nodes leave the linear systems is in assembly/prescribed_nodes.hpp.

/// The nodes of a place and the value that they have, in the unit of whoever asks.
struct PrescribedPlace {
  std::vector<Index> nodes;
  Real value;
  std::string place;  ///< for messages
};

/// Nodes and the value of each, [nodes]; the nodes are ascending.
struct PrescribedValues {
  std::vector<Index> node;
  std::vector<Real> value;
};

/// The value of a node in two places with different ones.
enum class SharedNodes {
  refused,        ///< it is an error
  of_first_place  ///< the value of the place that is listed first
};

/// The nodes of some places. Throws InputError where a node has two values, with both places, unless shared nodes
/// belong to the first place, and where all nodes of the mesh are prescribed, so that nothing is left to compute.
/// `unit` follows the numbers in messages.
PrescribedValues prescribed_values(const Mesh& mesh, std::span<const PrescribedPlace> places, const std::string& unit,
                                   SharedNodes shared = SharedNodes::refused);

/// Puts the values of `boundary` into phi, lists their nodes as prescribed, and takes these out of all stimuli. Throws
/// InputError as prescribed_values() and select_nodes() do.
void set_boundary(const std::vector<BoundaryConfig>& boundary, Tissue& tissue);

/// Puts values at nodes that have been found into phi, prescribes these nodes, and takes them out of all stimuli.
void set_boundary(const PrescribedValues& values_mv, Tissue& tissue);

/// Prescribes further nodes, ascending, with the potential that they have, and takes them out of all stimuli.
void keep_potential(const std::vector<Index>& nodes, Tissue& tissue);

/// `12 nodes`, with the word for one; empty where there are none.
std::string prescribed_in_words(const Tissue& tissue);

}  // namespace cardiowarp
