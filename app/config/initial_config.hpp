#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/config/steady_config.hpp"
#include "app/config/where.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

// The sections `initial` and `boundary`: where the potential and the states of the cells begin, and where the potential
// stays what it is.

struct InitialRegionConfig {
  Where where;
  std::optional<Real> potential_mv;
  std::map<std::string, Real> states = {};  ///< of the cell model, by name
};

struct InitialConfig {
  std::optional<Real> potential_mv = {};    ///< absent: the cell model's resting potential
  std::map<std::string, Real> states = {};  ///< of the cell model, by name; absent: as at rest
  std::optional<SteadyConfig> steady = {};  ///< in place of where the model or set begins
  std::vector<InitialRegionConfig> regions = {};
};

/// Nodes whose potential is prescribed.
struct BoundaryConfig {
  Where where;
  Real potential_mv = 0;
};

}  // namespace cardiowarp
