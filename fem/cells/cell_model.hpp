#pragma once
#include <concepts>
#include <span>
#include <string_view>
#include <type_traits>

#include "fem/range.hpp"
#include "fem/scaling.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

// The contract of a cell model. A cell has a potential φ and a few further states s (gates, a recovery variable):
//   dφ/dτ = f(φ, s) + what neighbors and stimuli add,   ds_i/dτ = g_i(φ, s).
// A model is a plain struct whose members are its parameters, with their defaults. From its tables the program makes
// the keys of the YAML file, the arrays of the frames and the tables of docs/method/cell_models.md. A new model is one
// header that satisfies the concept CellModel below and one line of fem/cells/models.hpp.

/// f, the rates g of the N states, and all partial derivatives, at one point.
template <int N>
struct CellRates {
  Real f, df_dphi;
  Real df_dstate[N];
  Real g[N], dg_dphi[N];
  Real dg_dstate[N][N];  ///< of the rate of state i by state j at [i][j]
};

/// The N states at the end of a step of backward Euler and how they follow the potential, ds/dφ.
template <int N>
struct StateStep {
  Real state[N], slope[N];
};

/// A state in the YAML file (`initial`, `output.fields`) and the frames.
struct CellState {
  std::string_view name, meaning;
  Real rest;    ///< its value at rest, where a run begins
  Range range;  ///< the values that it may begin with
};

template <class Cell>
using ParameterOf = Real Cell::*;

/// A parameter in the YAML file; `value` is the member of Cell that holds it.
template <class Cell>
struct CellParameter {
  std::string_view name, unit, meaning;
  ParameterOf<Cell> value;
  Range range;
};

/// The parameters of one kind of cell, for models that know several kinds.
template <class Cell>
struct ParameterSet {
  std::string_view name;
  Cell parameters;
};

/// How a front of the model travels through tissue of diffusivity D̃ = 1 mm² per τ: in other tissue speed and thickness
/// are √D̃ times these.
struct Front {
  Real speed;             ///< mm per τ; 0 or less where none travels
  Real thickness_square;  ///< δ² of the profile φ_peak / 2 [1 − tanh(x / 2δ)], mm²
};

/// Static members say what is the same for all cells of a model:
///   name               in the YAML file: `cell_model: {name: ...}`
///   states             how many states there are besides φ, N
///   scaling            the units of φ and τ; φ = 0 is the resting potential
///   state_table()      [N] names, resting values and ranges: with φ = 0 and the resting values f is 0 and stays 0,
///                      though a state may still change
///   parameter_table()  names, units, ranges and meanings of the parameters
/// Members that depend on the parameters, written once for CPU and GPU where they are marked so:
///   rates(φ, s)          f, g and all derivatives in one call; host and device
///   admissible(φ)        whether the model is defined there; host and device
///   lowest_phi()         where that range begins; −∞ where the model is defined everywhere
///   steepest_reaction()  the largest ∂f/∂φ that a beat visits: steps of 1 over this and longer may have no solution
/// Where it has them, a model also gives:
///   step_states(φ, s_old, h)  the solution of s − s_old − h g(φ, s) = 0 in closed form (fem/cells/state_step.hpp)
///   parameter_sets()          named sets of parameters; the first holds the defaults
///   range_in_words            where it is defined, for messages: `μ2 + φ > 0`
///   front()                   its Front in closed form (else fem/cells/front.hpp computes one)
template <class Cell>
concept CellModel = std::is_trivially_copyable_v<Cell> && std::equality_comparable<Cell> &&
                    std::default_initializable<Cell> && Cell::states >
0 && requires(const Cell cell, Real phi, const Real* state) {
  { Cell::name } -> std::convertible_to<std::string_view>;
  { Cell::scaling } -> std::convertible_to<Scaling>;
  { Cell::state_table() } -> std::convertible_to<std::span<const CellState>>;
  { Cell::parameter_table() } -> std::convertible_to<std::span<const CellParameter<Cell>>>;
  { cell.rates(phi, state) } -> std::same_as<CellRates<Cell::states>>;
  { cell.admissible(phi) } -> std::same_as<bool>;
  { cell.lowest_phi() } -> std::same_as<Real>;
  { cell.steepest_reaction() } -> std::same_as<Real>;
};

template <class Cell>
concept HasParameterSets = requires {
  { Cell::parameter_sets() } -> std::convertible_to<std::span<const ParameterSet<Cell>>>;
};

}  // namespace cardiowarp
