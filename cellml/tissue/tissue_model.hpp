#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "cellml/model.hpp"
#include "fem/cells/run_time_model.hpp"

namespace cardiowarp {

/// The model of a CellML file as one for the cells of a tissue. Its states stand in the order of CellMlModel and are
/// called by their variable alone where no other state has that name; parameters are `component.variable`. The model
/// lives as long as the program; a file that is read again with the same outcome gives the same model. Whoever reads a
/// file the first time is warned of potentials at which rates are not numbers, in `warnings`.
///
/// Throws InputError as read_cellml() does, and for equations that depend on time beside the stimulus, and for rates
/// that are not numbers where the cell begins.
const RunTimeModel& cellml_tissue_model(const std::filesystem::path& file, const CellMlOptions& options,
                                        std::vector<std::string>& warnings);

}  // namespace cardiowarp
