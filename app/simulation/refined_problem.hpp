#pragma once
#include "app/simulation/problem.hpp"

namespace cardiowarp {

struct Config;

/// The problem on its mesh refined once (meshes/generate.hpp): every edge half as long, eight times the elements, and
/// the nodes of the mesh as the first ones. The tissue stays what it was: an element's children have its diffusivity,
/// cells and states, and between two nodes the initial potential is the mean of theirs. Stimuli are those that
/// `config`, of which `problem` was built, describes on the refined mesh, but that a list of nodes also has the nodes
/// between two of its own. There are no probes. Throws InputError where the refined mesh is too large for an Index.
Problem refined_problem(const Config& config, const Problem& problem);

}  // namespace cardiowarp
