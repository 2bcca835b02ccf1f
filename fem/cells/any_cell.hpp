#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/backend/types.hpp"

namespace cardiowarp {

struct CellState;
struct Front;
struct IonicCell;
struct ParameterDescription;
struct Scaling;

// Cells of whichever model, for all who keep them and hand them on without asking of which model they are, and what
// every model says of itself. Both classes are values of 16 bytes whose copies share the cells, which never change. A
// function that is generated for each model visits what `*` gives and includes fem/cells/models.hpp, the only header
// that knows which models there are.

/// A cell of one model: its parameters.
class AnyCell {
 public:
  struct Variant;  ///< a std::variant of the cells of all models

  /// With the default parameters of the first model.
  AnyCell();
  /// Of a model of fem/cells/models.hpp, or ionic.
  template <class Cell>
  requires requires(const Cell cell) { cell.steepest_reaction(); }
  AnyCell(Cell cell);

  const Variant& operator*() const { return *variant_; }
  friend bool operator==(const AnyCell& a, const AnyCell& b);

 private:
  std::shared_ptr<const Variant> variant_;
};

/// The kinds of cells of a tissue: of one model, or of several ionic ones. What is asked of all of them (scaling_of(),
/// states_of()) is then that of the first.
class TissueCells {
 public:
  struct Variant;  ///< a std::variant of vectors of the cells of one model

  /// No cells.
  TissueCells();
  template <class Cell>
  TissueCells(std::vector<Cell> kinds);

  std::size_t size() const;
  AnyCell operator[](std::size_t kind) const;

  const Variant& operator*() const { return *variant_; }
  friend bool operator==(const TissueCells& a, const TissueCells& b);

 private:
  std::shared_ptr<const Variant> variant_;
};

/// The names of all models, in the order of documents and messages: those of fem/cells/models.hpp, then the ionic ones.
std::vector<std::string> cell_model_names();
/// A cell with the defaults of its model. `name` is one of cell_model_names().
AnyCell cell_model_named(std::string_view name);

/// The cell, or the cells, as ionic ones; null where their model is another.
const IonicCell* as_ionic(const AnyCell& cell);
const std::vector<IonicCell>* as_ionic(const TissueCells& cells);
inline bool is_ionic(const AnyCell& cell) { return as_ionic(cell) != nullptr; }
inline bool is_ionic(const TissueCells& cells) { return as_ionic(cells) != nullptr; }

// A model's description of itself (fem/cells/cell_model.hpp).
std::string_view name_of(const AnyCell& cell);
Scaling scaling_of(const AnyCell& cell);
Scaling scaling_of(const TissueCells& cells);
std::span<const CellState> states_of(const AnyCell& cell);
std::span<const CellState> states_of(const TissueCells& cells);
/// How many states a cell has: the most that one of them has, where they are of several models.
std::size_t state_count(const TissueCells& cells);
Real lowest_phi(const AnyCell& cell);
Real steepest_reaction(const AnyCell& cell);
Front front_of(const AnyCell& cell);
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
