#include "app/petsc/petsc_simulation.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <utility>

#include "app/simulation/backend_simulation.hpp"
#include "assembly/sparsity.hpp"
#include "assembly/spmv_assembly.hpp"

namespace cardiowarp {
namespace {

static_assert(std::is_same_v<PetscInt, Index> && std::is_same_v<PetscScalar, Real>);

/// Where MonodomainElements puts the values of the elements from `first` on, as PETSc reads them.
struct ElementBlock {
  std::ptrdiff_t first;
  Real* entry_value;  ///< [elements × 4 × 4]
  Real* node_value;   ///< [elements × 4]

  Real& entry(Index element, int i, int j) const { return entry_value[4 * (4 * (element - first) + i) + j]; }
  Real& node(Index element, int i) const { return node_value[4 * (element - first) + i]; }
};

/// [processes + 1] the first of each one's nodes.
std::vector<int> even_split(Index nodes) {
  int processes = 0;
  MPI_Comm_size(PETSC_COMM_WORLD, &processes);
  std::vector<int> begin;
  for (int p = 0; p <= processes; ++p) begin.push_back(static_cast<int>(std::int64_t{nodes} * p / processes));
  return begin;
}

/// Options of a format for which renumber_for_locality numbers the nodes in this way.
MatrixOptions matrix_in_order(PetscNumbering numbering) {
  MatrixOptions matrix;
  matrix.format = numbering == PetscNumbering::locality ? MatrixFormat::ell_warp : MatrixFormat::csr;
  matrix.ell_warp.renumbering = EllWarpRenumbering::none;
  return matrix;
}

CgStatus status_of(KSPConvergedReason reason, Real rhs_norm) {
  if (reason > 0) return CgStatus::converged;
  if (reason == KSP_DIVERGED_NANORINF || !std::isfinite(rhs_norm)) return CgStatus::not_finite;
  return reason == KSP_DIVERGED_ITS ? CgStatus::iteration_limit : CgStatus::not_positive_definite;
}

}  // namespace

PetscSimulation::PetscSimulation(const Problem& problem, const PetscMethods& methods)
    : methods_(methods),
      own_begin_(even_split(static_cast<Index>(problem.mesh->nodes.size()))),
      scaling_(problem.scaling()) {
  {
    Problem ordered = problem;
    ordered.matrix = matrix_in_order(methods.numbering);
    auto renumbered = renumber_for_locality(ordered, cpu_device());
    subdomain_ = subdomain_of(renumbered.problem, own_begin_[process()], own_begin_[process() + 1]);
    node_in_input_ = std::move(renumbered.node_in_input);
  }
  make_matrix();
  make_solver();

  const Problem& subdomain = subdomain_.problem;
  phi_ = phi_old_ = phi_older_ = subdomain.phi;
  states_ = states_old_ = subdomain.states;
  lowest_phi_ = lowest_admissible_phi(subdomain);
  for (auto* values : {&load_, &source_}) values->resize(nodes());
  for (auto* map : {&activation_ms_, &apd90_ms_, &peak_phi_}) map->resize(subdomain_.own_nodes);
  backend_.for_each(subdomain_.own_nodes, StartMaps{maps(), phi_old_.data()});
}

void PetscSimulation::make_matrix() {
  const std::vector<Index>& in_whole = subdomain_.node_in_whole;
  const Index own = subdomain_.own_nodes;
  for (const Tetrahedron& corner : subdomain_.problem.mesh->tetrahedra)
    for (const Index node : corner) {
      row_.push_back(node < own ? in_whole[node] : -1);
      column_.push_back(in_whole[node]);
    }
  constexpr Index block = 128;  // 20 KiB of values
  elements_in_block_ = methods_.insertion == PetscInsertion::coo ? elements() : std::min(block, elements());
  entry_values_.resize(16 * std::size_t(elements_in_block_));
  node_values_.resize(4 * std::size_t(elements_in_block_));

  petsc(VecCreateGhost(PETSC_COMM_WORLD, own, PETSC_DETERMINE, nodes() - own, in_whole.data() + own, update_.out()));
  petsc(VecCreateMPI(PETSC_COMM_WORLD, own, PETSC_DETERMINE, negative_residual_.out()));
  for (const VecOption option : {VEC_IGNORE_NEGATIVE_INDICES, VEC_IGNORE_OFF_PROC_ENTRIES})
    petsc(VecSetOption(negative_residual_, option, PETSC_TRUE));
  petsc(MatCreate(PETSC_COMM_WORLD, matrix_.out()));
  petsc(MatSetSizes(matrix_, own, own, PETSC_DETERMINE, PETSC_DETERMINE));
  petsc(MatSetType(matrix_, MATAIJ));
  if (methods_.insertion == PetscInsertion::coo)
    preallocate_from_elements();
  else
    preallocate_from_sparsity();
  for (const MatOption option :
       {MAT_SPD, MAT_NEW_NONZERO_LOCATION_ERR, MAT_KEEP_NONZERO_PATTERN, MAT_NO_OFF_PROC_ENTRIES})
    petsc(MatSetOption(matrix_, option, PETSC_TRUE));
}

void PetscSimulation::preallocate_from_sparsity() {
  const std::vector<Index>& in_whole = subdomain_.node_in_whole;
  const Sparsity sparsity = build_sparsity(subdomain_.problem.mesh->tetrahedra, nodes(), in_whole);
  std::vector<PetscInt> column;
  for (Index entry = 0; entry < sparsity.row_begin[subdomain_.own_nodes]; ++entry)
    column.push_back(in_whole[sparsity.column[entry]]);
  petsc(MatSeqAIJSetPreallocationCSR(matrix_, sparsity.row_begin.data(), column.data(), nullptr));
  petsc(MatMPIAIJSetPreallocationCSR(matrix_, sparsity.row_begin.data(), column.data(), nullptr));
}

void PetscSimulation::preallocate_from_elements() {
  std::vector<PetscInt> entry_row, entry_column;  // [elements × 4 × 4]
  for (std::size_t k = 0; k < row_.size(); ++k) {
    const auto columns = column_.begin() + static_cast<std::ptrdiff_t>(k / 4 * 4);
    entry_row.insert(entry_row.end(), 4, row_[k]);
    entry_column.insert(entry_column.end(), columns, columns + 4);
  }
  petsc(MatSetPreallocationCOO(matrix_, static_cast<PetscCount>(entry_row.size()), entry_row.data(),
                               entry_column.data()));
  petsc(VecSetPreallocationCOO(negative_residual_, static_cast<PetscCount>(row_.size()), row_.data()));
}

void PetscSimulation::make_solver() {
  petsc(KSPCreate(PETSC_COMM_WORLD, solver_.out()));
  petsc(KSPSetOperators(solver_, matrix_, matrix_));
  petsc(KSPSetType(solver_, KSPCG));
  petsc(KSPSetNormType(solver_, KSP_NORM_UNPRECONDITIONED));
  PC pc = nullptr;
  petsc(KSPGetPC(solver_, &pc));
  petsc(PCSetType(pc, methods_.preconditioner == PetscPreconditioner::jacobi ? PCJACOBI : PCBJACOBI));
  petsc(KSPSetFromOptions(solver_));
}

NewtonReport PetscSimulation::step_to(Real time_ms) {
  update_source(time_ms);
  step_ = scaling_.tau_from_ms(time_ms - time_ms_);
  backend_.for_each(nodes(), StepLoad{load_.data(), phi_old_.data(), source_.data(), 1 / step_});
  NewtonReport report = newton_from(*this, previous_step_ > 0 ? step_ / previous_step_ : 0);
  if (!report.converged()) return report;
  phi_older_.swap(phi_old_);
  phi_old_.swap(phi_);
  states_old_.swap(states_);
  previous_step_ = step_;
  backend_.for_each(subdomain_.own_nodes, RecordMaps{maps(), {time_ms_, time_ms, phi_older_.data(), phi_old_.data()}});
  time_ms_ = time_ms;
  return report;
}

void PetscSimulation::update_source(Real step_end_ms) {
  std::fill(source_.begin(), source_.end(), 0);
  for (const Stimulus& stimulus : subdomain_.problem.stimuli)
    if (stimulus.pulses.on(step_end_ms)) {
      const std::vector<Real> share = shares_of(stimulus);
      backend_.for_each(static_cast<Index>(stimulus.nodes.size()),
                        AddAtNodes{source_.data(), stimulus.nodes.data(), share.data(), stimulus.amplitude});
    }
}

/// φ = φ_n + weight (φ_n − φ_{n−1})
void PetscSimulation::start(Real weight) {
  const auto watch = backend_.stopwatch(seconds_.update);
  left_range_ = false;
  backend_.for_each(nodes(), Extrapolate{phi_.data(), phi_old_.data(), phi_older_.data(), weight});
}

NewtonReport PetscSimulation::newton() {
  newton_.begin(subdomain_.problem.newton);
  cardiowarp::newton(backend_, newton_repetition_, &newton_, *this);
  return newton_.report;
}

void PetscSimulation::linearize() {
  {
    const auto watch = backend_.stopwatch(seconds_.assembly);
    petsc(MatZeroEntries(matrix_));
    petsc(VecSet(negative_residual_, 0));
  }
  const Problem& subdomain = subdomain_.problem;
  for (Index first = 0; first < elements(); first += elements_in_block_) {
    const Index end = std::min(first + elements_in_block_, elements());
    {
      const auto watch = backend_.stopwatch(seconds_.element);
      std::visit(
          [&]<class Cell>(const std::vector<Cell>& cells) {
            const MonodomainElements<Cell, ElementBlock> evaluate{
                subdomain.mesh->tetrahedra.data(),
                subdomain.mesh->nodes.data(),
                subdomain.diffusivity.data(),
                cells.data(),
                subdomain.cell_model.data(),
                {phi_.data(), load_.data(), states_old_.data(), states_.data(), &step_, elements()},
                {first, entry_values_.data(), node_values_.data()}};
            for (Index element = first; element < end; ++element) evaluate(element);
          },
          subdomain.cell_models);
    }
    const auto watch = backend_.stopwatch(seconds_.assembly);
    insert(first, end);
  }
  const auto watch = backend_.stopwatch(seconds_.assembly);
  petsc(MatAssemblyBegin(matrix_, MAT_FINAL_ASSEMBLY));
  petsc(VecAssemblyBegin(negative_residual_));
  petsc(MatAssemblyEnd(matrix_, MAT_FINAL_ASSEMBLY));
  petsc(VecAssemblyEnd(negative_residual_));
  MPI_Barrier(PETSC_COMM_WORLD);  // who inserts longest is waited for here and not in the solver's time
}

/// The values of a block.
void PetscSimulation::insert(Index first, Index end) {
  if (methods_.insertion == PetscInsertion::coo) {
    petsc(MatSetValuesCOO(matrix_, entry_values_.data(), INSERT_VALUES));
    petsc(VecSetValuesCOO(negative_residual_, node_values_.data(), INSERT_VALUES));
    return;
  }
  const Real *entries = entry_values_.data(), *nodes = node_values_.data();
  for (Index element = first; element < end; ++element, entries += 16, nodes += 4) {
    const PetscInt* rows = row_.data() + 4 * std::size_t(element);
    const PetscInt* columns = column_.data() + 4 * std::size_t(element);
    petsc(MatSetValues(matrix_, 4, rows, 4, columns, entries, ADD_VALUES));
    petsc(VecSetValues(negative_residual_, 4, rows, nodes, ADD_VALUES));
  }
}

void PetscSimulation::correct() {
  const CgReport report = solve(newton_.forcing);
  newton_.end_iteration(report, update(report));
}

/// The stopping test is that of conjugate_gradient(): |r| <= tolerance |b| from x = 0, r unpreconditioned.
CgReport PetscSimulation::solve(const Forcing& forcing) {
  const auto watch = backend_.stopwatch(seconds_.linear_solve);
  const CgConfig& config = subdomain_.problem.linear_solver;
  PetscReal rhs_norm = 0;
  petsc(VecNorm(negative_residual_, NORM_2, &rhs_norm));
  petsc(KSPSetTolerances(solver_, std::fmax(config.relative_tolerance, forcing(rhs_norm)), 0,
                         std::numeric_limits<Real>::max(), config.max_iterations));
  petsc(KSPSolve(solver_, negative_residual_, update_));
  CgReport report;
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  petsc(KSPGetConvergedReason(solver_, &reason));
  petsc(KSPGetIterationNumber(solver_, &report.iterations));
  petsc(KSPGetResidualNorm(solver_, &report.residual_norm));
  report.rhs_norm = rhs_norm;
  report.status = status_of(reason, report.rhs_norm);
  return report;
}

/// φ += Δφ, where there is one; infinity when a node leaves the range of a cell model around it.
Real PetscSimulation::update(const CgReport& solve) {
  const auto watch = backend_.stopwatch(seconds_.update);
  petsc(VecGhostUpdateBegin(update_, INSERT_VALUES, SCATTER_FORWARD));
  petsc(VecGhostUpdateEnd(update_, INSERT_VALUES, SCATTER_FORWARD));
  Vec with_ghosts = nullptr;
  const PetscScalar* change = nullptr;
  petsc(VecGhostGetLocalForm(update_, &with_ghosts));
  petsc(VecGetArrayRead(with_ghosts, &change));
  Real largest = 0;
  backend_.maximum(nodes(), &largest, AddUpdate{phi_.data(), change, lowest_phi_.data(), &solve});
  petsc(VecRestoreArrayRead(with_ghosts, &change));
  petsc(VecGhostRestoreLocalForm(update_, &with_ghosts));

  if (std::isnan(largest)) largest = std::numeric_limits<Real>::infinity();  // MPI_MAX does not know NaN
  MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD);
  left_range_ = std::isinf(largest);
  return largest;
}

PetscFields PetscSimulation::fields() {
  PetscFields fields{gathered(phi_old_.data()), gathered(activation_ms_.data())};
  for (Real& value : fields.potential_mv) value = scaling_.mv_from_phi(value);
  return fields;
}

/// [nodes of the input] on process 0.
std::vector<Real> PetscSimulation::gathered(const Real* own) const {
  const bool first = process() == 0;
  std::vector<int> counts;
  for (std::size_t p = 0; p + 1 < own_begin_.size(); ++p) counts.push_back(own_begin_[p + 1] - own_begin_[p]);
  std::vector<Real> in_order(first ? node_in_input_.size() : 0), result(in_order.size());
  MPI_Gatherv(own, subdomain_.own_nodes, MPI_DOUBLE, in_order.data(), counts.data(), own_begin_.data(), MPI_DOUBLE, 0,
              PETSC_COMM_WORLD);
  for (std::size_t i = 0; i < in_order.size(); ++i) result[node_in_input_[i]] = in_order[i];
  return result;
}

}  // namespace cardiowarp
