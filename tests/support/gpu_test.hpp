#pragma once
#include <gtest/gtest.h>

#include "app/gpu.hpp"
#include "kernels/device_error.hpp"

namespace cardiowarp {

/// A test that needs a usable GPU: skipped, with the reason, where there is none.
class GpuTest : public testing::Test {
 protected:
  void SetUp() override {
    try {
      gpu_name();
    } catch (const DeviceError& error) {
      GTEST_SKIP() << error.what();
    }
  }
};

}  // namespace cardiowarp
