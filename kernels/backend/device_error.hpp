#pragma once
#include <stdexcept>

namespace cardiowarp {

/// A GPU or a library that is asked for is not there, cannot be used or failed. The program ends with exit code 4.
class DeviceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A library that was asked for by name is not on this machine.
class MissingLibrary : public DeviceError {
 public:
  using DeviceError::DeviceError;
};

}  // namespace cardiowarp
