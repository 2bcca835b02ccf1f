#pragma once
#include <vector>

#include "fem/cells/any_cell.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

// How much slower a front travels on coarse edges than in a continuum, with cells and mass at the nodes (quadrature:
// vertices). On cubes of edge a that are cut into six tetrahedra, a plane front along an edge follows the equations of
// a cable with nodes a apart,
//   dV_i/dt = −I_i + D (V_{i−1} − 2 V_i + V_{i+1}) / a²,
// and what a does to its velocity depends on a over its thickness δ alone. So the cells themselves, without
// approximation of their equations, are integrated on short cables with a few a / δ, by sdirk2 with adaptive steps
// (app/simulation/step_formula.hpp), and what lies between is interpolated. That takes some milliseconds for small
// models and a tenth of a second for large ones, on one core, and is done once for each kind of cell of a process.

/// The velocities of fronts of one kind of cell on cables of several spacings.
class LatticeSpeeds {
 public:
  /// Cables up to `coarsest` thicknesses of a front, but none beyond `coarsest_measured`.
  LatticeSpeeds(const AnyCell& cell, const Front& front, Real coarsest);

  /// By how much a front is faster than in a continuum, relative, where nodes are `spacing` thicknesses apart: 0 to −1,
  /// below 0 as it is slower; −1 where it does not travel, as in cells without fronts. Beyond the last cable it is that
  /// of the last one.
  Real error(Real spacing) const;
  /// Whether a front did not travel on the coarsest cable of at most this spacing or on the next one.
  bool stops(Real spacing) const;
  /// The largest spacing that error() knows, in thicknesses.
  Real coarsest() const { return samples_.back().spacing; }

  /// The largest spacing of a cable, in thicknesses. Large models have a smaller one, as each of their fronts takes
  /// milliseconds of computation.
  static Real coarsest_measured(const AnyCell& cell) { return is_ionic(cell) ? 16 : 64; }

 private:
  struct Sample {
    Real spacing;
    Real delay;  ///< velocity in a continuum over that on the cable, minus 1; infinite where the front stops
  };
  std::vector<Sample> samples_;  ///< by spacing
};

/// The speeds for each kind of cell of a tissue, [kinds]; those that were known before are not computed again.
/// `coarsest` is for each of them.
std::vector<LatticeSpeeds> lattice_speeds(const TissueCells& cells, const std::vector<Front>& fronts,
                                          const std::vector<Real>& coarsest);

}  // namespace cardiowarp
