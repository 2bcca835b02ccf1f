#include <gtest/gtest.h>
#include <omp.h>

#include <vector>

#include "app/config/time_config.hpp"
#include "app/simulation/time_stepper.hpp"
#include "solver/preconditioners/block_jacobi.hpp"
#include "tests/support/all_cell_models.hpp"
#include "tests/support/random_mesh.hpp"
#include "tests/support/second_order_schemes.hpp"
#include "tests/support/single_run.hpp"

namespace cardiowarp {
namespace {

struct State {
  std::vector<Real> potential, recovery, activation;
  std::vector<Real> ends_ms = {};  ///< of adaptive steps
};

/// 100 steps of a front that starts at one end, with every step's potential appended.
State run_front(const Mesh& mesh, PreconditionerChoice preconditioner, SolverPrecision precision) {
  Problem problem = resting_problem(mesh, 0.1, 0.3);
  problem.preconditioner = preconditioner;
  problem.precision = precision;
  problem.newton = {};
  problem.linear_solver = {1e-10, 1000};
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i)
    if (mesh.nodes[i].x < 2) problem.phi[i] = 1;
  const auto simulation = make_cpu_simulation(problem);
  State state;
  state.recovery.resize(mesh.tetrahedra.size());
  state.activation.resize(mesh.nodes.size());
  std::vector<Real> potential(mesh.nodes.size());
  for (int step = 1; step <= 100; ++step) {
    EXPECT_FALSE(simulation->step_to(step * 0.1).failure);
    simulation->potential_mv(potential);
    state.potential.insert(state.potential.end(), potential.begin(), potential.end());
  }
  simulation->state(0, state.recovery);
  simulation->activation_time_ms(state.activation);
  return state;
}

/// The ends of all adaptive steps that were tried and the potential after the last.
State run_adaptive(const Mesh& mesh, TimeScheme scheme) {
  Problem problem = resting_problem(mesh, 0.1, 0.3);
  problem.newton = {};
  problem.linear_solver = {1e-10, 1000};
  problem.quadrature = test::quadrature_for(scheme);
  if (scheme != TimeScheme::backward_euler) problem.time = {scheme, 1e-3, true, true};
  Stimulus stimulus{{}, {1, 2}, AlievPanfilov::scaling.stimulus(60)};
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i)
    if (mesh.nodes[i].x < 2) stimulus.nodes.push_back(static_cast<Index>(i));
  problem.stimuli.push_back(stimulus);
  const auto simulation = make_cpu_simulation(problem);
  TimeStepper stepper({10, 0.1, scheme, {.enabled = true}}, 3, problem.stimuli);
  while (!stepper.finished() && !stepper.advance(*simulation).failure) continue;
  State state;
  for (const StepAttempt& attempt : stepper.attempts()) state.ends_ms.push_back(attempt.end_ms);
  state.potential.resize(mesh.nodes.size());
  simulation->potential_mv(state.potential);
  return state;
}

void expect_the_same_for_any_number_of_threads(const Mesh& mesh, PreconditionerChoice preconditioner,
                                               SolverPrecision precision = SolverPrecision::double_precision) {
  const int threads_before = omp_get_max_threads();
  omp_set_num_threads(1);
  const State one = run_front(mesh, preconditioner, precision);
  EXPECT_GT(*std::max_element(one.activation.begin(), one.activation.end()), 1.0);  // the front moved
  for (const int threads : {1, 2, 3, 4}) {
    omp_set_num_threads(threads);
    const State other = run_front(mesh, preconditioner, precision);
    EXPECT_TRUE(other.potential == one.potential) << threads << " threads";
    EXPECT_TRUE(other.recovery == one.recovery) << threads << " threads";
    EXPECT_TRUE(other.activation == one.activation) << threads << " threads";
  }
  omp_set_num_threads(threads_before);
}

TEST(Simulation, HundredStepsAreTheSameBitForBitInTwoRunsAndForAnyNumberOfThreads) {
  const Mesh mesh = random_mesh({9, 6.5, 5}, 0.5, 4);
  ASSERT_GT(mesh.nodes.size(), 2048u);  // more than one block of a sum
  expect_the_same_for_any_number_of_threads(mesh, PreconditionerChoice::jacobi);
}

TEST(Simulation, InMixedPrecisionItIsTheSameBitForBitForAnyNumberOfThreads) {
  const Mesh mesh = random_mesh({9, 6.5, 5}, 0.5, 4);
  expect_the_same_for_any_number_of_threads(mesh, PreconditionerChoice::jacobi, SolverPrecision::mixed);
}

TEST(Simulation, InSinglePrecisionItIsTheSameBitForBitForAnyNumberOfThreads) {
  const Mesh mesh = random_mesh({9, 6.5, 5}, 0.5, 4);
  expect_the_same_for_any_number_of_threads(mesh, PreconditionerChoice::jacobi, SolverPrecision::single);
}

TEST(Simulation, WithBlockJacobiItIsTheSameBitForBitForAnyNumberOfThreads) {
  const Mesh mesh = random_mesh({9, 8, 7.5}, 0.5, 4);
  ASSERT_GT(mesh.nodes.size(), 2u * BlockJacobi::default_block_rows);  // three blocks
  expect_the_same_for_any_number_of_threads(mesh, PreconditionerChoice::block_jacobi);
}

void expect_adaptive_steps_the_same_for_any_number_of_threads(TimeScheme scheme) {
  const Mesh mesh = random_mesh({9, 6.5, 5}, 0.5, 4);
  const int threads_before = omp_get_max_threads();
  omp_set_num_threads(1);
  const State one = run_adaptive(mesh, scheme);
  EXPECT_EQ(one.ends_ms.back(), 10);
  EXPECT_GT(*std::max_element(one.potential.begin(), one.potential.end()), 0);
  for (const int threads : {1, 2, 3}) {
    omp_set_num_threads(threads);
    const State other = run_adaptive(mesh, scheme);
    EXPECT_TRUE(other.ends_ms == one.ends_ms) << threads << " threads";
    EXPECT_TRUE(other.potential == one.potential) << threads << " threads";
  }
  omp_set_num_threads(threads_before);
}

TEST(Simulation, AdaptiveStepsAreTheSameBitForBitForAnyNumberOfThreads) {
  expect_adaptive_steps_the_same_for_any_number_of_threads(TimeScheme::backward_euler);
}

template <class Cell>
class EveryCellModel : public testing::Test {};
TYPED_TEST_SUITE(EveryCellModel, test::AllCellModels, test::NameOfCellModel);

/// The potential after each of 60 steps of a front and all states at the end.
template <CellModel Cell>
std::vector<Real> front_of(const Mesh& mesh) {
  Problem problem = resting_problem<Cell>(mesh, 0.1, 0.3);
  problem.newton = {};
  problem.linear_solver = {1e-10, 1000};
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i)
    if (mesh.nodes[i].x < 2) problem.phi[i] = 1;
  const auto simulation = make_cpu_simulation(problem);
  std::vector<Real> all, potential(mesh.nodes.size()), state(mesh.tetrahedra.size());
  for (int step = 1; step <= 60; ++step) {
    EXPECT_FALSE(simulation->step_to(step * test::usual_step_ms<Cell>()).failure);
    simulation->potential_mv(potential);
    all.insert(all.end(), potential.begin(), potential.end());
  }
  for (std::size_t i = 0; i < Cell::states; ++i) {
    simulation->state(i, state);
    all.insert(all.end(), state.begin(), state.end());
  }
  return all;
}

TYPED_TEST(EveryCellModel, IsTheSameBitForBitForAnyNumberOfThreads) {
  const Mesh mesh = random_mesh({7, 6.5, 5}, 0.5, 4);
  ASSERT_GT(mesh.nodes.size(), 2048u);  // more than one block of a sum
  const int threads_before = omp_get_max_threads();
  omp_set_num_threads(1);
  const std::vector<Real> one = front_of<TypeParam>(mesh);
  EXPECT_GT(*std::max_element(one.begin(), one.end()), 0);
  for (const int threads : {1, 2, 3}) {
    omp_set_num_threads(threads);
    EXPECT_TRUE(front_of<TypeParam>(mesh) == one) << threads << " threads";
  }
  omp_set_num_threads(threads_before);
}

class SecondOrderSimulation : public testing::TestWithParam<TimeScheme> {};
INSTANTIATE_TEST_SUITE_P(Schemes, SecondOrderSimulation, test::second_order_schemes(), test::name_of_scheme_in_test);

TEST_P(SecondOrderSimulation, AdaptiveStepsAreTheSameBitForBitForAnyNumberOfThreads) {
  expect_adaptive_steps_the_same_for_any_number_of_threads(GetParam());
}

}  // namespace
}  // namespace cardiowarp
