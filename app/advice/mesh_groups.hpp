#pragma once
#include <string>
#include <vector>

namespace cardiowarp {

struct Mesh;

/// The lines of `check` on the tags of a mesh, one for elements and one for the triangles of surfaces: each with its
/// name, number and size, then the pairs that share cells. No line where nothing but tag 0 is there; of very many tags
/// or pairs the largest.
std::vector<std::string> describe_groups(const Mesh& mesh);

}  // namespace cardiowarp
