#pragma once
#include <span>
#include <vector>

#include "cellml/model.hpp"
#include "cellml/term_graph.hpp"

namespace cardiowarp {

/// The terms of a stage of backward Euler of a CellML cell, with its potential given (fem/cells/ionic/ionic_stage.hpp
/// has the method). Gates and followers stand in closed form, (old + h open) / (1 + h speed), inside the formulas that
/// need them, so that the derivatives of the current and the rates by potential and pools count what gates and
/// followers do. Members of Markov chains are pools.
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

/// Terms in two parts: those that stay the same in all iterations for the pools, and the others.
struct SplitTerms {
  std::vector<TermIndex> before;  ///< terms of the graph that was split, to be evaluated once
  TermGraph during;               ///< the rest, in which parameter number `first + i` is before[i]
  int first = 0;
  std::vector<TermIndex> outputs;  ///< in `during`
};

/// Splits `outputs`. Terms of parameters that are the same in all cells stand in both parts where both need them, as a
/// tape computes such terms once.
SplitTerms split_terms(const StageTerms& terms, const std::vector<TermIndex>& outputs, const std::vector<int>& varying);

}  // namespace cardiowarp
