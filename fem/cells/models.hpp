#pragma once
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "fem/cells/aliev_panfilov.hpp"
#include "fem/cells/bueno_orovio.hpp"
#include "fem/cells/ionic_model.hpp"
#include "fem/cells/mitchell_schaeffer.hpp"

namespace cardiowarp {

template <CellModel... Models>
struct CellModelList {
  using One = std::variant<Models..., IonicCell>;
  using Several = std::variant<std::vector<Models>..., std::vector<IonicCell>>;
};

/// The cell models whose types the whole program knows, by the order of documents and messages; the first is the
/// default. What is generated for each of these is generated from this list. The ionic models, of which each is an
/// IonicModel and all are one type, have a list of their own (fem/cells/ionic/models/ionic_models.hpp).
using CellModels = CellModelList<AlievPanfilov, MitchellSchaeffer, BuenoOrovio>;

/// A model with its parameters.
using AnyCell = CellModels::One;
/// The kinds of cells of a tissue: of one model, or of several ionic ones. What is asked of all of them (scaling_of(),
/// states_of()) is then that of the first.
using TissueCells = CellModels::Several;

/// The names of all models, those of CellModels first.
std::vector<std::string> cell_model_names();
/// A model with its defaults. `name` is one of cell_model_names().
AnyCell cell_model_named(std::string_view name);

inline bool is_ionic(const AnyCell& cell) { return std::holds_alternative<IonicCell>(cell); }
inline bool is_ionic(const TissueCells& cells) { return std::holds_alternative<std::vector<IonicCell>>(cells); }

// A model's description of itself (fem/cells/cell_model.hpp).
std::string_view name_of(const AnyCell& cell);
Scaling scaling_of(const AnyCell& cell);
Scaling scaling_of(const TissueCells& cells);
std::span<const CellState> states_of(const AnyCell& cell);
std::span<const CellState> states_of(const TissueCells& cells);
/// How many states a cell has: the most that one of them has, where they are of several models.
std::size_t state_count(const TissueCells& cells);
Real lowest_phi(const AnyCell& cell);
/// ` (μ2 + φ > 0)`, for the end of a message; empty for a model that is defined everywhere.
std::string range_in_words(const TissueCells& cells);
/// The number of the state with a name.
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
