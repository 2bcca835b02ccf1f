#include "solver/newton.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/backend/cpu_backend.hpp"
#include "solver/cg/conjugate_gradient.hpp"
#include "tests/support/row_matrix.hpp"

namespace cardiowarp {
namespace {

using test::laplacian, test::RowMatrix;

/// A linear system of a Newton iteration, solved, and max |Δ|.
struct Correction {
  CgReport linear;
  Real max_update = 0;
};

/// A system whose correct(forcing) makes a Correction, as newton() wants it, and the updates it made.
template <class System>
struct Stepped : System {
  explicit Stepped(const System& system) : System(system) {}
  NewtonReport newton(const NewtonConfig& config) {
    state.begin(config);
    cardiowarp::newton(backend, repetition, &state, *this);
    return state.report;
  }
  void correct() {
    const Correction correction = System::correct(state.forcing);
    updates.push_back(correction.max_update);
    state.end_iteration(correction.linear, correction.max_update);
  }
  CpuBackend backend;
  CpuBackend::Repetition repetition;
  NewtonState state;
  std::vector<Real> updates;
};

/// x² = 2 by Newton, linear solve exact.
struct SquareRoot {
  Real x, slope = 0, residual = 0;
  CgStatus linear_status = CgStatus::converged;
  void linearize() {
    residual = x * x - 2;
    slope = 2 * x;
  }
  Correction correct(const Forcing&) {
    const Real update = -residual / slope;
    x += update;
    return {{linear_status, 1, std::fabs(residual), 0}, std::fabs(update)};
  }
};

TEST(Newton, FindsTheSquareRootAndSquaresItsErrors) {
  Stepped system(SquareRoot{3});
  const NewtonReport report = system.newton({1e-12, 20});
  ASSERT_TRUE(report.converged());
  EXPECT_DOUBLE_EQ(system.x, std::sqrt(2.0));
  EXPECT_EQ(report.linear_iterations, report.iterations);
  EXPECT_EQ(report.max_update, system.updates.back());
  ASSERT_EQ(system.updates.size(), static_cast<std::size_t>(report.iterations));
  for (std::size_t k = 2; k + 1 < system.updates.size(); ++k)
    EXPECT_LT(system.updates[k], std::pow(system.updates[k - 1], 2));
}

TEST(Newton, ReportsTheIterationLimit) {
  Stepped system(SquareRoot{1e6});
  const NewtonReport report = system.newton({1e-12, 3});
  EXPECT_EQ(report.status, NewtonStatus::iteration_limit);
  EXPECT_EQ(report.iterations, 3);
  EXPECT_EQ(system.newton({1e-12, 0}).iterations, 0);
}

TEST(Newton, StopsWhenTheLinearSolverFails) {
  Stepped system(SquareRoot{3});
  system.linear_status = CgStatus::not_positive_definite;
  EXPECT_EQ(system.newton({1e-12, 20}).status, NewtonStatus::linear_solver_failed);
  system.linear_status = CgStatus::not_finite;
  EXPECT_EQ(system.newton({1e-12, 20}).status, NewtonStatus::not_finite);
}

TEST(Newton, StopsAtOnceWhenTheIterateIsNotFinite) {
  Stepped system(SquareRoot{0});  // slope 0
  const NewtonReport report = system.newton({1e-12, 20});
  EXPECT_EQ(report.status, NewtonStatus::not_finite);
  EXPECT_EQ(report.iterations, 1);
}

TEST(Forcing, FollowsTheSquareOfTheResidualsBetweenItsBounds) {
  EXPECT_EQ(Forcing{}(3), 0);           // none
  EXPECT_EQ((Forcing{1e-2}(3)), 1e-2);  // the first iteration
  EXPECT_DOUBLE_EQ((Forcing{1e-2, 1000}(3)), 0.9 * 9e-6);
  EXPECT_EQ((Forcing{1e-2, 4}(3)), 1e-2);                 // slow convergence: not looser than the first
  EXPECT_DOUBLE_EQ((Forcing{1e-2, 1e6, 6e-4}(3)), 2e-4);  // |r| = 6e-4 is enough
  EXPECT_EQ((Forcing{1e-2, 1e6, 6}(3)), 1e-2);
}

TEST(Forcing, LetsConjugateGradientsStopAtTheLargerTolerance) {
  const Index n = 97;
  const auto A = laplacian(n, 0.1);
  std::vector<Real> r, x(n), inverse(n, 1 / 2.1);
  CpuBackend backend;
  const auto solve = [&](const CgConfig& config, const Forcing& forcing) {
    r.assign(n, 1);
    return conjugate_gradient(backend, RowMatrix<decltype(A)>{A, n}, JacobiPreconditioner{inverse.data()},
                              {n, r.data(), x.data()}, config, &forcing);
  };
  const CgReport tight = solve({1e-10, 1000}, {}), loose = solve({1e-10, 1000}, {1e-3});
  EXPECT_LE(loose.residual_norm, 1e-3 * loose.rhs_norm);
  EXPECT_GT(loose.residual_norm, 1e-5 * loose.rhs_norm);
  EXPECT_LT(loose.iterations, tight.iterations);
  EXPECT_EQ(solve({1e-2, 1000}, {1e-3}).iterations, solve({1e-2, 1000}, {}).iterations);
}

/// A u + exp(u) / 10 = 0 with A as conditioned as the matrix of a time step; each system by conjugate gradients.
struct Exponential {
  explicit Exponential(Index points) : n(points), u(points, 3) {
    for (std::vector<Real>* vector : {&residual, &update, &inverse_diagonal}) vector->resize(points);
  }
  Real reaction(Index i) const { return std::exp(u[i]) / 10; }
  void linearize() {
    for (Index i = 0; i < n; ++i) {
      residual[i] = -laplacian(n, 0.5)(i, u.data()) - reaction(i);
      inverse_diagonal[i] = 1 / (2.5 + reaction(i));
    }
  }
  Correction correct(const Forcing& forcing) {
    const auto tangent = [this](Index i, const Real* x) { return laplacian(n, 0.5)(i, x) + reaction(i) * x[i]; };
    CpuBackend backend;
    const CgReport report = conjugate_gradient(backend, RowMatrix<decltype(tangent)>{tangent, n},
                                               JacobiPreconditioner{inverse_diagonal.data()},
                                               {n, residual.data(), update.data()}, {1e-13, 10000}, &forcing);
    Real largest = 0;
    for (Index i = 0; i < n; ++i) {
      u[i] += update[i];
      largest = std::max(largest, std::fabs(update[i]));
    }
    return {report, largest};
  }
  Index n;
  std::vector<Real> u, residual, update, inverse_diagonal;
};

TEST(Newton, WithForcingEndsWithinItsToleranceInFewerLinearIterations) {
  Stepped exact(Exponential(97));
  ASSERT_TRUE(exact.newton({1e-13, 50, ForcingChoice::fixed}).converged());
  for (const Real tolerance : {1e-3, 1e-5, 1e-7, 1e-9, 1e-11}) {
    Stepped inexact(Exponential(97)), tight(Exponential(97));
    const NewtonReport forced = inexact.newton({tolerance, 50, ForcingChoice::eisenstat_walker});
    const NewtonReport other = tight.newton({tolerance, 50, ForcingChoice::fixed});
    ASSERT_TRUE(forced.converged()) << tolerance;
    Real error = 0;
    for (Index i = 0; i < 97; ++i) error = std::max(error, std::fabs(inexact.u[i] - exact.u[i]));
    EXPECT_LE(error, 0.1 * tolerance) << tolerance;
    EXPECT_LT(forced.linear_iterations, other.linear_iterations) << tolerance;
  }
}

/// Two iterations, and what each was asked for.
struct Recording {
  std::vector<Forcing> asked;
  void linearize() {}
  Correction correct(const Forcing& forcing) {
    asked.push_back(forcing);
    const bool first = asked.size() == 1;
    return {{.iterations = 1, .rhs_norm = first ? 40.0 : 2.0}, first ? 0.5 : 0};
  }
};

TEST(Newton, AsksForTheNormBeforeAndForWhatTheToleranceCanShow) {
  Stepped system(Recording{});
  ASSERT_TRUE(system.newton({1e-6, 50}).converged());
  ASSERT_EQ(system.asked.size(), 2u);
  EXPECT_EQ(system.asked[0].previous_norm, 0);
  EXPECT_GT(system.asked[0].largest, 0);
  EXPECT_EQ(system.asked[1].previous_norm, 40);
  EXPECT_DOUBLE_EQ(system.asked[1].enough, 1e-3 * 1e-6 * 40 / 0.5);
}

/// Δ is halved in each iteration, whatever η: a system whose convergence is not quadratic.
struct Halving {
  Real update_value = 1;
  void linearize() {}
  Correction correct(const Forcing&) {
    const Real norm = update_value;
    return {{.iterations = 1, .rhs_norm = norm}, update_value /= 2};
  }
};

TEST(Newton, DoesNotEndByAPredictionThatTheUpdatesDoNotBearOut) {
  Stepped system(Halving{});
  EXPECT_TRUE(system.newton({1e-6, 50}).converged());
  EXPECT_LE(system.update_value, 1e-6);
}

/// A system that converges from a weight of 0 alone, and what was done to it.
struct BadExtrapolation {
  std::vector<Real> weights;
  void start(Real weight) { weights.push_back(weight); }
  NewtonReport newton() const {
    const bool is_good = weights.back() == 0;
    return {.status = is_good ? NewtonStatus::converged : NewtonStatus::not_finite,
            .linear = {},
            .iterations = is_good ? 2 : 1,
            .linear_iterations = 7};
  }
};

TEST(NewtonFrom, StartsAgainFromTheStateBeforeTheStepWhereTheExtrapolatedOneFailed) {
  BadExtrapolation system;
  const NewtonReport report = newton_from(system, 0.5);
  EXPECT_TRUE(report.converged());
  EXPECT_EQ(system.weights, (std::vector<Real>{0.5, 0}));
  EXPECT_EQ(report.iterations, 3);
  EXPECT_EQ(report.linear_iterations, 14);
}

TEST(NewtonFrom, StartsOnceWhereThereWasNothingToExtrapolate) {
  BadExtrapolation system;
  EXPECT_EQ(newton_from(system, 0).iterations, 2);
  EXPECT_EQ(system.weights, (std::vector<Real>{0}));
}

}  // namespace
}  // namespace cardiowarp
