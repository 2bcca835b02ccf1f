// Every assembly strategy on the device, on a slab, on the program's heart and on a human heart, is the sum of its
// element matrices.

#include <gtest/gtest.h>

#include "app/simulation/step_on_gpu.cuh"
#include "tests/support/gpu_test.hpp"
#include "tests/support/plain_sums.hpp"

namespace cardiowarp {
namespace {

using EveryStrategyOnAGpu = GpuTest;

TEST_F(EveryStrategyOnAGpu, IsTheSumOfTheElementsOfSlabs) {
  CudaBackend backend;
  for (const bool regular : {true, false})
    expect_plain_sums_of_every_strategy(backend, gpu_device(), slab_of_plain_sums(regular),
                                        {plain_sums_csr, plain_sums_k1rs});
}

TEST_F(EveryStrategyOnAGpu, IsTheSumOfTheElementsOfAHeart) {
  CudaBackend backend;
  expect_plain_sums_of_every_strategy(backend, gpu_device(), heart_of_plain_sums(), {plain_sums_csr, plain_sums_k1rs});
}

TEST_F(EveryStrategyOnAGpu, IsTheSumOfTheElementsOfAHumanHeart) {
  const auto heart = human_heart_of_plain_sums(CARDIOWARP_SHARED_MESHES "/human_biventricle_surface.vtp");
  if (!heart) GTEST_SKIP() << CARDIOWARP_SHARED_MESHES " has no surface of a human heart";
  CudaBackend backend;
  expect_plain_sums_of_every_strategy(backend, gpu_device(), *heart, {plain_sums_csr});
}

}  // namespace
}  // namespace cardiowarp
