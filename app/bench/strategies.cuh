#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/bench/assembly_bench.hpp"
#include "app/simulation/simulation_plan.hpp"
#include "assembly/assembly.hpp"
#include "kernels/backend/cuda_backend.cuh"

namespace cardiowarp {

// The assembly strategies of papers 003 and 004 that `bench assembly` measures beside those of a run. Each is made from
// the plan of a simulation with one cell model of Aliev and Panfilov. assembly_cuda.cu asks for the list and times what
// was asked for.

/// A strategy on the device. The bytes are those that its elements and its sums must move where all that is gathered is
/// read once; none where they are not counted.
struct MadeStrategy {
  std::unique_ptr<Assembly<CudaBackend>> assembly;
  std::optional<std::int64_t> element_bytes = {}, assembly_bytes = {};
  /// Runs elements that fetch and store what those of the strategy do and compute nothing; empty where the strategy has
  /// no loop over its elements.
  std::function<void(CudaBackend&, const ElementState&)> dummy = {};
  std::optional<double> padding = {};  ///< stored places of contributions over contributions
};

/// A strategy by its name in the table. `make` throws InputError where it does not suit the mesh.
struct NamedStrategy {
  std::string name;
  std::function<MadeStrategy(CudaBackend&, const SimulationPlan&)> make;
};

/// The strategies of the two papers, with the shapes that the options ask for, in the order of the table.
std::vector<NamedStrategy> strategies_of_the_papers(const AssemblyBenchOptions& options);

}  // namespace cardiowarp
