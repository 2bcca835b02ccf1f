#pragma once
#include <span>
#include <vector>

#include "cellml/model.hpp"
#include "fem/cells/stage_text.hpp"

namespace cardiowarp {

/// Stages of cells of a CellML model as text, by the method and with the formulas of cellml_lane_stage(): gates and
/// followers in closed form, all pools by Newton's method, whose sparse systems are eliminated entry by entry. Terms
/// that do not depend on the pools stand before its iterations. Where the pools changed little, their last change is
/// computed without new derivatives: current and states are those of cellml_lane_stage() to some 1e-9 and 2e-6 of
/// themselves, the slope to a hundredth.
///
/// Names are made of numbers alone. Nothing of the file's text is in it, so that a stranger's file reaches a compiler
/// as the formulas that were read and in no other way.
///
/// `cells` are [cell] the parameters of each, in the order of the model's. The text depends on which of them differ
/// among the cells, but not on their values, so that compiled code serves a sweep of parameters. Throws InputError
/// where the derivatives of the model are too large to be computed.
///
/// An elimination grows with the cube of the pools. A text that would have more than 100,000 operations, which no
/// compiler would take in a reasonable time, is left empty, and `operations` are those after which its writer stopped.
StageText cellml_stage_text(const CellMlModel& model, std::span<const std::vector<double>> cells);

}  // namespace cardiowarp
