#pragma once
#include <gtest/gtest.h>

#include "app/simulation/gpu.hpp"
#include "kernels/backend/device_error.hpp"

namespace cardiowarp {

/// A fixture whose tests need a usable GPU: skipped, with the reason, where there is none.
template <class Fixture>
class OnAGpu : public Fixture {
 protected:
  void SetUp() override {
    try {
      gpu_device();
    } catch (const DeviceError& error) {
      GTEST_SKIP() << error.what();
    }
    Fixture::SetUp();
  }
};

using GpuTest = OnAGpu<testing::Test>;

}  // namespace cardiowarp
