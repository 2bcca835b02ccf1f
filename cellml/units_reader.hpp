#pragma once
#include <pugixml.hpp>

#include "cellml/units.hpp"

namespace cardiowarp {

/// Adds the elements `units` that stand directly in `parent`, a model or a component. Throws InputError.
void read_unit_definitions(const pugi::xml_node& parent, CellMlUnits& units);

}  // namespace cardiowarp
