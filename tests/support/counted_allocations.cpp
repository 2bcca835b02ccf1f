#include "tests/support/counted_allocations.hpp"

#include "app/simulation/backend_simulation.hpp"
#include "app/simulation/make_assembly.hpp"
#include "assembly/papers/make_assembly.hpp"
#include "kernels/backend/sizing_backend.hpp"
#include "solver/jacobi_solvers.hpp"
#include "solver/make_linear_solver.hpp"
#include "solver/preconditioned_solver.hpp"

namespace cardiowarp {
namespace {

struct CountingBackend : SizingBackend {
  template <class T>
  Buffer<T> allocate(std::size_t size) {
    ++allocations;
    return SizingBackend::allocate<T>(size);
  }
  std::size_t allocations = 0;
};
static_assert(Backend<CountingBackend>);

}  // namespace

/// What these plans are of has no ionic cells.
template <>
std::unique_ptr<IonicLoop<CountingBackend>> make_ionic_loop(CountingBackend& /*backend*/, const IonicModel& /*model*/,
                                                            std::span<const IonicCell> /*cells*/,
                                                            const Scaling& /*scaling*/) {
  return nullptr;
}

std::size_t allocations_of(const SimulationPlan& plan) {
  return BackendSimulation<CountingBackend>(plan).backend().allocations;
}

}  // namespace cardiowarp
