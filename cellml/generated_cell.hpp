#pragma once
#include <string>
#include <vector>

#include "cellml/model.hpp"

namespace cardiowarp {

/// A cell model as C++ for a compiler, of the CPU or of a GPU at run time, and what its numbers stand for.
///
/// The text is a struct `GeneratedCell` in the form of the contract of ionic cells (fem/cells/ionic/ionic_cell.hpp):
///   double p[], k[]                                  parameters; constants out of them, which prepare() computes
///   gate(V, target, speed)                           ds/dt = (target − s) speed
///   follower(V, gates, pools, target, speed)         likewise
///   current(V, gates, followers, pools, pool_rate)   I in mV/ms, and the rates of the pools per ms
/// as templates on the number type: float, double, or a type of numbers with derivatives that has `value`, arithmetic
/// with itself and with the type of `value`, and `of(x, value, factor)` (fem/cells/ionic/duals.hpp). It includes
/// nothing but <cmath>, and not that under NVRTC.
///
/// Names are made of numbers alone. Nothing of the file's text is in it, so that a stranger's file reaches a compiler
/// as the formulas that were read and in no other way.
struct GeneratedCell {
  std::string text;
  int gates = 0, followers = 0, pools = 0;
  /// [gates + followers + pools]: the number in CellMlModel::states of each state in the order of the struct. Members
  /// of chains, and followers that follow others, are pools here.
  std::vector<int> states;
  int parameters = 0;  ///< p[k] is CellMlModel::parameters[k]
  int constants = 0;   ///< of k[]
};

/// Throws InputError for a model that depends on time beside its stimulus, which is 0 in the text.
GeneratedCell generate_cell(const CellMlModel& model);

}  // namespace cardiowarp
