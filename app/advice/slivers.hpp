#pragma once
#include <string>

namespace cardiowarp {

struct Mesh;

/// Warns of slivers: elements whose height over their largest face is less than a thousandth of their longest edge. The
/// sentence says how many there are and names the flattest one, with its nodes, place and height. It is empty where the
/// mesh has no sliver. The edges of curved elements count as straight. A run can compute on slivers, but the gradients
/// inside one are as steep as it is flat; check_mesh() refuses only elements that are a billion times flatter still.
std::string sliver_warning(const Mesh& mesh);

}  // namespace cardiowarp
