#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fem/vector3.hpp"
#include "kernels/backend/types.hpp"
#include "meshes/length_unit.hpp"

namespace cardiowarp {

// The section `network` of a stimulus: a Purkinje network whose junctions with the tissue are stimulated when a beat
// that travels along it arrives. It is read or grown once the mesh is known (app/anatomy/run_network.hpp).

/// Which ventricle a network grows in.
enum class GrownIn { left, right };

/// Which points of a network are junctions with the tissue.
enum class JunctionKind {
  ends,  ///< those with one segment that are no root
  all
};

/// The keys of `grow` (fem/anatomy/grown_network.hpp).
struct GrowthConfig {
  GrownIn ventricle = GrownIn::left;
  std::optional<Vector3> start, towards;  ///< mm
  std::optional<Real> trunk_mm;           ///< absent: a third of the way
  Real branch_mm = 8, segment_mm = 1;
  Real angle_deg = 30, repulsion = 0.1;
  int generations = 20, seed = 1;
};

/// Where and when a network stimulates tissue.
struct Junctions {
  std::vector<Vector3> points;   ///< mm
  std::vector<Real> arrival_ms;  ///< [points] after the beginning of a beat at the root, rounded
  Real radius_mm = 0;            ///< nodes so near a junction are stimulated, and the nearest one
};

struct NetworkConfig {
  std::filesystem::path file = {};  ///< empty: it is grown
  LengthUnit length_unit = LengthUnit::millimetre;
  std::optional<GrowthConfig> grow = {};
  std::vector<Vector3> roots = {};  ///< mm; none: the first point
  Real velocity_mm_per_ms = 2;
  JunctionKind junctions = JunctionKind::ends;
  Real delay_ms = 0;  ///< of each junction
  Real radius_mm = 2;
  std::string place = {};                           ///< of the section, for messages
  std::shared_ptr<const Junctions> made = nullptr;  ///< null until the mesh is known
};

}  // namespace cardiowarp
