#pragma once
#include <memory>
#include <span>
#include <vector>

#include "cellml/model.hpp"
#include "fem/cells/run_time_model.hpp"

namespace cardiowarp {

/// Stages of cells of a CellML model, by the method of ionic_stage() (fem/cells/ionic/ionic_stage.hpp): gates and
/// followers in closed form, all pools by Newton's method with exact derivatives. Terms that do not depend on the pools
/// are evaluated once a stage, the others in each iteration. A cell has the same bits whichever cells are beside it.
///
/// The contract of built-in models has pools that may not turn negative. Of a CellML model these are the states that
/// are amounts of substance or concentrations, by their unit, and begin at 0 or above: a stage at whose end one of them
/// is below 0 has no solution, and Newton's method takes them down to no less than a tenth at a time. Where a stage
/// would begin just below 0, by less than a twentieth of where the state begins, it begins at 0: so a store that runs
/// empty does not make steps shorter and shorter. A stage of at most 0.02 ms takes a solution below 0 where there is no
/// other: then the model itself leads there, as atrial models do at potentials beyond the one at which their calcium
/// current turns. All other pools may have any value.
///
/// `cells` are [cell] the parameters of each, in the order of the model's. Throws InputError where the derivatives of
/// the model are too large to be computed.
std::unique_ptr<LaneStage> cellml_lane_stage(const CellMlModel& model, std::span<const std::vector<double>> cells);

}  // namespace cardiowarp
