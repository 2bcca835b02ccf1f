// The bounds of the spectrum that a polynomial preconditioner finds and keeps, against every matrix of a whole beat.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <vector>

#include "app/simulation/implicit_stage.hpp"
#include "kernels/backend/cpu_backend.hpp"
#include "meshes/generate.hpp"
#include "solver/cg/conjugate_gradient.hpp"
#include "solver/preconditioners/polynomial_preconditioner.hpp"
#include "tests/support/single_run.hpp"

namespace cardiowarp {
namespace {

/// Whether c D − K is positive definite, that is, whether no eigenvalue of D⁻¹ K reaches c: by Cholesky's
/// factorization.
bool are_all_below(Real c, const CsrView& K) {
  const auto n = static_cast<std::size_t>(K.rows);
  std::vector<std::vector<Real>> L(n, std::vector<Real>(n));
  for (Index row = 0; row < K.rows; ++row)
    for (Index e = K.row_begin[row]; e < K.row_begin[row + 1]; ++e)
      L[row][K.column[e]] = (K.column[e] == row ? c - 1 : -1) * K.value[e];
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t k = 0; k < j; ++k) L[j][j] -= L[j][k] * L[j][k];
    if (!(L[j][j] > 0)) return false;
    L[j][j] = std::sqrt(L[j][j]);
    for (std::size_t i = j + 1; i < n; ++i) {
      for (std::size_t k = 0; k < j; ++k) L[i][j] -= L[i][k] * L[j][k];
      L[i][j] /= L[j][j];
    }
  }
  return true;
}

/// Steps of backward Euler whose linear systems are solved with a polynomial, one system at a time.
class Beat {
 public:
  Beat(const Problem& problem, const PolynomialOptions& options, Real step)
      : plan_(plan_as_numbered(problem)),
        nodes_(plan_.sparsity.rows()),
        step_(step),
        stiffness_(make_global_matrix(backend_, plan_.sparsity, plan_.matrix)),
        assembly_(make_assembly(backend_, plan_)),
        products_{stiffness_.get(), stiffness_->value()},
        inverse_diagonal_(nodes_),
        mass_(backend_, nodes_, products_, options, inverse_diagonal_.data()),
        phi_(problem.phi),
        load_(nodes_),
        residual_(nodes_),
        change_(nodes_),
        states_(problem.states),
        states_now_(problem.states) {
    assembly_->begin(backend_, *stiffness_);
  }

  /// A step; look(K, bounds) sees each of its systems.
  template <class Look>
  void advance(const Look& look) {
    for (Index i = 0; i < nodes_; ++i) load_[i] = phi_[i] / step_;
    for (int iteration = 0; iteration < 20; ++iteration) {
      assembly_->evaluate_elements(
          backend_, {phi_.data(), load_.data(), states_.data(), states_now_.data(), &step_, plan_.points()});
      assembly_->assemble(backend_, *stiffness_, phi_.data(), residual_.data(), inverse_diagonal_.data());
      mass_.follow_matrix(&last_);
      look(CsrView{nodes_, plan_.sparsity.row_begin.data(), plan_.sparsity.column.data(), stiffness_->value()},
           mass_.bounds());
      last_.report = conjugate_gradient(backend_, products_, mass_.preconditioner(),
                                        {nodes_, residual_.data(), change_.data()}, {1e-10, 500});
      ASSERT_EQ(last_.report.status, CgStatus::converged);
      Real largest = 0;
      for (Index i = 0; i < nodes_; ++i) {
        phi_[i] += change_[i];
        largest = std::max(largest, std::fabs(change_[i]));
      }
      if (largest < 1e-9) break;
    }
    states_.swap(states_now_);
  }

  const std::vector<Real>& phi() const { return phi_; }
  int renewals() const { return mass_.renewals(); }

 private:
  using Products = MatrixWithValues<GlobalMatrix<CpuBackend>, Real>;

  CpuBackend backend_;
  SimulationPlan plan_;
  Index nodes_;
  Real step_;
  std::unique_ptr<GlobalMatrix<CpuBackend>> stiffness_;
  std::unique_ptr<Assembly<CpuBackend>> assembly_;
  Products products_;
  std::vector<Real> inverse_diagonal_;
  PolynomialPreconditioner<CpuBackend, Products> mass_;
  std::vector<Real> phi_, load_, residual_, change_, states_, states_now_;
  CgState last_{};
};

TEST(BoundsOfTheSpectrum, AreAboveAllEigenvaluesThroughABeatThoughRenewedSeldom) {
  const Mesh mesh = slab_mesh({20, 2, 1}, 1, true);
  for (const Real step_ms : {0.2, 1.0}) {
    Problem problem = resting_problem(mesh, 1, 0);
    for (std::size_t i = 0; i < mesh.nodes.size(); ++i)
      if (mesh.nodes[i].x < 4) problem.phi[i] = 1;
    Beat beat(problem, {}, AlievPanfilov::scaling.tau_from_ms(step_ms));
    int systems = 0;
    Real highest = 0, lowest_after = 1;
    for (Real t_ms = 0; t_ms < 450; t_ms += step_ms) {
      beat.advance([&](const CsrView& K, const SpectrumBounds& bounds) {
        ++systems;
        if (systems % 7 == 0 || t_ms < 40) {
          ASSERT_TRUE(are_all_below(bounds.upper * (1 + 1e-9), K)) << t_ms << " ms, " << bounds.upper;
        }
      });
      if (HasFatalFailure()) return;
      highest = std::max(highest, *std::min_element(beat.phi().begin(), beat.phi().end()));
      if (t_ms > 400) lowest_after = *std::max_element(beat.phi().begin(), beat.phi().end());
    }
    EXPECT_GT(highest, 0.5);       // all of it has been activated,
    EXPECT_LT(lowest_after, 0.1);  // and has come back
    EXPECT_GT(systems, 800);
    EXPECT_LE(beat.renewals(), systems / 20);
    EXPECT_GE(beat.renewals(), 1);
  }
}

}  // namespace
}  // namespace cardiowarp
