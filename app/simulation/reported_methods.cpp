#include "app/simulation/reported_methods.hpp"

#include <fmt/format.h>

#include "app/config/config_names.hpp"
#include "assembly/options.hpp"

namespace cardiowarp {

SimulationMethods reported_methods(const SimulationPlan& plan, SolverPath used) {
  const MatrixOptions& matrix = plan.matrix.options;
  const FormatParameters takes = format_parameters(matrix);
  const AssemblyOptions& assembly = plan.problem().assembly;
  SimulationMethods methods;
  methods.format = format_name(matrix);
  if (takes.threshold) methods.threshold = matrix.ell_warp.threshold;
  if (takes.window) methods.window = matrix.ell_warp.window;
  if (takes.block_size && matrix.block_size > 0) methods.block_size = matrix.block_size;
  methods.assembly = strategy_name(assembly);
  methods.assembly_order = name_of(assembly.through_csr, assembly_order_names);
  methods.solver = name_of(used);
  methods.solver_reason = used == plan.solver.path ? plan.solver.reason
                                                   : fmt::format("the device has no room for all blocks of {} at once",
                                                                 name_of(plan.solver.path));
  methods.matrix_entries = plan.sparsity.entries();
  return methods;
}

}  // namespace cardiowarp
