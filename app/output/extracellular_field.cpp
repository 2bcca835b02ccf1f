#include "app/output/extracellular_field.hpp"

#include <algorithm>
#include <utility>

#include "app/process/log.hpp"
#include "app/simulation/extracellular.hpp"

namespace cardiowarp {

ExtracellularField::ExtracellularField(std::shared_ptr<ExtracellularPotential> solver, std::size_t nodes)
    : solver_(std::move(solver)), values_(empty() ? 0 : nodes) {}

void ExtracellularField::solve(std::span<const Real> potential_mv, std::size_t number) {
  const ExtracellularReport report = solver_->solve(potential_mv, values_);
  log_debug("phi_e of frame {}: {} iterations, residual {:.1e}", number, report.iterations, report.residual);
  if (!report.converged)
    log_warn("phi_e of frame {} is not as exact as asked for: after {} iterations its residual is {:.1e}, not {:.0e}",
             number, report.iterations, report.residual, ExtracellularPotential::tolerance);
}

void ExtracellularField::solve(std::span<const float> potential_mv, std::size_t number) {
  potential_.assign(potential_mv.begin(), potential_mv.end());
  solve(std::span<const Real>(potential_), number);
}

std::span<const float> ExtracellularField::singles() {
  singles_.resize(values_.size());
  std::ranges::transform(values_, singles_.begin(), [](Real value) { return static_cast<float>(value); });
  return singles_;
}

}  // namespace cardiowarp
