#pragma once
#include <vector>

#include "app/config/config.hpp"
#include "app/config/yaml_reader.hpp"
#include "fem/range.hpp"

namespace cardiowarp {

/// Reads the list `boundary`, each of whose entries has a place and the potential that its nodes keep, in mV and in
/// `potential`, the range of the cell model. An absent list is empty. Throws InputError with file, line and column.
std::vector<BoundaryConfig> read_boundary(const YamlReader& in, const Range& potential);

}  // namespace cardiowarp
