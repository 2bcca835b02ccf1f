#include "app/start/backend.hpp"

#include <fmt/format.h>

#include <utility>

#include "app/config/config.hpp"
#include "app/process/background.hpp"
#include "app/process/log.hpp"
#include "app/simulation/gpu.hpp"
#include "app/simulation/problem.hpp"
#include "fem/cells/run_time_model.hpp"
#include "kernels/backend/device_error.hpp"

namespace cardiowarp {

std::string why_not_on_gpu(const Config& config) {
  if (needs_cpu(config.linear_solver.preconditioner))
    return "linear_solver.preconditioner: block_jacobi is not for a GPU";
  if (run_time_model_of(config.cell_model.cell))
    return fmt::format("the cells of the CellML file {} are not for a GPU", name_of(config.cell_model.cell));
  return "";
}

BackendChoice possible_backend(const Config& config) {
  const std::string reason = why_not_on_gpu(config);
  if (config.backend != BackendChoice::automatic || reason.empty()) return config.backend;
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
