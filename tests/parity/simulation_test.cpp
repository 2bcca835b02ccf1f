// Whole runs step by step: GPU against CPU, and one way to store the matrix against the other.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <vector>

#include "app/gpu.hpp"
#include "fem/mesh_check.hpp"
#include "meshes/generate.hpp"
#include "tests/support/gpu_test.hpp"
#include "tests/support/random_mesh.hpp"
#include "tests/support/single_run.hpp"

namespace cardiowarp {
namespace {

using GpuSimulation = GpuTest;

/// A wave from the lowest part of the mesh, by stimulus, with tight tolerances.
Problem wave_from_below(const Mesh& mesh, Real isotropic, Real anisotropic) {
  Problem problem = resting_problem(mesh, isotropic, anisotropic);
  Real lowest = mesh.nodes[0].z;
  for (const Vector3& node : mesh.nodes) lowest = std::min(lowest, node.z);
  Stimulus stimulus{{}, {0, 2}, scaled_stimulus(60)};
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i)
    if (mesh.nodes[i].z < lowest + 5) stimulus.nodes.push_back(static_cast<Index>(i));
  problem.stimuli.push_back(stimulus);
  return problem;
}

using Make = std::unique_ptr<Simulation> (*)(const Problem&);

/// The largest difference of potential over all nodes and steps is at most 1e-6 mV.
void expect_equal_runs(Problem problem, int steps, Real step_ms, Make make = make_gpu_simulation,
                       MatrixFormat format = MatrixFormat::automatic) {
  const auto cpu = make_cpu_simulation(problem);
  problem.format = format;
  const auto gpu = make(problem);
  const std::size_t nodes = problem.mesh->nodes.size(), elements = problem.mesh->tetrahedra.size();
  std::vector<Real> on_cpu(nodes), on_gpu(nodes), recovery_cpu(elements), recovery_gpu(elements);
  Real largest = 0, highest = -100;
  for (int step = 1; step <= steps; ++step) {
    ASSERT_FALSE(cpu->step_to(step * step_ms).failure);
    ASSERT_FALSE(gpu->step_to(step * step_ms).failure);
    cpu->potential_mv(on_cpu);
    gpu->potential_mv(on_gpu);
    for (std::size_t i = 0; i < nodes; ++i) largest = std::max(largest, std::fabs(on_cpu[i] - on_gpu[i]));
    highest = std::max(highest, *std::max_element(on_cpu.begin(), on_cpu.end()));
  }
  std::printf("%zu nodes, %d steps: largest difference %.2e mV\n", nodes, steps, largest);
  EXPECT_GT(highest, 0);  // a wave ran
  EXPECT_LE(largest, 1e-6);
  cpu->recovery(recovery_cpu);
  gpu->recovery(recovery_gpu);
  for (std::size_t e = 0; e < elements; ++e) ASSERT_NEAR(recovery_cpu[e], recovery_gpu[e], 1e-8);
  cpu->activation_time_ms(on_cpu);
  gpu->activation_time_ms(on_gpu);
  for (std::size_t i = 0; i < nodes; ++i) ASSERT_NEAR(on_cpu[i], on_gpu[i], 1e-6);
}

TEST_F(GpuSimulation, OfASlabWithRandomFibresIsTheCpus) {
  const Mesh mesh = random_mesh({9, 6.5, 12}, 0.7, 21);
  expect_equal_runs(wave_from_below(mesh, 0.1, 0.3), 300, 0.2);
}

TEST_F(GpuSimulation, WithCompressedRowsIsTheCpus) {
  const Mesh mesh = random_mesh({9, 6.5, 12}, 0.7, 23);
  expect_equal_runs(wave_from_below(mesh, 0.1, 0.3), 100, 0.2, make_gpu_simulation, MatrixFormat::csr);
}

TEST(CpuSimulation, WithEllWarpIsTheOneWithCompressedRows) {
  const Mesh mesh = random_mesh({9, 6.5, 12}, 0.5, 24);
  ASSERT_GT(mesh.nodes.size(), 2u * StoredAsEllWarp::window);
  expect_equal_runs(wave_from_below(mesh, 0.1, 0.3), 100, 0.2, make_cpu_simulation, MatrixFormat::k1r);
}

TEST_F(GpuSimulation, OfTheDefaultHeartIsTheCpus) {
  Mesh mesh = biventricle_mesh(3);
  check_mesh(mesh);
  expect_equal_runs(wave_from_below(mesh, 1, 0), 500, 0.2);
}

TEST_F(GpuSimulation, OfAHumanBiventricleIsTheCpus) {
  const std::filesystem::path surface = CARDIOWARP_SHARED_MESHES "/human_biventricle_surface.vtp";
  if (!std::filesystem::exists(surface)) GTEST_SKIP() << surface << " is not there";
  Mesh mesh = fill_surface(surface, 0);
  check_mesh(mesh);
  expect_equal_runs(wave_from_below(mesh, 1, 0), 200, 0.2);
}

TEST_F(GpuSimulation, IsTheSameBitForBitInTwoRuns) {
  const Mesh mesh = random_mesh({9, 6.5, 12}, 0.5, 22);
  const Problem problem = wave_from_below(mesh, 0.1, 0.3);
  const auto one = make_gpu_simulation(problem), other = make_gpu_simulation(problem);
  std::vector<Real> first(mesh.nodes.size()), second(mesh.nodes.size());
  for (int step = 1; step <= 100; ++step) {
    ASSERT_FALSE(one->step_to(step * 0.2).failure);
    ASSERT_FALSE(other->step_to(step * 0.2).failure);
    one->potential_mv(first);
    other->potential_mv(second);
    ASSERT_TRUE(first == second) << "step " << step;
  }
  EXPECT_GT(*std::max_element(first.begin(), first.end()), 0);
}

}  // namespace
}  // namespace cardiowarp
