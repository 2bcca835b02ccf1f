#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "app/config/config.hpp"
#include "app/simulation/probes.hpp"
#include "assembly/options.hpp"
#include "fem/cells/aliev_panfilov.hpp"
#include "fem/diffusivity.hpp"
#include "fem/mesh.hpp"
#include "fem/stimulus.hpp"
#include "solver/newton.hpp"

namespace cardiowarp {

struct Stimulus {
  std::vector<Index> nodes;
  PulseTrain pulses;
  Real amplitude;  ///< φ per τ
};

/// What is to be computed on a mesh, in internal units (fem/scaling.hpp) and host memory, for any backend.
struct Problem {
  const Mesh* mesh = nullptr;
  std::vector<AlievPanfilov> cell_models;  ///< the different parameter sets
  std::vector<std::uint16_t> cell_model;   ///< [elements] index into cell_models
  std::vector<Diffusivity> diffusivity;    ///< [elements]
  std::vector<Real> phi;                   ///< [nodes] at t = 0
  std::vector<Real> recovery;              ///< [elements] at t = 0
  std::vector<Stimulus> stimuli;
  std::vector<ProbePoint> probes;
  NewtonConfig newton;
  CgConfig linear_solver{};
  PreconditionerChoice preconditioner = PreconditionerChoice::jacobi;
  SolverPath path = SolverPath::automatic;
  MatrixOptions matrix;
  AssemblyOptions assembly;
};

/// Applies the configuration to the mesh: regions (later ones win), fibres, initial values, stimuli, probes.
/// Throws InputError where a region, stimulus or probe selects nothing or the mesh lacks what is asked of it.
Problem build_problem(const Config& config, const Mesh& mesh);

/// [nodes] the potential φ that each node has to stay above: −μ2 of the elements around it.
std::vector<Real> lowest_admissible_phi(const Problem& problem);

/// Thinnest and thickest front in an element, mm, as below.
std::pair<Real, Real> front_thickness_mm(const Problem& problem, std::size_t element);

/// Thinnest and thickest front, mm: δ = sqrt(2 D̃ / c) of the profile φ = ½ [1 − tanh(x / 2δ)], over the elements and
/// the directions along and across the fibre.
std::pair<Real, Real> front_thickness_mm(const Problem& problem);

/// How long the steps of the run give the first pulse; adaptive ones begin and end with it.
Real first_pulse_ms(const PulseTrain& pulses, const TimeConfig& config);

}  // namespace cardiowarp
