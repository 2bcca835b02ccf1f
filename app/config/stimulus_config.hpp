#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/config/network_config.hpp"
#include "app/config/where.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

// The sections `stimuli` and `prepace`.

/// How much of a stimulus a node at the edge of `where` has.
enum class StimulusEdge {
  nodes,    ///< all of it where the node is inside, else nothing
  weighted  ///< as much as `where` has of the node's dual cell
};

struct StimulusConfig {
  std::string name;
  Where where;
  std::optional<NetworkConfig> network = {};  ///< in place of `where`, which is then everywhere
  Real start_ms = 0;
  Real duration_ms = 0;
  Real amplitude_mv_per_ms = 0;
  std::optional<Real> period_ms;  ///< absent: count is 1
  int count = 1;
  StimulusEdge edge = StimulusEdge::weighted;
};

/// The heart is paced before the run, which begins with the state after the last beat (app/prepace.hpp).
struct PrepaceConfig {
  int beats = 0;
  Real period_ms = 0;
  std::vector<std::string> stimuli = {};  ///< names of those that pace
  std::filesystem::path cache = {};       ///< the folder of the states that are kept
};

}  // namespace cardiowarp
