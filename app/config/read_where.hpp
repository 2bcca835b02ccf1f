#pragma once
#include <string>
#include <vector>

#include "app/config/config.hpp"
#include "app/config/yaml_reader.hpp"

namespace cardiowarp {

/// Reads `where: {box: ...}`; exactly one of `kinds` (some of box, sphere, tag, nodes) has to be there.
Where read_where(const YamlReader& in, const std::vector<std::string>& kinds);

}  // namespace cardiowarp
