#include "app/petsc/measurement.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <array>
#include <nlohmann/json.hpp>

#include "app/measure/stopwatch.hpp"
#include "app/simulation/simulation.hpp"

namespace cardiowarp {
namespace {

void take_steps(PetscSimulation& simulation, TimeStepper stepper, std::int64_t steps, PetscMeasurement& measurement) {
  measurement.newton_iterations = measurement.linear_iterations = 0;
  while (stepper.counts().accepted < steps && !stepper.finished()) {
    const StepReport report = stepper.advance(simulation);
    if (report.failure)
      throw StepNotConverged(fmt::format("step {} (t = {:.6g} ms): {}", stepper.counts().accepted + 1,
                                         stepper.attempts().back().end_ms, report.failure->reason));
    measurement.newton_iterations += report.newton_iterations;
    measurement.linear_iterations += report.linear_iterations;
  }
  measurement.steps = stepper.counts().accepted;
}

PhaseSeconds of_slowest(const PhaseSeconds& own) {
  std::array<double, 6> seconds{own.setup, own.element, own.assembly, own.linear_solve, own.update, own.total};
  MPI_Allreduce(MPI_IN_PLACE, seconds.data(), seconds.size(), MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD);
  return {.setup = seconds[0],
          .element = seconds[1],
          .assembly = seconds[2],
          .linear_solve = seconds[3],
          .update = seconds[4],
          .total = seconds[5]};
}

std::int64_t peak_resident_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::int64_t bytes = std::int64_t{usage.ru_maxrss} * 1024;
  MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_INT64_T, MPI_SUM, PETSC_COMM_WORLD);
  return bytes;
}

/// How numbers get into the matrix.
const char* insertion_name(const Problem& problem, const PetscMethods& methods) {
  if (problem.quadrature == Quadrature::vertices) return "diagonal";
  return methods.insertion == PetscInsertion::coo ? "coo" : "set_values";
}

}  // namespace

PetscMeasurement measure(const Problem& problem, const TimeStepper& steps, const PetscOptions& options) {
  PetscMeasurement measurement;
  {
    PetscSimulation warm_up(problem, options.methods);
    take_steps(warm_up, steps, std::min<std::int64_t>(options.warm_up_steps, options.steps), measurement);
  }
  for (int repeat = 0; repeat < options.repeats; ++repeat) {
    MPI_Barrier(PETSC_COMM_WORLD);
    const Stopwatch watch;
    PetscSimulation simulation(problem, options.methods);
    PhaseSeconds seconds{.setup = watch.seconds()};
    take_steps(simulation, steps, options.steps, measurement);
    seconds.total = watch.seconds();
    seconds.element = simulation.seconds().element;
    seconds.assembly = simulation.seconds().assembly;
    seconds.linear_solve = simulation.seconds().linear_solve;
    seconds.update = simulation.seconds().update;
    measurement.seconds.push_back(of_slowest(seconds));
    if (repeat + 1 == options.repeats) measurement.fields = simulation.fields();
  }
  measurement.peak_resident_bytes = peak_resident_bytes();
  return measurement;
}

std::string json_of(const PetscMeasurement& measurement, const Problem& problem, const PetscOptions& options) {
  int processes = 0;
  MPI_Comm_size(PETSC_COMM_WORLD, &processes);
  nlohmann::ordered_json json{
      {"petsc", fmt::format("{}.{}.{}", PETSC_VERSION_MAJOR, PETSC_VERSION_MINOR, PETSC_VERSION_SUBMINOR)},
      {"ranks", processes},
      {"preconditioner", options.methods.preconditioner == PetscPreconditioner::jacobi ? "jacobi" : "block_jacobi"},
      {"insertion", insertion_name(problem, options.methods)},
      {"numbering", options.methods.numbering == PetscNumbering::locality ? "locality" : "row_lengths"},
      {"nodes", problem.mesh->nodes.size()},
      {"elements", problem.mesh->tetrahedra.size()},
      {"steps", measurement.steps},
      {"newton_iterations", measurement.newton_iterations},
      {"linear_iterations", measurement.linear_iterations},
      {"peak_resident_bytes", measurement.peak_resident_bytes},
      {"seconds", nlohmann::ordered_json::array()}};
  for (const PhaseSeconds& seconds : measurement.seconds)
    json["seconds"].push_back({{"setup", seconds.setup},
                               {"element", seconds.element},
                               {"assembly", seconds.assembly},
                               {"linear_solve", seconds.linear_solve},
                               {"update", seconds.update},
                               {"total", seconds.total}});
  return json.dump(2) + "\n";
}

std::string bytes_of(const PetscFields& fields) {
  std::string bytes;
  for (const auto* field : {&fields.potential_mv, &fields.activation_ms})
    bytes.append(reinterpret_cast<const char*>(field->data()), field->size() * sizeof(Real));
  return bytes;
}

}  // namespace cardiowarp
