#pragma once
#include <future>
#include <memory>
#include <optional>
#include <string>

#include "app/simulation/simulation.hpp"
#include "kernels/backend/device.hpp"

namespace cardiowarp {

enum class BackendChoice;
struct Config;
struct Problem;

// Where a run computes: on the GPU or on the CPU. `run` starts its simulation here, with the `backend` of the
// configuration; `check` asks what would be taken and starts nothing. `auto` takes the GPU where it can be used and
// else the CPU. A GPU that was asked for by name is never replaced: its absence is a DeviceError.

/// Why what a configuration describes does not run on any GPU; empty where it may.
std::string why_not_on_gpu(const Config& config);

/// Why the GPU of this machine cannot have the cells of a CellML file, as their compiler is missing; empty where it
/// can, there are none or there is no GPU.
std::string why_not_compiled(const Config& config);

/// The backend that the configuration's `backend` stands for, before a device is looked for: `auto` is the CPU for
/// methods that only the CPU has and for cells that nothing here compiles, which is logged. Throws InputError where a
/// GPU is asked for and what is configured runs on none.
BackendChoice possible_backend(const Config& config);

/// Begins to make the device ready that a configuration may compute on, which takes a GPU's driver some tenths of a
/// second, while the caller goes on. Who destroys the result waits. An error is told when the device is used.
std::future<void> wake_device(const Config& config);

/// A simulation where it runs.
struct StartedSimulation {
  std::string backend, device;  ///< `gpu` and the device's name, or `cpu` and nothing
  std::unique_ptr<Simulation> simulation;
};

/// On the GPU; nothing where `auto` may take the CPU instead, which is logged with the reason. Throws DeviceError where
/// a GPU was asked for and cannot be used. `choice` is not the CPU.
std::optional<StartedSimulation> start_on_gpu(BackendChoice choice, const Problem& problem);

/// `auto` takes the GPU where it can be used and logs why where it cannot. Throws DeviceError where a GPU was asked for
/// and cannot be used.
StartedSimulation start_simulation(BackendChoice choice, const Problem& problem);

/// The device that start_simulation() would take; where a GPU is asked for and there is none, the one that this program
/// is measured on. Nothing is started.
Device planned_device(BackendChoice choice);

/// The backend that start_simulation() would take, in words; nothing is started.
std::string describe_backend(BackendChoice choice);

}  // namespace cardiowarp
