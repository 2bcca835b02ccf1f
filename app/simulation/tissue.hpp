#pragma once
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "app/simulation/beats.hpp"
#include "app/simulation/ecg.hpp"
#include "app/simulation/probe_point.hpp"
#include "fem/cells/any_cell.hpp"
#include "fem/diffusivity.hpp"
#include "fem/scaling.hpp"
#include "fem/stimulus.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

struct Mesh;
struct NodalCells;

struct Stimulus {
  std::vector<Index> nodes;
  PulseTrain pulses;
  Real amplitude;                   ///< φ per τ
  std::vector<Real> share = {};     ///< [nodes] of it that each node has; empty: all of it
  std::vector<Real> delay_ms = {};  ///< [nodes] by which each node gets the pulses later; empty: none does
};

/// The tissue on a mesh: its material, where it starts, what drives it and where it is watched, in internal units
/// (those of scaling()) and host memory. select_tissue() puts it into another order or takes a piece of it.
struct Tissue {
  std::shared_ptr<const Mesh> mesh;
  TissueCells cell_models;                        ///< the kinds of cells: of one model, or of several ionic ones
  std::shared_ptr<const NodalCells> nodal_cells;  ///< where arrays give parameters of ionic cells; else null
  std::vector<std::uint16_t> cell_model;          ///< [elements] index into cell_models
  std::vector<Diffusivity> diffusivity;           ///< [elements]
  std::vector<Real> phi;                          ///< [nodes] at t = 0
  std::vector<Real> states;                       ///< [states × elements] of the cells at t = 0, state after state
  /// [states × points in the order of points_in_input()] those of the cells where they are not the elements' but a
  /// checkpoint's; else null. They are of the whole mesh in the input's order, in every Tissue that has them.
  std::shared_ptr<const std::vector<Real>> point_states;
  std::vector<Stimulus> stimuli;
  std::vector<Index> prescribed;  ///< nodes, ascending, that keep their `phi`; no stimulus has one (boundary.hpp)
  std::vector<ProbePoint> probes;
  Ecg ecg;
  BeatWish beats;

  Scaling scaling() const { return scaling_of(cell_models); }
};

/// A mesh that the caller keeps for as long as the result is used.
inline std::shared_ptr<const Mesh> borrowed(const Mesh& mesh) { return {std::shared_ptr<const Mesh>(), &mesh}; }

/// [nodes] the potential φ that each node has to stay above: the end of the range of the cell models around it.
std::vector<Real> lowest_admissible_phi(const Tissue& tissue);

/// [parameter sets] how fronts of the cells travel.
std::vector<Front> fronts_of(const TissueCells& cells);

/// Largest ∂f/∂φ of all parameter sets.
Real steepest_reaction(const TissueCells& cells);

/// Thinnest and thickest front in tissue of a diffusivity, mm, along and across the fiber: δ of the profile
/// φ_peak / 2 [1 − tanh(x / 2δ)].
std::pair<Real, Real> front_thickness_mm(const Front& front, const Diffusivity& diffusivity);

/// Thinnest and thickest front of all elements, or of some.
std::pair<Real, Real> front_thickness_mm(const Tissue& tissue);
std::pair<Real, Real> front_thickness_mm(const Tissue& tissue, const std::vector<Index>& elements);

}  // namespace cardiowarp
