#pragma once
#include <memory>
#include <span>
#include <vector>

#include "fem/diffusivity.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

struct BidomainConductivity;
struct Config;
struct Mesh;
struct Problem;

// The extracellular potential φ_e of a heart that is insulated, from its membrane potential V at one time:
//
//   ∇·((σ_i + σ_e) ∇φ_e) = −∇·(σ_i ∇V),   no current through the surface,
//
// which is the elliptic equation of the bidomain model (L. Tung, PhD thesis, MIT 1978) with the V of the monodomain
// equation. The mean of φ_e over each connected part of the tissue is 0. It is solved on the host by conjugate
// gradients with block Jacobi. The matrix of the equation has the constants as its null space: the sum of the right
// side is made 0 in each part, and the mean of φ_e is taken off at the end. A solve begins with −α V, α being the
// number that is best for this V, which is the solution where σ_i is a multiple of σ_e. A heart with fibers then takes
// fewer iterations than from the φ_e of the frame before. So φ_e depends on V alone, and several threads may solve at
// once. Made once in a run; memory: 32 bytes an entry of the
// matrix and, for each solve at once, 6 an entry and 80 a node.

/// σ_i and σ_i + σ_e, [elements] each, in S/m.
struct BidomainTissue {
  std::vector<Diffusivity> inside, both;
};

/// The conductivities of the elements of a problem. `given` holds where the diffusivity is the one outside the regions;
/// elsewhere σ_i along and across the fibers follows the diffusivity there, and σ_e is the same everywhere. Without
/// fibers those along them hold in all directions.
BidomainTissue bidomain_tissue(const Config& config, const Problem& problem, const BidomainConductivity& given);

/// How a solve ended.
struct ExtracellularReport {
  int iterations = 0;
  Real residual = 0;  ///< |b − K φ_e| / |b|
  bool converged = false;
};

class ExtracellularPotential {
 public:
  static constexpr Real tolerance = 1e-6;  ///< on the residual: φ_e of a heart is then exact to about 2e-5 mV

  /// `mesh` outlives this.
  ExtracellularPotential(const Mesh& mesh, const BidomainTissue& tissue);
  ~ExtracellularPotential();
  ExtracellularPotential(const ExtracellularPotential&) = delete;
  ExtracellularPotential& operator=(const ExtracellularPotential&) = delete;

  /// φ_e of the potential V into `extracellular_mv`, both [nodes] in the order of the mesh. Any thread. The same bits
  /// for any number of threads.
  ExtracellularReport solve(std::span<const Real> potential_mv, std::span<Real> extracellular_mv);

 private:
  struct Plan;
  class System;
  std::unique_ptr<System> idle_system();
  void give_back(std::unique_ptr<System> system);

  std::unique_ptr<const Plan> plan_;
  struct Idle;
  std::unique_ptr<Idle> idle_;
};

}  // namespace cardiowarp
