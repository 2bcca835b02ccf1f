#pragma once
#include <vector>

#include "app/simulation/tissue.hpp"
#include "fem/components.hpp"
#include "fem/diffusivity.hpp"

namespace cardiowarp {

// Tissue that does not conduct: elements with the diffusivity 0, as `conducts: false` in a region gives. They stay in
// the mesh of the input, and so in results, but are left out of the order in which a machine has the elements
// (order_by_locality()), and with it out of the problem: they have no mass, no reaction and no diffusion. A node of no
// other element keeps its potential as a prescribed one does.

/// Whether tissue conducts.
inline bool conducts(const Diffusivity& diffusivity) { return diffusivity.isotropic > 0; }

/// Whether all elements do.
bool all_conduct(const Tissue& tissue);

/// Prescribes the potential of the nodes that no conducting element has, and takes them out of all stimuli. Throws
/// InputError where no element conducts.
void prescribe_nodes_without_tissue(Tissue& tissue);

/// The components of the elements that conduct. Nodes of none are counted nowhere; their component is the first.
Components conducting_components(const Tissue& tissue);

}  // namespace cardiowarp
