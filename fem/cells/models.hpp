#pragma once
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "fem/cells/aliev_panfilov.hpp"
#include "fem/cells/bueno_orovio.hpp"
#include "fem/cells/mitchell_schaeffer.hpp"

namespace cardiowarp {

template <CellModel... Models>
struct CellModelList {
  using One = std::variant<Models...>;
  using Several = std::variant<std::vector<Models>...>;
};

/// The cell models of the program, by the order of documents and messages; the first is the default. This is the one
/// list: what is generated for each model is generated from it.
using CellModels = CellModelList<AlievPanfilov, MitchellSchaeffer, BuenoOrovio>;

/// A model with its parameters.
using AnyCell = CellModels::One;
/// The cells of a tissue: one model, with its different parameter sets.
using TissueCells = CellModels::Several;

/// A parameter of a model, without its type.
struct ParameterDescription {
  std::string_view name, unit, meaning;
  Range range;
};

std::vector<std::string> cell_model_names();
/// A model with its defaults. `name` is one of cell_model_names().
AnyCell cell_model_named(std::string_view name);

// What a model says of itself (fem/cells/cell_model.hpp).
std::string_view name_of(const AnyCell& cell);
Scaling scaling_of(const AnyCell& cell);
Scaling scaling_of(const TissueCells& cells);
std::span<const CellState> states_of(const AnyCell& cell);
std::span<const CellState> states_of(const TissueCells& cells);
Real lowest_phi(const AnyCell& cell);
/// ` (μ2 + φ > 0)`, for the end of a message; empty for a model that is defined everywhere.
std::string range_in_words(const TissueCells& cells);
/// Which of the states has a name.
std::size_t state_number(std::span<const CellState> states, std::string_view name);

// Parameters; the descriptions are in the order of the model's table.
std::span<const ParameterDescription> parameters_of(const AnyCell& cell);
Real parameter(const AnyCell& cell, std::string_view name);
void set_parameter(AnyCell& cell, std::string_view name, Real value);

/// Names of the model's parameter sets, the default's first; empty where it has none.
std::vector<std::string> parameter_sets_of(const AnyCell& cell);
/// The set `name`, one of these, of the model of `cell`.
AnyCell with_parameter_set(const AnyCell& cell, std::string_view name);

/// The tables of all models as docs/method/cell_models.md has them, in Markdown: for each the heading `### name`, its
/// units and states, and its parameters with the values of each set.
std::string cell_model_tables();

}  // namespace cardiowarp
