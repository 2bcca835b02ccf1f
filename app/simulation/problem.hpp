#pragma once
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/config/config.hpp"
#include "app/simulation/probes.hpp"
#include "assembly/options.hpp"
#include "fem/cells/cell_model.hpp"
#include "fem/cells/models.hpp"
#include "fem/diffusivity.hpp"
#include "fem/mesh.hpp"
#include "fem/quadrature.hpp"
#include "fem/stimulus.hpp"
#include "solver/newton.hpp"

namespace cardiowarp {

struct Stimulus {
  std::vector<Index> nodes;
  PulseTrain pulses;
  Real amplitude;                ///< φ per τ
  std::vector<Real> share = {};  ///< [nodes] of it that each node has; empty: all of it
};

/// What happens on a mesh: its material, where it starts, what drives it and where it is watched, in internal units
/// (those of scaling()) and host memory. select_tissue() puts it into another order or takes a piece of it.
struct Tissue {
  std::shared_ptr<const Mesh> mesh;
  TissueCells cell_models;                ///< one cell model with its different parameter sets
  std::vector<std::uint16_t> cell_model;  ///< [elements] index into cell_models
  std::vector<Diffusivity> diffusivity;   ///< [elements]
  std::vector<Real> phi;                  ///< [nodes] at t = 0
  std::vector<Real> states;               ///< [states × elements] of the cells at t = 0, state after state
  /// [states × points in the order of points_in_input()] those of the cells where they are not the elements' but a
  /// checkpoint's; else null. They are of the whole mesh in the input's order, in every Tissue that has them.
  std::shared_ptr<const std::vector<Real>> point_states;
  std::vector<Stimulus> stimuli;
  std::vector<Index> prescribed;  ///< nodes, ascending, that keep their `phi`; no stimulus has one (boundary.hpp)
  std::vector<ProbePoint> probes;

  Scaling scaling() const { return scaling_of(cell_models); }
};

/// The time scheme, and how accurately it needs its systems solved.
struct TimeMethod {
  TimeScheme scheme = TimeScheme::backward_euler;
  Real tolerance = equal_steps;  ///< on the error in φ of a step
  bool newton_follows = false;   ///< Newton's tolerance is found from `tolerance`
  bool linear_follows = false;   ///< the tolerance of the linear systems is found from `tolerance`

  /// The tolerance that stands for steps of equal length, whose error nobody limits.
  static constexpr Real equal_steps = 1e-4;
  /// The share of `tolerance` that Newton's method and each linear solve may add to the error.
  static constexpr Real share_of_solvers = 0.02;

  /// How Newton's method ends in a stage of length `stage` (τ). The iteration after one that changed φ by δ would
  /// change it by |f''|/2 · stage · δ², as (1 − stage f')⁻¹ is about 1 where f'' is largest in a front, near its foot:
  /// so it ends with δ at which that is small enough. For a cubic f, f' is a parabola of φ that rises from next to
  /// nothing at rest to the steepest reaction S within a third of the way to full depolarisation: f'' = 6 S at rest.
  /// Aliev–Panfilov's is 2 c (1 + α), within 2 % of that at the default parameters, and |f''|/2 = 0.62 per ms.
  NewtonConfig newton(NewtonConfig given, Real stage, Real steepest_reaction) const {
    if (linear_follows) given.forcing = ForcingChoice::fixed;
    if (newton_follows) given.tolerance = std::sqrt(share_of_solvers * tolerance / (3 * steepest_reaction * stage));
    return given;
  }
  /// The error in φ that a linear solve may leave.
  Real linear_error(const NewtonConfig& newton) const {
    return std::fmin(share_of_solvers * tolerance, newton_follows ? INFINITY : newton.tolerance / 100);
  }
};

/// How it is computed. Nothing here depends on the numbering of nodes and elements.
struct Methods {
  TimeMethod time;
  NewtonConfig newton;
  CgConfig linear_solver{};
  PreconditionerChoice preconditioner = PreconditionerChoice::jacobi;
  PolynomialOptions polynomial = {};  ///< where that is the preconditioner
  SolverPath path = SolverPath::automatic;
  OperatorKind matrix_operator = OperatorKind::automatic;
  SolverPrecision precision = SolverPrecision::double_precision;
  MatrixOptions matrix;
  AssemblyOptions assembly;
  Quadrature quadrature = Quadrature::centroid;
  bool sends_potential = false;  ///< to frames in single precision, for which memory is then set aside
};

/// The smallest |r| / |b| that a run needs of a linear solve, or something that stands for it. Where forcing is
/// `fixed`, it is the tolerance of the linear solver; where linear systems are solved as the error of a step needs it,
/// the error that one may leave in φ, which changes by no more than about 1 in a step. With the forcing term of
/// Eisenstat and Walker it is 100 times Newton's tolerance: the term is below η only where an update is below √(η /
/// 0.9) of the one before, so that to solve to η in its place adds less than η √(η / 0.9) to φ. With
/// smallest_target_in_single as η, that is a hundredth of a tolerance of 1e-8, which NewtonState::is_predicted_to_end()
/// asks for.
Real least_linear_tolerance(const Methods& methods);

/// What is to be computed and how, for any backend.
struct Problem : Tissue, Methods {};

/// A mesh that the caller keeps for as long as the result is used.
inline std::shared_ptr<const Mesh> borrowed(const Mesh& mesh) { return {std::shared_ptr<const Mesh>(), &mesh}; }

/// Applies the configuration to the mesh: regions (later ones win), fibres, initial values, stimuli, probes.
/// Throws InputError where a region, stimulus or probe selects nothing or the mesh lacks what is asked of it. The
/// caller keeps the mesh for as long as the problem is used.
Problem build_problem(const Config& config, const Mesh& mesh);

/// The quadrature that a configuration has on a mesh: the one that it gives, or fourteen_points on a quadratic mesh.
/// Throws InputError where it gives one that is not for such elements.
Quadrature quadrature_for(const Config& config, const Mesh& mesh);

/// [nodes] the potential φ that each node has to stay above: the end of the range of the cell models around it.
std::vector<Real> lowest_admissible_phi(const Tissue& tissue);

/// [parameter sets] how fronts of the cells travel.
std::vector<Front> fronts_of(const TissueCells& cells);

/// Largest ∂f/∂φ of all parameter sets.
Real steepest_reaction(const TissueCells& cells);

/// Thinnest and thickest front in tissue of a diffusivity, mm, along and across the fibre: δ of the profile
/// φ_peak / 2 [1 − tanh(x / 2δ)].
std::pair<Real, Real> front_thickness_mm(const Front& front, const Diffusivity& diffusivity);

/// Thinnest and thickest front of all elements, or of some.
std::pair<Real, Real> front_thickness_mm(const Tissue& tissue);
std::pair<Real, Real> front_thickness_mm(const Tissue& tissue, const std::vector<Index>& elements);

/// How long the steps of the run give the first pulse; adaptive ones begin and end with it.
Real first_pulse_ms(const PulseTrain& pulses, const TimeConfig& config);

}  // namespace cardiowarp
