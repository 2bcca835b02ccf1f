#pragma once
#include <vector>

#include "kernels/backend/types.hpp"

namespace cardiowarp {

struct Mesh;
struct Where;

// The nodes or elements that a place of the configuration has: a box, a sphere, a tag, a surface or a list of nodes,
// and what of it lies within coordinates of the heart (fem/anatomy/heart_coordinates.hpp). build_problem() asks for
// regions, initial values and stimuli before anything is computed, and app/advice asks again for what it tells users.
// The answers are indices into the checked mesh, in host memory. A place that selects nothing is an InputError, as it
// is most likely a mistake.

/// Nodes that `where` selects, ascending: inside the closed box or sphere (tolerance 1e-9 mm), of the elements or
/// surface triangles that carry the tag, or listed in the .vtx file (numbers of the mesh file's own node list). Throws
/// InputError at `where.place` when nothing is selected, the tag is unknown (valid ones listed) or the .vtx file is
/// missing, malformed or out of range.
std::vector<Index> select_nodes(const Mesh& mesh, const Where& where);

/// Elements that `where` selects, ascending: with their centroid inside the closed box or sphere, or with the tag.
/// Throws InputError like `select_nodes`; a NodeFile selects no elements and is refused.
std::vector<Index> select_elements(const Mesh& mesh, const Where& where);

/// select_elements() where coordinates of the heart may leave no elements, as those of a surface do. In a refined mesh
/// the eight pieces of an element have its coordinates.
std::vector<Index> elements_within(const Mesh& mesh, const Where& where);

/// Whether `where` selects a piece of the tissue's volume: a box, a sphere, coordinates or the tag of a volume, and not
/// the tag of a surface or a list of nodes. Throws InputError where a tag is unknown.
bool selects_volume(const Mesh& mesh, const Where& where);

}  // namespace cardiowarp
