#include "app/simulation/reported_methods.hpp"

#include "app/config/config_names.hpp"
#include "app/simulation/choose_solver.hpp"
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
  methods.assembly = plan.operators ? "none" : strategy_name(assembly);
  if (assembly.strategy == AssemblyStrategy::spmv) {
    if (assembly.ell_warp.variant == EllWarpVariant::k2) methods.assembly_threshold = assembly.ell_warp.threshold;
    methods.assembly_window = assembly.ell_warp.window;
    if (assembly.block_size > 0) methods.assembly_block_size = assembly.block_size;
  }
  methods.assembly_order = name_of(assembly.through_csr, assembly_order_names);
  methods.solver = name_of(used);
  methods.solver_reason = reason_for_path(plan.solver, used);
  methods.precision = name_of(plan.solver.precision);
  methods.precision_reason = plan.solver.precision_reason;
  methods.matrix_operator = name_of(plan.renumbered.solver.matrix_operator);
  methods.matrix_entries = plan.sparsity.entries();
  methods.repeatable = repeats_bits(assembly.strategy);
  return methods;
}

}  // namespace cardiowarp
