#include "app/simulation/cell_precision.hpp"

#include <fmt/format.h>

#include <variant>
#include <vector>

#include "app/config/config.hpp"
#include "fem/cells/any_cell.hpp"
#include "fem/cells/ionic_model.hpp"
#include "fem/input_error.hpp"

namespace cardiowarp {

CellPrecision settled_cell_precision(const Config& config) {
  constexpr Real least_tolerance = 1e-5, least_newton_tolerance = 1e-6;
  const IonicCell* const ionic = as_ionic(config.cell_model.cell);
  const CellPrecision wish = ionic ? precision_of(*ionic->model) : CellPrecision::double_precision;
  if (wish == CellPrecision::single && !config.newton_follows_step && config.newton.tolerance < least_newton_tolerance)
    throw InputError(fmt::format(
        "newton.tolerance: expected at least {:g} with cell_model.precision: single, or time.adaptive.enabled: "
        "true without it, got {:g}",
        least_newton_tolerance, config.newton.tolerance));
  if (wish != CellPrecision::automatic) return wish;
  const bool is_coarse = config.newton_follows_step && config.time.adaptive.tolerance >= least_tolerance;
  return is_coarse ? CellPrecision::automatic : CellPrecision::double_precision;
}

std::string cell_precision_in_use(const TissueCells& cells, bool on_gpu) {
  const std::vector<IonicCell>* const ionic = as_ionic(cells);
  if (!ionic || ionic->empty()) return {};
  return std::string(name_of(is_single(precision_of(*ionic->front().model), on_gpu) ? CellPrecision::single
                                                                                    : CellPrecision::double_precision));
}

}  // namespace cardiowarp
