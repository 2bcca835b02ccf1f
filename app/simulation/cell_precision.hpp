#pragma once
#include <string>

#include "fem/cells/cell_precision.hpp"

namespace cardiowarp {

class TissueCells;
struct Config;

/// The precision of the cells of a run. `auto` becomes `double` where Newton's method has a tolerance of its own or
/// steps may err by less than 1e-5: such a run asks for more digits than a float has. Throws InputError where `single`
/// is asked for with a tolerance of Newton's method that its rounding would keep from being reached.
CellPrecision settled_cell_precision(const Config& config);

/// The name of the precision in which ionic cells are evaluated on such a machine; empty for cells of other models.
std::string cell_precision_in_use(const TissueCells& cells, bool on_gpu);

}  // namespace cardiowarp
