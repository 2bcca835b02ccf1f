#pragma once
#include <optional>

#include "app/config/config.hpp"
#include "app/config/yaml_reader.hpp"

namespace cardiowarp {

// Reads the section `prepace` of a configuration, which is checked against its stimuli and its time: load_config()
// calls it once it has these. An error names the place in the file and what is expected.

/// The section; absent where it is. Throws InputError.
std::optional<PrepaceConfig> read_prepace(const YamlReader& in, const std::vector<StimulusConfig>& stimuli,
                                          const TimeConfig& time);

}  // namespace cardiowarp
