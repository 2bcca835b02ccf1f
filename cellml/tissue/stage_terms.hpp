#pragma once
#include <span>
#include <vector>

#include "cellml/model.hpp"
#include "cellml/term_graph.hpp"

namespace cardiowarp {

/// The terms of a stage of backward Euler of a CellML cell, with its potential given (fem/cells/ionic/ionic_stage.hpp
/// has the method). Gates and followers are terms in closed form, (old + h open) / (1 + h speed), within the formulas
/// of what needs them, so that derivatives of the current and the rates by the potential and the pools are those along
/// the states that follow. Members of Markov chains are pools.
///
/// In `graph` a state that is in closed form stands for its value before the stage, a pool for its value in the present
/// iteration, and parameter number `step` for the length h of the stage in ms.
struct StageTerms {
  TermGraph graph;
  int step = 0;             ///< the number of the model's parameters
  std::vector<int> closed;  ///< numbers of the states in closed form, each behind those that it needs
  std::vector<int> pools;   ///< numbers of the others

  std::vector<TermIndex> closed_end;  ///< [closed] at the end of the stage
  TermIndex current = -1;             ///< I in mV/ms
  std::vector<TermIndex> rate;        ///< [pool] per ms

  TermIndex current_by_potential = -1;
  std::vector<TermIndex> rate_by_potential;  ///< [pool]
  std::vector<TermIndex> current_by_pool;    ///< [pool]
  std::vector<TermIndex> rate_by_pool;       ///< [pool][pool by which]
  std::vector<TermIndex> closed_by_pool;     ///< [closed][pool by which]
};

StageTerms stage_terms(const CellMlModel& model);

/// The number of each parameter that is not the same in all cells. `of_cells` is [cells] of [parameters], at least one.
std::vector<int> varying_parameters(std::span<const std::vector<double>> of_cells);

/// Terms in two parts: what does not change from one iteration for the pools to the next, and the rest.
struct SplitTerms {
  std::vector<TermIndex> before;  ///< terms of the graph that was split, to be evaluated once
  TermGraph during;               ///< the rest, in which parameter number `first + i` is before[i]
  int first = 0;
  std::vector<TermIndex> outputs;  ///< in `during`
};

/// Splits `outputs`. What is computed of parameters other than `varying` alone stays in both, as tapes compute it once.
SplitTerms split_terms(const StageTerms& terms, const std::vector<TermIndex>& outputs, const std::vector<int>& varying);

}  // namespace cardiowarp
