#pragma once
#include <optional>

#include "app/config/config.hpp"
#include "app/config/yaml_reader.hpp"

namespace cardiowarp {

// The keys of the configuration that decide the steps in time, `time` and `accuracy`, and at which of them a run is
// saved, `checkpoint`. load_config() reads `accuracy`
// first, since the steps that it asks for are adaptive and have no tolerance of their own. Mistakes are InputErrors
// with their place, as for every other key.

/// The section `accuracy`, where there is one. Whether it decides the longest step, too, `time.adaptive.max_step` says,
/// to which `max_step` points.
std::optional<AccuracyConfig> read_accuracy(const YamlReader& in, const YamlReader& max_step);

/// The section `time`. With an accuracy steps are adaptive, and their tolerance and longest step are the defaults. From
/// these follows how long steps may be with the tolerance that is found later (app/start/step_tolerance.hpp).
TimeConfig read_time(const YamlReader& in, const std::optional<AccuracyConfig>& accuracy);

/// The section `checkpoint`; nothing where it is absent.
std::optional<CheckpointConfig> read_checkpoint(const YamlReader& in);

}  // namespace cardiowarp
