#pragma once
#include <string>
#include <vector>

#include "app/simulation/boundary.hpp"

namespace cardiowarp {

struct Mesh;

/// The place and the value that a word such as `base=1` names: before the last `=` stands the name or number of a
/// surface of the mesh, the path of a .vtx file, or a place as YAML has it (`{box: {min: [0, 0, 0], max: [1, 2, 3]}}`);
/// after it a number. Throws InputError that begins with `--at`, and as select_nodes() does.
PrescribedPlace read_at(const Mesh& mesh, const std::string& word);

}  // namespace cardiowarp
