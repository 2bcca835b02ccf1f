#pragma once
#include <string>
#include <vector>

#include "app/config/yaml_reader.hpp"

namespace cardiowarp {

struct Where;

/// Reads the key `where` of a stimulus, a region, an initial value or a boundary, which names a place in the mesh:
/// `where: {box: ...}`. One of `kinds` (some of box, sphere, tag, nodes, surface) has to be there, or coordinates of
/// the heart, or both. Lengths come out in mm; which nodes or elements the place has is found later, with the mesh
/// (app/simulation/selection.hpp).
/// Throws InputError with file, line and column.
Where read_where(const YamlReader& in, const std::vector<std::string>& kinds);

}  // namespace cardiowarp
