#pragma once
#include <optional>
#include <string>

#include "kernels/backend/types.hpp"

namespace cardiowarp {

struct Config;
struct Mesh;

// From the velocities that a configuration asks for to the diffusivity of its tissue. In a cable of an unbounded number
// of nodes the velocity of a front is proportional to the square root of the diffusivity. On the edges of a mesh it is
// not: integrated at the vertices, fronts are too slow by some per cent, and the more so the thinner they are. So a
// front travels through a cable whose edges are those of the mesh, with the cells, the quadrature and the steps of the
// run, once or a few times with another diffusivity, until its velocity is the one asked for within 0.2 %. The edges of
// the cable are cut as those of cubes in six tetrahedra, and have the root mean square of the elements that have the
// velocity, as in the judgment of a mesh (app/advice/resolution.hpp); those of a quadratic mesh are quadratic.

/// Puts into `config` the diffusivities that its velocities mean, of the whole tissue and of each region, and logs
/// them. Nothing happens where no velocity is given. A cable takes milliseconds, with large cell models seconds, and
/// longer with short steps of equal length. Where `accuracy` is to find the tolerance of the steps, the cable has the
/// usual one. Throws InputError where no front travels in the cells or on such edges.
void find_diffusivities(Config& config, const Mesh& mesh);

/// The diffusivity that a velocity means.
struct TunedDiffusivity {
  std::optional<Real> mm2_per_ms;  ///< nothing where the edges cannot carry the velocity
  std::string reason = {};         ///< why
  Real continuum_mm2_per_ms = 0;   ///< in a continuum, by the law of the cells' fronts
  Real front_mm = 0;               ///< the thickness of the front there
};

/// That of the cells of the whole tissue, with the quadrature and the steps of the configuration, on linear elements
/// whose edges have the root mean square `edge_mm`; 0 for fine ones. `where` is what messages begin with. Throws
/// InputError for cells without fronts.
TunedDiffusivity diffusivity_of_velocity(const Config& config, Real mm_per_ms, Real edge_mm, const std::string& where);

}  // namespace cardiowarp
