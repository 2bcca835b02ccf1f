#pragma once
#include "fem/components.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

struct Mesh;

// Programs that write a mesh element by element, or the pieces of a parallel run one after the other, give each its own
// nodes. Such a mesh looks whole and falls into components that no wave leaves. Where a mesh has several components,
// this says whether they lie against each other. Takes 32 bytes a node while it works.

/// How many nodes lie at the place of a node of another component, to a thousandth of `shortest_edge_mm`.
Index coinciding_nodes(const Mesh& mesh, const Components& components, Real shortest_edge_mm);

}  // namespace cardiowarp
