#pragma once
#include <cstddef>
#include <optional>

#include "cellml/equation_system.hpp"
#include "cellml/model.hpp"

namespace cardiowarp {

/// The quantities of a model that are its potential and its stimulus.
struct ModelRoles {
  std::size_t potential = 0;
  std::optional<std::size_t> stimulus = {};
  bool depends_on_time = false;  ///< beside the stimulus
};

/// Finds them as CellMlOptions says. Throws InputError where the potential is not the one state in volts, or a quantity
/// that the user names is of another kind.
ModelRoles find_roles(const EquationSystem& system, const CellMlOptions& options);

}  // namespace cardiowarp
