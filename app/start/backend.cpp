#include "app/start/backend.hpp"

#include <fmt/format.h>

#include <utility>

#include "app/config/config.hpp"
#include "app/process/background.hpp"
#include "app/process/log.hpp"
#include "app/simulation/gpu.hpp"
#include "app/simulation/problem.hpp"
#include "app/start/code_cache.hpp"
#include "assembly/ionic/run_time_kernel.hpp"
#include "fem/cells/any_cell.hpp"
#include "fem/cells/run_time_model.hpp"
#include "fem/input_error.hpp"
#include "kernels/backend/device_error.hpp"
#include "kernels/libraries/run_time_compiler.hpp"

namespace cardiowarp {
namespace {

/// The cells of a CellML file, for messages.
std::string cells_of_file(const Config& config) {
  return fmt::format("the cells of the CellML file {}", name_of(config.cell_model.cell));
}

}  // namespace

std::string why_not_on_gpu(const Config& config) {
  if (needs_cpu(config.linear_solver.preconditioner))
    return "linear_solver.preconditioner: block_jacobi is not for a GPU";
  const RunTimeModel* const made = run_time_model_of(config.cell_model.cell);
  if (!made) return "";
  const std::size_t operations = made->stage_text({as_ionic(config.cell_model.cell), 1}).operations;
  if (operations <= most_operations_on_gpu) return "";
  return fmt::format("{} are too large for a GPU: {} operations, expected at most {}", cells_of_file(config),
                     operations, most_operations_on_gpu);
}

std::string why_not_compiled(const Config& config) {
  if (!run_time_model_of(config.cell_model.cell)) return "";
  try {
    run_time_compiler(described_gpu().compute_capability);
  } catch (const MissingLibrary& missing) {
    return fmt::format("{} need a compiler for a GPU: {}", cells_of_file(config), missing.what());
  } catch (const DeviceError&) {  // who asks for the device will say so
  }
  return "";
}

BackendChoice possible_backend(const Config& config) {
  if (config.backend == BackendChoice::cpu) return config.backend;
  std::string reason = why_not_on_gpu(config);
  if (config.backend == BackendChoice::gpu) {
    if (!reason.empty()) throw InputError(fmt::format("backend: expected cpu or auto, as {}, got 'gpu'", reason));
    return config.backend;
  }
  if (reason.empty()) reason = why_not_compiled(config);
  if (reason.empty()) return config.backend;
  log_info("running on the CPU: {}", reason);
  return BackendChoice::cpu;
}

std::future<void> wake_device(const Config& config) {
  if (config.backend == BackendChoice::cpu || !why_not_on_gpu(config).empty()) return {};
  return in_background([] {
    try {
      gpu_device();
    } catch (const DeviceError&) {  // who asks for the device will say so
    }
  });
}

std::optional<StartedSimulation> start_on_gpu(BackendChoice choice, const Problem& problem) {
  use_code_cache();
  try {
    return StartedSimulation{"gpu", described_gpu().name, make_gpu_simulation(problem)};
  } catch (const MissingLibrary&) {
    throw;  // what was asked for by name is not replaced by something slower
  } catch (const DeviceError& error) {
    if (choice == BackendChoice::gpu) throw;
    log_info("running on the CPU: {}", error.what());
    if (needs_gpu(problem.matrix.format))
      log_info("linear_solver.spmv: {} needs a GPU; the CPU uses csr", format_name(problem.matrix));
    return std::nullopt;
  }
}

StartedSimulation start_simulation(BackendChoice choice, const Problem& problem) {
  if (choice != BackendChoice::cpu)
    if (std::optional<StartedSimulation> started = start_on_gpu(choice, problem)) return std::move(*started);
  return {"cpu", "", make_cpu_simulation(problem)};
}

Device planned_device(BackendChoice choice) {
  if (choice == BackendChoice::cpu) return cpu_device();
  try {
    return gpu_device();
  } catch (const DeviceError&) {
    return choice == BackendChoice::gpu ? nvidia_h200() : cpu_device();
  }
}

std::string describe_backend(BackendChoice choice) {
  if (choice == BackendChoice::cpu) return "cpu";
  try {
    return "gpu (" + gpu_device().name + ")";
  } catch (const DeviceError& error) {
    return fmt::format("{} ({})", choice == BackendChoice::gpu ? "gpu, which this machine does not have" : "cpu",
                       error.what());
  }
}

}  // namespace cardiowarp
