#include "app/bench/strategies.cuh"

#include "assembly/shared_nz.cuh"
#include "fem/cells/aliev_panfilov.hpp"

namespace cardiowarp {
namespace {

const std::vector<AlievPanfilov>& cells_of(const SimulationPlan& plan) {
  return std::get<std::vector<AlievPanfilov>>(plan.problem().cell_models);
}

/// shared_nz in one shape; its name is followed by the shape where that is asked for.
NamedStrategy shared_nz(const SharedNzShape& shape) {
  std::string name = "shared_nz";
  if (shape.slices_a_part > 0)
    name += "_" + std::to_string(shape.slices_a_part) + "x" + std::to_string(shape.threads);
  return {name, [shape](CudaBackend& backend, const SimulationPlan& plan) {
            const Problem& problem = plan.problem();
            const Mesh& mesh = *problem.mesh;
            const SharedNzPlan parts =
                shared_nz_plan(mesh, problem.diffusivity, plan.sparsity, plan.matrix, backend.device(), shape);
            return MadeStrategy{std::make_unique<SharedNz<CudaBackend, AlievPanfilov>>(
                                    backend, parts, mesh.tetrahedra, cells_of(plan), problem.cell_model),
                                0, parts.bytes()};
          }};
}

}  // namespace

std::vector<NamedStrategy> strategies_of_the_papers(const AssemblyBenchOptions& options) {
  std::vector<NamedStrategy> all;
  all.push_back(shared_nz({}));
  for (const Index slices : options.part_slices)
    for (const Index threads : options.part_threads) all.push_back(shared_nz({slices, threads}));
  return all;
}

}  // namespace cardiowarp
