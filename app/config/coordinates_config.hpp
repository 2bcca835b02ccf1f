#pragma once
#include <optional>
#include <string>

#include "app/config/fiber_rule.hpp"
#include "fem/vector3.hpp"

namespace cardiowarp {

/// The coordinates of the ventricles as the configuration wants them, its section `coordinates`. They are computed
/// where a `where` of the configuration has some. `cardiowarp mesh coordinates --coordinates` takes the same keys.
struct CoordinatesConfig {
  std::optional<OfSurface<SurfaceNames>> surfaces = {};  ///< absent: those of `fibers`
  std::optional<Vector3> zero_mm = {};  ///< a point in the direction in which the rotational coordinate is 0
  std::string place = {};               ///< of `zero` in the YAML text
};

}  // namespace cardiowarp
