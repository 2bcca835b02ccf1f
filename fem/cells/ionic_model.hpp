#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fem/cells/cell_model.hpp"

namespace cardiowarp {

// Ionic cell models as values of the running program. A model of ionic_cell.hpp is a type of its own; the rest of the
// program, which would have to be compiled again for each, sees it as an IonicModel: its tables, and what one cell does
// at one point. The loops over many cells are in assembly/ionic/.

/// A parameter of a model, without its type.
struct ParameterDescription {
  std::string_view name, unit, meaning;
  Range range;
};

/// An ionic current in mV/ms and its derivative by V in 1/ms.
struct IonicCurrent {
  Real current, slope;
};

struct IonicCell;

/// The face of an ionic model: what it says of itself, and what it computes at one cell, in mV and ms.
class IonicModel {
 public:
  /// A kind of cell: its parameters, in the order of the model's, and the state in which it begins.
  struct Set {
    std::string name;
    std::vector<Real> parameters;
    Real potential_mv;
    std::vector<Real> states;
  };

  IonicModel(const IonicModel&) = delete;
  IonicModel& operator=(const IonicModel&) = delete;
  virtual ~IonicModel() = default;

  std::string_view name() const { return name_; }
  std::span<const CellState> states() const { return states_; }
  std::span<const ParameterDescription> parameters() const { return parameters_; }
  std::span<const Set> sets() const { return sets_; }
  /// φ is 0 where the first set begins and 1 a hundred mV above, τ is in ms.
  Scaling scaling() const { return {sets_.front().potential_mv, 100, 1}; }

  /// The stage of ionic_stage() of a cell of this model, from the states `old` and of length h ms, at V: NaN where
  /// there is none. `states` gets those at its end.
  virtual IonicCurrent stage(const IonicCell& cell, Real V, const Real* old, Real h, Real* states) const = 0;
  /// The current of a cell of this model at V and the states, mV/ms; `rates` gets those of the states, per ms.
  virtual Real rates(const IonicCell& cell, Real V, const Real* states, Real* rates) const = 0;

 protected:
  IonicModel(std::string name, std::vector<CellState> states, std::vector<ParameterDescription> parameters,
             std::vector<Set> sets);

 private:
  std::string name_;
  std::vector<CellState> states_;
  std::vector<ParameterDescription> parameters_;
  std::vector<Set> sets_;
};

/// A cell of an ionic model: the kind that it is, with parameters of its own.
struct IonicCell {
  const IonicModel* model = nullptr;  ///< lives as long as the program
  std::size_t set = 0;                ///< of model->sets(): where it begins
  std::vector<Real> parameters = {};

  friend bool operator==(const IonicCell&, const IonicCell&) = default;

  const IonicModel::Set& start() const { return model->sets()[set]; }
  // The members that CellModel asks of a cell.
  Real lowest_phi() const;
  /// The largest rate of φ in the upstroke of a single cell, in 1/ms; computed once for each cell. It stands for the
  /// largest ∂f/∂φ of other models: gates that open with the potential carry the upstroke here, and a stage much longer
  /// than its inverse has no solution.
  Real steepest_reaction() const;
  /// How a front of such cells travels; computed once for each cell from the front in a cable.
  Front front() const;
};

/// The front of a cell, as for other models (fem/cells/front.hpp).
inline Front front_of(const IonicCell& cell) { return cell.front(); }

/// The ionic models of the program.
std::span<const IonicModel* const> ionic_models();

/// A cell of the model with the parameters of its first set.
IonicCell ionic_cell(const IonicModel& model, std::size_t set = 0);

}  // namespace cardiowarp
