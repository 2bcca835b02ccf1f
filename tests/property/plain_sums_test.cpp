// Every assembly strategy on a slab, on the program's heart and on a human heart is the sum of its element matrices.

#include <gtest/gtest.h>

#include "kernels/backend/cpu_backend.hpp"
#include "tests/support/plain_sums.hpp"

namespace cardiowarp {
namespace {

TEST(EveryStrategy, IsTheSumOfTheElementsOfSlabs) {
  CpuBackend backend;
  for (const bool regular : {true, false})
    expect_plain_sums_of_every_strategy(backend, cpu_device(), slab_of_plain_sums(regular),
                                        {plain_sums_csr, plain_sums_k1rs});
}

TEST(EveryStrategy, IsTheSumOfTheElementsOfAHeart) {
  CpuBackend backend;
  expect_plain_sums_of_every_strategy(backend, cpu_device(), heart_of_plain_sums(), {plain_sums_csr, plain_sums_k1rs});
}

TEST(EveryStrategy, IsTheSumOfTheElementsOfAHumanHeart) {
  const auto heart = human_heart_of_plain_sums(CARDIOWARP_SHARED_MESHES "/human_biventricle_surface.vtp");
  if (!heart) GTEST_SKIP() << CARDIOWARP_SHARED_MESHES " has no surface of a human heart";
  CpuBackend backend;
  expect_plain_sums_of_every_strategy(backend, cpu_device(), *heart, {plain_sums_csr});
}

}  // namespace
}  // namespace cardiowarp
