#pragma once
#include "app/simulation/methods.hpp"
#include "app/simulation/tissue.hpp"
#include "fem/quadrature.hpp"
#include "fem/stimulus.hpp"

namespace cardiowarp {

struct Config;
struct InitialConfig;
struct Mesh;
struct StimulusConfig;
struct TimeConfig;

/// The tissue and the methods by which it is computed, for any backend.
struct Problem : Tissue, Methods {};

/// Applies the configuration to the mesh: regions (later ones win), fibers, initial values, stimuli, probes.
/// Throws InputError where a region, stimulus or probe selects nothing or the mesh lacks what is asked of it. The
/// caller keeps the mesh for as long as the problem is used.
Problem build_problem(const Config& config, const Mesh& mesh);

/// The quadrature that a configuration has on a mesh: the one that it gives, or fourteen_points on a quadratic mesh.
/// Throws InputError where it gives one that is not for such elements.
Quadrature quadrature_for(const Config& config, const Mesh& mesh);

/// Where a kind of cell begins.
struct CellStart {
  Real potential_mv = 0;
  std::vector<Real> states = {};
};

/// Lets the cells of a problem of this configuration begin at `starts`, [kinds of cells], in place of where their model
/// or set begins, with what `initial` gives beside. Throws InputError where a potential is outside the range of a
/// model.
void begin_with_starts(const InitialConfig& initial, std::vector<CellStart> starts, Problem& problem);

/// Puts the nodes of a stimulus into `made`, with their shares and delays. The network of one that has
/// one is known by then; its junctions may be `edges` times the longest edge from a node. Throws InputError as
/// stimulated_nodes() and nodes_at() do.
void place_stimulus(const Mesh& mesh, const StimulusConfig& given, Stimulus& made, Real edges = 1);

/// How long the steps of the run give the first pulse; adaptive ones begin and end with it.
Real first_pulse_ms(const PulseTrain& pulses, const TimeConfig& config);

}  // namespace cardiowarp
