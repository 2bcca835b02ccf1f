#include "app/petsc/petsc_simulation.hpp"

#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "app/simulation/backend_simulation.hpp"

namespace cardiowarp {
namespace {

/// [processes + 1] the first of each one's nodes.
std::vector<int> even_split(Index nodes) {
  int processes = 0;
  MPI_Comm_size(PETSC_COMM_WORLD, &processes);
  std::vector<int> begin;
  for (int p = 0; p <= processes; ++p) begin.push_back(static_cast<int>(std::int64_t{nodes} * p / processes));
  return begin;
}

/// Options of a format for which choose_solver_and_order() numbers the nodes in this way.
MatrixOptions matrix_in_order(PetscNumbering numbering) {
  MatrixOptions matrix;
  matrix.format = numbering == PetscNumbering::locality ? MatrixFormat::ell_warp : MatrixFormat::csr;
  matrix.ell_warp.renumbering = EllWarpRenumbering::none;
  return matrix;
}

/// One for each node at the end of its admissible range or outside.
struct CountOutside {
  const Real *phi, *lowest;
  Terms<1> operator()(Index node) const { return {{phi[node] > lowest[node] ? Real(0) : Real(1)}}; }
};

}  // namespace

PetscSimulation::PetscSimulation(const Problem& problem, const PetscMethods& methods)
    : own_begin_(even_split(static_cast<Index>(problem.mesh->nodes.size()))),
      plan_(petsc_plan(own_subdomain(problem, methods.numbering), methods)),
      scaling_(problem.scaling()),
      integrator_(make_integrator(backend_, plan_)),
      source_(backend_, plan_.problem()) {
  for (auto* map : {&activation_ms_, &apd90_ms_, &peak_phi_}) map->resize(plan_.nodes());
  backend_.for_each(plan_.nodes(), StartMaps{maps(), integrator_->phi()});
}

Subdomain PetscSimulation::own_subdomain(const Problem& problem, PetscNumbering numbering) {
  Problem ordered = problem;
  ordered.matrix = matrix_in_order(numbering);
  auto renumbered = choose_solver_and_order(ordered, cpu_device());
  node_in_input_ = std::move(renumbered.node_in_input);
  return subdomain_of(renumbered.problem, own_begin_[process()], own_begin_[process() + 1]);
}

StepReport PetscSimulation::step(Real time_ms, std::optional<Real> largest_error) {
  // Equal steps of backward Euler do not begin where a pulse does.
  if (source_.update(backend_, time_ms) && (largest_error || integrator_->interpolates())) integrator_->meet_jump();
  StepReport report = attempt(time_ms, largest_error.has_value());
  if (report.failure) return report;
  if (largest_error) {
    report.error = integrator_->error();
    report.rejected = report.error.value_or(0) > *largest_error;
  }
  if (!report.rejected) accept(time_ms);
  return report;
}

StepReport PetscSimulation::attempt(Real time_ms, bool with_error) {
  const NewtonReport newton =
      integrator_->attempt(scaling_.tau_from_ms(time_ms - time_ms_), source_.data(), with_error);
  StepReport report{.newton_iterations = newton.iterations, .linear_iterations = newton.linear_iterations};
  if (!newton.converged()) report.failure = diagnose(newton);
  return report;
}

StepFailure PetscSimulation::diagnose(const NewtonReport& newton) {
  Real outside = 0;
  backend_.sum<1>(plan_.subdomain.own_nodes, &outside, CountOutside{integrator_->iterate(), integrator_->lowest_phi()});
  const bool left_range = outside > 0;
  return {.reason = failure_reason(newton, left_range, range_in_words(plan_.problem().cell_models)),
          .left_range = newton.status == NewtonStatus::not_finite && left_range};
}

void PetscSimulation::accept(Real time_ms) {
  integrator_->accept();
  constexpr Real never = std::numeric_limits<Real>::infinity();
  integrator_->record(maps(), {.activation_ms = nullptr, .since_ms = 0, .level_phi = never}, time_ms_, time_ms);
  time_ms_ = time_ms;
}

PetscFields PetscSimulation::fields() {
  PetscFields fields{gathered(integrator_->phi()), gathered(activation_ms_.data())};
  for (Real& value : fields.potential_mv) value = scaling_.mv_from_phi(value);
  return fields;
}

/// [nodes of the input] on process 0.
std::vector<Real> PetscSimulation::gathered(const Real* own) const {
  const bool first = process() == 0;
  std::vector<int> counts;
  for (std::size_t p = 0; p + 1 < own_begin_.size(); ++p) counts.push_back(own_begin_[p + 1] - own_begin_[p]);
  std::vector<Real> in_order(first ? node_in_input_.size() : 0), result(in_order.size());
  MPI_Gatherv(own, plan_.subdomain.own_nodes, MPI_DOUBLE, in_order.data(), counts.data(), own_begin_.data(), MPI_DOUBLE,
              0, PETSC_COMM_WORLD);
  for (std::size_t i = 0; i < in_order.size(); ++i) result[node_in_input_[i]] = in_order[i];
  return result;
}

}  // namespace cardiowarp
