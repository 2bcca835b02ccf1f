#pragma once
#include <optional>
#include <string>
#include <vector>

#include "fem/anatomy/fiber_angles.hpp"
#include "fem/anatomy/heart_surface.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

// The fibers by rule that a configuration wants, the keys beside `fibers.source: rule`, as values. `cardiowarp mesh
// fibers --rule` takes the same keys.

/// Angles in degrees, as far as they are given.
struct GivenWallAngles {
  std::optional<Real> endocardium_deg = {}, epicardium_deg = {};
};

/// The angles of the right ventricle where they are not those of the left one.
struct RightVentricleConfig {
  GivenWallAngles fiber = {};
  std::optional<GivenWallAngles> sheet = {};
};

/// The names of a surface of the heart in the mesh.
struct SurfaceNames {
  std::vector<std::string> names = {};  ///< of surfaces, their numbers, or the paths of .vtx files; empty: not given
  std::string place = {};               ///< in the YAML text, for messages
};

struct FiberRuleConfig {
  FiberRule rule = FiberRule::ldrb;
  GivenWallAngles fiber = {};
  std::optional<GivenWallAngles> sheet = {};
  std::optional<RightVentricleConfig> right = {};
  std::optional<OfSurface<SurfaceNames>> surfaces = {};

  /// All angles: those of the rule where none is given, and of the right ventricle those of the left one.
  LdrbAngles angles() const;
};

/// The angles that a rule has where none is given, in degrees. `ldrb` has fibers from 60 to −60 degrees, as wedges of
/// the left ventricle were measured (Streeter et al., Circ Res 24:339-347, 1969) and other programs have them, and a
/// sheet along the normal of the wall, as β would turn the fiber out of the wall; `bayer` has those of the paper.
GivenWallAngles usual_fiber_angles(FiberRule rule);
GivenWallAngles usual_sheet_angles(FiberRule rule);

}  // namespace cardiowarp
