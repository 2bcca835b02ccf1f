#include "app/simulation/extracellular.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>
#include <utility>

#include "app/config/bidomain_conductivity.hpp"
#include "app/config/config.hpp"
#include "app/simulation/problem.hpp"
#include "app/simulation/simulation_plan.hpp"
#include "assembly/diffusion_matrix.hpp"
#include "assembly/quadratic_assembly.hpp"
#include "assembly/vector_loops.hpp"
#include "fem/components.hpp"
#include "fem/mesh.hpp"
#include "fem/quadratic_tetrahedron.hpp"
#include "kernels/backend/cpu_backend.hpp"
#include "solver/linear_solver.hpp"

namespace cardiowarp {
namespace {

/// x · y
struct ProductOf {
  const Real *x, *y;
  CARDIOWARP_HD Terms<1> operator()(Index i) const { return {{x[i] * y[i]}}; }
};

/// to_i += factor what_i
struct AddMultiple {
  Real* to;
  Real factor;
  const Real* what;
  CARDIOWARP_HD void operator()(Index i) const { to[i] += factor * what[i]; }
};

/// r = b − y
struct Difference {
  const Real *b, *y;
  Real* r;
  CARDIOWARP_HD void operator()(Index i) const { r[i] = b[i] - y[i]; }
};

std::vector<Real> values_in_slots(const Mesh& mesh, const std::vector<Diffusivity>& conductivity,
                                  const Sparsity& sparsity, const MatrixLayout& layout) {
  return mesh.is_quadratic() ? quadratic_diffusion_matrix(mesh, conductivity, sparsity, layout, false).in_slots
                             : diffusion_matrix(mesh, conductivity, sparsity, layout);
}

/// [nodes] ∫ N_i dΩ
std::vector<Real> integrals_of_shapes(const Mesh& mesh) {
  std::vector<Real> integral(mesh.nodes.size(), 0);
  if (!mesh.is_quadratic()) {
    const std::vector<Real> volume = element_volumes(mesh);
    for (std::size_t element = 0; element < volume.size(); ++element)
      for (const Index node : mesh.tetrahedra[element]) integral[node] += volume[element] / 4;
    return integral;
  }
  constexpr QuadraticTable table = quadratic_table();
  for (std::size_t element = 0; element < mesh.tetrahedra.size(); ++element) {
    const QuadraticNodes nodes = nodes_of(mesh, element);
    const auto volume = quadratic_volumes(positions_of(mesh, element));
    for (int q = 0; q < quadratic_points; ++q)
      for (int i = 0; i < quadratic_nodes; ++i) integral[nodes[i]] += volume[q] * table.shape[q][i];
  }
  return integral;
}

Diffusivity conductivity_of(const DomainConductivity& given, Real along, Real across, Vector3 fiber) {
  return {given.across * across, given.along * along - given.across * across, fiber};
}

Diffusivity sum_of(const Diffusivity& a, const Diffusivity& b) {
  return {a.isotropic + b.isotropic, a.anisotropic + b.anisotropic, a.fiber};
}

}  // namespace

BidomainTissue bidomain_tissue(const Config& config, const Problem& problem, const BidomainConductivity& given) {
  const bool has_fibers = config.fibers.source != FiberSource::none;
  const Real ms_per_tau = problem.scaling().ms_per_tau;
  const Real across = config.diffusivity.isotropic_mm2_per_ms * ms_per_tau;
  const Real along = across + (has_fibers ? config.diffusivity.anisotropic_mm2_per_ms * ms_per_tau : 0);
  const auto domain = [&](const DomainConductivity& of) {
    return has_fibers ? of : DomainConductivity{of.along, of.along};
  };
  const DomainConductivity inside = domain(given.inside), outside = domain(given.outside);
  BidomainTissue tissue;
  for (const Diffusivity& D : problem.diffusivity) {
    const Real along_here = (D.isotropic + D.anisotropic) / along, across_here = D.isotropic / across;
    tissue.inside.push_back(conductivity_of(inside, along_here, across_here, D.fiber));
    tissue.both.push_back(sum_of(tissue.inside.back(), conductivity_of(outside, 1, 1, D.fiber)));
  }
  return tissue;
}

/// What mesh and conductivities fix, in the order of locality.
struct ExtracellularPotential::Plan {
  Plan(const Mesh& mesh, const BidomainTissue& tissue) {
    Problem wanted;
    wanted.mesh = borrowed(mesh);
    wanted.cell_model.assign(mesh.tetrahedra.size(), 0);
    wanted.diffusivity = tissue.both;
    wanted.phi.assign(mesh.nodes.size(), 0);
    wanted.preconditioner = PreconditionerChoice::block_jacobi;
    wanted.precision = SolverPrecision::double_precision;
    wanted.matrix.format = MatrixFormat::csr;
    RenumberedProblem renumbered = choose_solver_and_order(wanted, cpu_device());
    const Mesh& ordered = *renumbered.problem.mesh;
    node_in_input = std::move(renumbered.node_in_input);
    sparsity = std::exchange(renumbered.sparsity, {}).value();
    matrix = matrix_layout(sparsity, renumbered.problem.matrix);
    solver = plan_solver(cpu_device(), renumbered.solver, matrix, pattern_of(sparsity));
    std::vector<Diffusivity> inside;
    for (const Index element : renumbered.element_in_input) inside.push_back(tissue.inside[element]);
    inside_value = values_in_slots(ordered, inside, sparsity, matrix);
    diagonal_slot = diagonal_slots(sparsity, matrix);
    CpuBackend backend;
    both = make_global_matrix(backend, sparsity, matrix);
    const std::vector<Real> value = values_in_slots(ordered, renumbered.problem.diffusivity, sparsity, matrix);
    std::ranges::copy(value, both->value());
    share = integrals_of_shapes(ordered);
    component_of_node = connected_components(ordered).component_of_node;
    components = 1 + *std::ranges::max_element(component_of_node);
  }

  Index rows() const { return sparsity.rows(); }

  /// Takes off a vector the mean that it has in each component with these weights of the nodes.
  template <class Weight>
  void take_off_means(std::span<Real> vector, const Weight& weight) const {
    std::vector<Real> sum(components, 0), whole(components, 0);
    for (Index i = 0; i < rows(); ++i) {
      sum[component_of_node[i]] += weight(i) * vector[i];
      whole[component_of_node[i]] += weight(i);
    }
    for (Index i = 0; i < rows(); ++i) vector[i] -= sum[component_of_node[i]] / whole[component_of_node[i]];
  }

  std::vector<Index> node_in_input;
  Sparsity sparsity;
  MatrixLayout matrix;
  SolverPlan solver;
  std::unique_ptr<GlobalMatrix<CpuBackend>> both;  ///< K of σ_i + σ_e
  std::vector<Real> inside_value;                  ///< [slots] K_i of σ_i
  std::vector<Index> diagonal_slot;
  std::vector<Real> share;  ///< [nodes] ∫ N_i dΩ
  std::vector<Index> component_of_node;
  Index components = 0;
};

/// The vectors and the solver of one solve at a time.
class ExtracellularPotential::System {
 public:
  explicit System(const Plan& plan)
      : plan_(plan),
        rows_(plan.rows()),
        v_(vector()),
        u_(vector()),
        b_(vector()),
        product_(vector()),
        residual_(vector()),
        update_(vector()),
        inverse_diagonal_(vector()),
        sum_(backend_.allocate<Real>(1)),
        state_(backend_.allocate<CgState>(1)) {
    backend_.for_each(rows_, InvertDiagonal{plan.diagonal_slot.data(), plan.both->value(), inverse_diagonal_.data()});
    solver_ =
        make_linear_solver(backend_, plan.solver, plan.matrix.ell_warp(), *plan.both,
                           SystemInMemory{rows_, plan.matrix.slots, plan.both->value(), inverse_diagonal_.data(),
                                          residual_.data(), update_.data(), state_.data()},
                           EntriesOfK{{rows_, plan.sparsity.row_begin.data(), plan.sparsity.column.data(), nullptr},
                                      plan.matrix.slot_of_entry,
                                      plan.diagonal_slot.data()});
  }

  ExtracellularReport solve(std::span<const Real> potential_mv, std::span<Real> extracellular_mv) {
    const Real mean =
        std::accumulate(potential_mv.begin(), potential_mv.end(), Real{0}) / static_cast<Real>(potential_mv.size());
    for (Index i = 0; i < rows_; ++i) v_.data()[i] = potential_mv[plan_.node_in_input[i]] - mean;
    set_right_side();
    begin_with_multiple_of_v();
    const ExtracellularReport report = iterate();
    plan_.take_off_means(of(u_), [&](Index i) { return plan_.share[i]; });
    for (Index i = 0; i < rows_; ++i) extracellular_mv[plan_.node_in_input[i]] = u_.data()[i];
    return report;
  }

 private:
  Buffer<Real> vector() { return backend_.allocate<Real>(static_cast<std::size_t>(rows_)); }
  std::span<Real> of(Buffer<Real>& buffer) const { return {buffer.data(), static_cast<std::size_t>(rows_)}; }
  Real dot_of(const Buffer<Real>& x, const Buffer<Real>& y) {
    backend_.sum<1>(rows_, sum_.data(), ProductOf{x.data(), y.data()});
    return sum_.data()[0];
  }
  void multiply(const Buffer<Real>& x) {
    plan_.both->multiply(backend_, plan_.both->value(), x.data(), product_.data());
  }

  /// b = −K_i V, with the sum 0 in each component.
  void set_right_side() {
    plan_.both->multiply(backend_, plan_.inside_value.data(), v_.data(), b_.data());
    backend_.for_each(rows_, Negate{b_.data()});
    plan_.take_off_means(of(b_), [](Index) { return Real{1}; });
  }

  /// u = −α V with the least error in the norm of K: −α = b·V / V·K V.
  void begin_with_multiple_of_v() {
    multiply(v_);
    const Real energy = dot_of(v_, product_), multiple = energy > 0 ? dot_of(b_, v_) / energy : 0;
    backend_.for_each(rows_, SetToZero{u_.data()});
    backend_.for_each(rows_, AddMultiple{u_.data(), multiple, v_.data()});
  }

  /// What is small beside the errors of V: the residual of potentials of 1e-7 mV.
  Real smallest_residual() {
    constexpr Real negligible_mv = 1e-7;
    Real squares = 0;
    for (const Index slot : plan_.diagonal_slot) squares += plan_.inside_value[slot] * plan_.inside_value[slot];
    return negligible_mv * std::sqrt(squares);
  }

  ExtracellularReport iterate() {
    constexpr int most_iterations = 20'000, most_rounds = 4;
    const Real norm_of_b = std::sqrt(dot_of(b_, b_)), enough = std::max(tolerance * norm_of_b, smallest_residual());
    ExtracellularReport report;
    Real now = residual_norm();
    for (int round = 0; round < most_rounds && now > enough; ++round) {
      solver_->begin_step();
      solver_->solve(backend_, {enough / now, most_iterations - report.iterations}, nullptr);
      const CgReport& of_round = state_.data()->report;
      report.iterations += of_round.iterations;
      if (!of_round.has_solution()) break;
      backend_.for_each(rows_, AddMultiple{u_.data(), 1, update_.data()});
      now = residual_norm();
    }
    report.residual = norm_of_b > 0 ? now / norm_of_b : 0;
    report.converged = now <= 2 * enough;  // the recurrence of the residual drifts from the residual
    return report;
  }

  /// |r| of r = b − K u.
  Real residual_norm() {
    multiply(u_);
    backend_.for_each(rows_, Difference{b_.data(), product_.data(), residual_.data()});
    return std::sqrt(dot_of(residual_, residual_));
  }

  const Plan& plan_;
  CpuBackend backend_;
  Index rows_;
  Buffer<Real> v_, u_, b_, product_, residual_, update_, inverse_diagonal_, sum_;
  Buffer<CgState> state_;
  std::unique_ptr<LinearSolver<CpuBackend>> solver_;  ///< last: it uses the others
};

struct ExtracellularPotential::Idle {
  std::mutex mutex;
  std::vector<std::unique_ptr<System>> systems;
};

ExtracellularPotential::ExtracellularPotential(const Mesh& mesh, const BidomainTissue& tissue)
    : plan_(std::make_unique<const Plan>(mesh, tissue)), idle_(std::make_unique<Idle>()) {}

ExtracellularPotential::~ExtracellularPotential() = default;

ExtracellularReport ExtracellularPotential::solve(std::span<const Real> potential_mv,
                                                  std::span<Real> extracellular_mv) {
  std::unique_ptr<System> system = idle_system();
  const ExtracellularReport report = system->solve(potential_mv, extracellular_mv);
  give_back(std::move(system));
  return report;
}

std::unique_ptr<ExtracellularPotential::System> ExtracellularPotential::idle_system() {
  {
    const std::lock_guard lock(idle_->mutex);
    if (!idle_->systems.empty()) {
      std::unique_ptr<System> system = std::move(idle_->systems.back());
      idle_->systems.pop_back();
      return system;
    }
  }
  return std::make_unique<System>(*plan_);
}

void ExtracellularPotential::give_back(std::unique_ptr<System> system) {
  const std::lock_guard lock(idle_->mutex);
  idle_->systems.push_back(std::move(system));
}

}  // namespace cardiowarp
