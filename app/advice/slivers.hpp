#pragma once
#include <string>

namespace cardiowarp {

struct Mesh;

/// A sentence that names the flattest element of a mesh, its nodes, place and height, and says how many are as flat:
/// lower than a thousandth of their longest edge, by the height over their largest face. Empty where none is. Edges
/// count as straight. check_mesh() refuses what is a billion times flatter still; what is between can be computed on,
/// but the gradients in such an element are as steep as it is flat.
std::string sliver_warning(const Mesh& mesh);

}  // namespace cardiowarp
