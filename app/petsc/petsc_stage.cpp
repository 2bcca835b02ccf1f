#include "app/petsc/petsc_stage.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <utility>
#include <variant>

#include "app/config/config.hpp"
#include "app/simulation/nodal_cells.hpp"
#include "app/simulation/simulation_plan.hpp"
#include "assembly/build_sparsity.hpp"
#include "assembly/diffusion_matrix.hpp"
#include "assembly/spmv_assembly.hpp"
#include "assembly/vertex_assembly.hpp"
#include "fem/cells/models.hpp"

namespace cardiowarp {
namespace {

static_assert(std::is_same_v<PetscInt, Index> && std::is_same_v<PetscScalar, Real>);

/// Visits the cells of a tissue that are not ionic.
template <class Visit>
void visit_cells(const Visit& visit, const TissueCells& tissue) {
  std::visit(
      [&]<class Cell>(const std::vector<Cell>& cells) {
        if constexpr (CellModel<Cell>) visit(cells);
      },
      *tissue);
}

/// Where MonodomainElements puts the values of the elements from `first` on, as PETSc reads them.
struct InsertedBlock {
  std::ptrdiff_t first;
  Real* entry_value;  ///< [elements × 4 × 4]
  Real* node_value;   ///< [elements × 4]

  Real& entry(Index element, int i, int j) const { return entry_value[4 * (4 * (element - first) + i) + j]; }
  Real& node(Index element, int i) const { return node_value[4 * (element - first) + i]; }
};

/// The numbers of this process in a vector, for as long as this lives.
class OwnValues {
 public:
  explicit OwnValues(Vec vector) : vector_(vector) { petsc(VecGetArray(vector_, &values_)); }
  OwnValues(const OwnValues&) = delete;
  OwnValues& operator=(const OwnValues&) = delete;
  ~OwnValues() { petsc(VecRestoreArray(vector_, &values_)); }
  Real& operator[](Index i) const { return values_[i]; }
  const Real* data() const { return values_; }

 private:
  Vec vector_;
  Real* values_ = nullptr;
};

CgStatus status_of(KSPConvergedReason reason, Real rhs_norm) {
  if (reason > 0) return CgStatus::converged;
  if (reason == KSP_DIVERGED_NANORINF || !std::isfinite(rhs_norm)) return CgStatus::not_finite;
  return reason == KSP_DIVERGED_ITS ? CgStatus::iteration_limit : CgStatus::not_positive_definite;
}

}  // namespace

PetscPlan petsc_plan(Subdomain subdomain, const PetscMethods& methods) {
  PetscPlan plan{methods, std::move(subdomain), {}, {}};
  const Problem& problem = plan.problem();
  if (plan.weights().vertices == 0) {
    plan.states = problem.states;
    return plan;
  }
  std::vector<Real> volume = element_volumes(*problem.mesh);
  for (Real& of_element : volume) of_element *= plan.weights().vertices;
  VertexPoints& points = plan.vertices;
  const Incidence incidence = incidence_of(problem.mesh->tetrahedra, plan.nodes());
  points = vertex_points(incidence, volume, problem.cell_model);
  // A ghost lacks elements and is computed by its owner. The points of own nodes are first.
  const Index own_nodes = plan.subdomain.own_nodes, own_points = points.begin[own_nodes];
  plan.states = states_at_points(problem, incidence, points, own_points);
  points.begin.resize(own_nodes + 1);
  points.cell_model.resize(own_points);
  points.volume.resize(own_points);
  return plan;
}

PetscStage::PetscStage(ProcessesBackend& backend, const PetscPlan& plan)
    : backend_(backend),
      plan_(plan),
      own_nodes_(plan.subdomain.own_nodes),
      lowest_phi_(uploaded(backend, lowest_admissible_phi(plan.problem()))),
      state_(backend.allocate<StepState>(1)) {
  for (Buffer<Real>* vector : {&phi_, &load_}) *vector = backend.allocate<Real>(nodes());
  if (plan.weights().vertices > 0) vertex_adds_.resize(own_nodes_);
  if (plan.problem().time.linear_follows) {
    const ResidualScales scales =
        residual_scales(plan.problem(), incidence_of(plan.problem().mesh->tetrahedra, nodes()));
    inverse_volume_ = uploaded(backend, scales.inverse_volume);
    inverse_diffusion_ = uploaded(backend, scales.inverse_diffusion);
    inverse_diagonal_ = backend.allocate<Real>(own_nodes_);
  }
  for (const Index node : plan.problem().prescribed)
    if (node < own_nodes_) {
      prescribed_.push_back(node);
      prescribed_rows_.push_back(plan.subdomain.node_in_whole[node]);
    }
  const int here = prescribed_.empty() ? 0 : 1;
  int anywhere = 0;
  MPI_Allreduce(&here, &anywhere, 1, MPI_INT, MPI_MAX, PETSC_COMM_WORLD);
  any_prescribed_ = anywhere != 0;
  if (const NodalCells* nodal = plan.problem().nodal_cells.get())
    ionic_.emplace(backend, with_nodal_cells(plan.vertices, *nodal), nodal->cells, plan.problem().scaling());
  else if (const std::vector<IonicCell>* cells = as_ionic(plan.problem().cell_models))
    ionic_.emplace(backend, plan.vertices, *cells, plan.problem().scaling());
  make_matrix();
  make_solver();
}

void PetscStage::make_matrix() {
  const std::vector<Index>& in_whole = plan_.subdomain.node_in_whole;
  petsc(VecCreateGhost(PETSC_COMM_WORLD, own_nodes_, PETSC_DETERMINE, nodes() - own_nodes_,
                       in_whole.data() + own_nodes_, update_.out()));
  for (PetscVector* vector : {&negative_residual_, &diagonal_})
    petsc(VecCreateMPI(PETSC_COMM_WORLD, own_nodes_, PETSC_DETERMINE, vector->out()));
  petsc(MatCreate(PETSC_COMM_WORLD, matrix_.out()));
  petsc(MatSetSizes(matrix_, own_nodes_, own_nodes_, PETSC_DETERMINE, PETSC_DETERMINE));
  petsc(MatSetType(matrix_, MATAIJ));
  if (only_diagonal()) {
    preallocate_from_sparsity(true);
    petsc(MatDuplicate(matrix_, MAT_COPY_VALUES, diffusion_.out()));
    petsc(VecDuplicate(diagonal_, diffusion_diagonal_.out()));
    petsc(MatGetDiagonal(diffusion_, diffusion_diagonal_));
    petsc(VecCreateMPIWithArray(PETSC_COMM_WORLD, 1, own_nodes_, PETSC_DETERMINE, phi_.data(), phi_in_petsc_.out()));
  } else {
    for (const Tetrahedron& corner : plan_.problem().mesh->tetrahedra)
      for (const Index node : corner) {
        row_.push_back(node < own_nodes_ ? in_whole[node] : -1);
        column_.push_back(in_whole[node]);
      }
    const bool all_at_once = plan_.methods.insertion == PetscInsertion::coo;
    constexpr Index block = 128;  // 20 KiB of values
    elements_in_block_ = all_at_once ? plan_.elements() : std::min(block, plan_.elements());
    entry_values_.resize(16 * std::size_t(elements_in_block_));
    node_values_.resize(4 * std::size_t(elements_in_block_));
    for (const VecOption option : {VEC_IGNORE_NEGATIVE_INDICES, VEC_IGNORE_OFF_PROC_ENTRIES})
      petsc(VecSetOption(negative_residual_, option, PETSC_TRUE));
    if (all_at_once)
      preallocate_from_elements();
    else
      preallocate_from_sparsity(false);
  }
  for (const MatOption option :
       {MAT_SPD, MAT_NEW_NONZERO_LOCATION_ERR, MAT_KEEP_NONZERO_PATTERN, MAT_NO_OFF_PROC_ENTRIES})
    petsc(MatSetOption(matrix_, option, PETSC_TRUE));
}

void PetscStage::preallocate_from_sparsity(bool with_diffusion) {
  const Problem& problem = plan_.problem();
  const std::vector<Index>& in_whole = plan_.subdomain.node_in_whole;
  const Sparsity sparsity = build_sparsity(problem.mesh->tetrahedra, nodes(), in_whole);
  std::vector<PetscInt> column;
  for (Index entry = 0; entry < sparsity.row_begin[own_nodes_]; ++entry)
    column.push_back(in_whole[sparsity.column[entry]]);
  std::vector<Real> value;
  if (with_diffusion) value = diffusion_matrix(*problem.mesh, problem.diffusivity, sparsity);
  const Real* values = with_diffusion ? value.data() : nullptr;
  petsc(MatSeqAIJSetPreallocationCSR(matrix_, sparsity.row_begin.data(), column.data(), values));
  petsc(MatMPIAIJSetPreallocationCSR(matrix_, sparsity.row_begin.data(), column.data(), values));
}

void PetscStage::preallocate_from_elements() {
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

void PetscStage::make_solver() {
  petsc(KSPCreate(PETSC_COMM_WORLD, solver_.out()));
  petsc(KSPSetOperators(solver_, matrix_, matrix_));
  petsc(KSPSetType(solver_, KSPCG));
  petsc(KSPSetNormType(solver_, KSP_NORM_UNPRECONDITIONED));
  PC pc = nullptr;
  petsc(KSPGetPC(solver_, &pc));
  petsc(PCSetType(pc, plan_.methods.preconditioner == PetscPreconditioner::jacobi ? PCJACOBI : PCBJACOBI));
  petsc(KSPSetFromOptions(solver_));
}

void PetscStage::newton(ProcessesBackend::Repetition& repetition, const Real* old, Real* now) {
  states_old_ = old;
  states_ = now;
  cardiowarp::newton(backend_, repetition, &state()->newton, *this);
}

void PetscStage::linearize() {
  if (only_diagonal())
    multiply_diffusion();
  else
    insert_elements();
  if (plan_.weights().vertices > 0) {
    evaluate_vertices();
    add_vertices();
  }
  const auto watch = backend_.stopwatch(seconds_.assembly);
  if (any_prescribed_) eliminate_prescribed();
  MPI_Barrier(PETSC_COMM_WORLD);  // who inserts longest is waited for here and not in the solver's time
}

/// K and −R of the centroids. Elements are evaluated and inserted block by block, by set_values while their values are
/// in the cache.
void PetscStage::insert_elements() {
  {
    const auto watch = backend_.stopwatch(seconds_.assembly);
    petsc(MatZeroEntries(matrix_));
    petsc(VecSet(negative_residual_, 0));
  }
  const Problem& problem = plan_.problem();
  for (Index first = 0; first < plan_.elements(); first += elements_in_block_) {
    const Index end = std::min(first + elements_in_block_, plan_.elements());
    {
      const auto watch = backend_.stopwatch(seconds_.element);
      visit_cells(
          [&]<CellModel Cell>(const std::vector<Cell>& cells) {
            const MonodomainElements<Cell, InsertedBlock> evaluate{problem.mesh->tetrahedra.data(),
                                                                   problem.mesh->nodes.data(),
                                                                   problem.diffusivity.data(),
                                                                   cells.data(),
                                                                   problem.cell_model.data(),
                                                                   element_state(),
                                                                   {first, entry_values_.data(), node_values_.data()},
                                                                   plan_.weights().centroid};
            for (Index element = first; element < end; ++element) evaluate(element);
          },
          problem.cell_models);
    }
    const auto watch = backend_.stopwatch(seconds_.assembly);
    insert(first, end);
  }
  const auto watch = backend_.stopwatch(seconds_.assembly);
  petsc(MatAssemblyBegin(matrix_, MAT_FINAL_ASSEMBLY));
  petsc(VecAssemblyBegin(negative_residual_));
  petsc(MatAssemblyEnd(matrix_, MAT_FINAL_ASSEMBLY));
  petsc(VecAssemblyEnd(negative_residual_));
}

/// The values of a block.
void PetscStage::insert(Index first, Index end) {
  if (plan_.methods.insertion == PetscInsertion::coo) {
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

/// −R of diffusion, which alone couples nodes where there are no centroids.
void PetscStage::multiply_diffusion() {
  const auto watch = backend_.stopwatch(seconds_.assembly);
  petsc(MatMult(diffusion_, phi_in_petsc_, negative_residual_));
  petsc(VecScale(negative_residual_, -1));
}

/// Where there are no centroids its time is that of the assembly, as in DiagonalAssembly.
void PetscStage::evaluate_vertices() {
  const auto watch = backend_.stopwatch(only_diagonal() ? seconds_.assembly : seconds_.element);
  if (ionic_) {
    ionic_->evaluate(backend_, element_state());
    for (Index node = 0; node < own_nodes_; ++node) vertex_adds_[node] = ionic_->sums().evaluate(node);
    return;
  }
  visit_cells(
      [&]<CellModel Cell>(const std::vector<Cell>& cells) {
        const VertexPoints& points = plan_.vertices;
        const VertexReactions<Cell> reactions{points.begin.data(), points.cell_model.data(), points.volume.data(),
                                              cells.data(),        element_state(),          plan_.centroids()};
        backend_.for_each(own_nodes_, KeepVertexReactions<Cell>{reactions, vertex_adds_.data()});
      },
      plan_.problem().cell_models);
}

/// What the vertex points add: to the diagonal of K, and to −R.
void PetscStage::add_vertices() {
  const auto watch = backend_.stopwatch(seconds_.assembly);
  {
    const OwnValues diagonal(diagonal_), negative_residual(negative_residual_);
    for (Index node = 0; node < own_nodes_; ++node) {
      diagonal[node] = vertex_adds_[node].tangent;
      negative_residual[node] -= vertex_adds_[node].residual;
    }
  }
  if (only_diagonal()) petsc(VecAXPY(diagonal_, 1, diffusion_diagonal_));
  petsc(MatDiagonalSet(matrix_, diagonal_, only_diagonal() ? INSERT_VALUES : ADD_VALUES));
}

/// What AssemblyWithPrescribed does (assembly/prescribed_nodes.hpp).
void PetscStage::eliminate_prescribed() {
  petsc(MatZeroRowsColumns(matrix_, static_cast<PetscInt>(prescribed_rows_.size()), prescribed_rows_.data(), 1, nullptr,
                           nullptr));
  const OwnValues negative_residual(negative_residual_);
  for (const Index node : prescribed_) negative_residual[node] = 0;
}

void PetscStage::correct() {
  {
    const auto watch = backend_.stopwatch(seconds_.linear_solve);
    if (plan_.problem().time.linear_follows) set_linear_target();
    state()->cg.report = solve(state()->newton.forcing);
  }
  const auto watch = backend_.stopwatch(seconds_.update);
  update();
}

void PetscStage::set_linear_target() {
  petsc(MatGetDiagonal(matrix_, diagonal_));
  const OwnValues diagonal(diagonal_), negative_residual(negative_residual_);
  for (Index node = 0; node < own_nodes_; ++node) inverse_diagonal_.data()[node] = 1 / diagonal[node];
  backend_.maximum(own_nodes_, &state()->max_right_hand_side,
                   ErrorFromResidual{negative_residual.data(), inverse_volume_.data(), inverse_diffusion_.data(),
                                     inverse_diagonal_.data(), state()},
                   SetLinearTarget{state()});
}

/// As CgState does, a right-hand side whose squares would vanish or overflow is multiplied by a power of two.
CgReport PetscStage::solve(const Forcing& forcing) {
  Real norm = 0;
  petsc(VecNorm(negative_residual_, NORM_2, &norm));
  const Real scale = scale_for_squares(norm * norm);
  if (scale == 1) return solve_scaled(forcing);
  petsc(VecScale(negative_residual_, scale));
  CgReport report = solve_scaled(forcing.scaled(scale));
  petsc(VecScale(update_, 1 / scale));
  report.rhs_norm /= scale;
  report.residual_norm /= scale;
  return report;
}

/// The stopping test is that of conjugate_gradient(): |r| <= tolerance |b| from x = 0, r unpreconditioned.
CgReport PetscStage::solve_scaled(const Forcing& forcing) {
  const CgConfig& config = plan_.problem().linear_solver;
  CgReport report;
  petsc(VecNorm(negative_residual_, NORM_2, &report.rhs_norm));
  const Real tolerance = std::fmax(config.relative_tolerance, forcing(report.rhs_norm));
  if (tolerance >= 1) {  // x = 0 will do; PETSc wants less
    petsc(VecSet(update_, 0));
    report.residual_norm = report.rhs_norm;
    report.status = std::isfinite(report.rhs_norm) ? CgStatus::converged : CgStatus::not_finite;
    return report;
  }
  petsc(KSPSetTolerances(solver_, tolerance, 0, std::numeric_limits<Real>::max(), config.max_iterations));
  petsc(KSPSolve(solver_, negative_residual_, update_));
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  petsc(KSPGetConvergedReason(solver_, &reason));
  petsc(KSPGetIterationNumber(solver_, &report.iterations));
  petsc(KSPGetResidualNorm(solver_, &report.residual_norm));
  report.status = status_of(reason, report.rhs_norm);
  return report;
}

/// φ += Δφ, where there is one, at the ghosts, too.
void PetscStage::update() {
  petsc(VecGhostUpdateBegin(update_, INSERT_VALUES, SCATTER_FORWARD));
  petsc(VecGhostUpdateEnd(update_, INSERT_VALUES, SCATTER_FORWARD));
  Vec with_ghosts = nullptr;
  const PetscScalar* change = nullptr;
  petsc(VecGhostGetLocalForm(update_, &with_ghosts));
  petsc(VecGetArrayRead(with_ghosts, &change));
  backend_.maximum(nodes(), &state()->max_update,
                   AddUpdate{phi_.data(), change, lowest_phi_.data(), &state()->cg.report},
                   EndNewtonIteration{state()});
  petsc(VecRestoreArrayRead(with_ghosts, &change));
  petsc(VecGhostRestoreLocalForm(update_, &with_ghosts));
}

}  // namespace cardiowarp
