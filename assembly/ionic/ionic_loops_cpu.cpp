// Which loop runs the cells of an ionic model on the CPU, and what it takes where memory is counted.

#include "assembly/ionic/make_ionic_loop.hpp"
#include "assembly/ionic/run_time_loop.hpp"
#include "kernels/backend/cpu_backend.hpp"
#include "kernels/backend/sizing_backend.hpp"

namespace cardiowarp {
namespace {

/// The memory of a loop: its cells, whose parameters are what they have.
class SizedIonicLoop final : public IonicLoop<SizingBackend> {
 public:
  SizedIonicLoop(SizingBackend& backend, std::size_t cells, std::size_t parameters)
      : parameters_(backend.allocate<Real>(cells * parameters)) {}
  void evaluate(SizingBackend& /*backend*/, const IonicPoints& /*points*/,
                const ElementState& /*state*/) const override {}

 private:
  Buffer<Real> parameters_;
};

}  // namespace

template <>
std::unique_ptr<IonicLoop<CpuBackend>> make_ionic_loop(CpuBackend& backend, const IonicModel& model,
                                                       std::span<const IonicCell> cells, const Scaling& scaling) {
  if (const RunTimeModel* made = run_time_model(model)) return std::make_unique<RunTimeLoop>(*made, cells, scaling);
  return make_ionic_loop_of_one(backend, model, cells, scaling, IonicModels{});
}

template <>
std::unique_ptr<IonicLoop<SizingBackend>> make_ionic_loop(SizingBackend& backend, const IonicModel& model,
                                                          std::span<const IonicCell> cells,
                                                          const Scaling& /*scaling*/) {
  return std::make_unique<SizedIonicLoop>(backend, cells.size(), model.parameters().size());
}

}  // namespace cardiowarp
