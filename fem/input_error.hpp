#pragma once
#include <stdexcept>

namespace cardiowarp {

/// The input of a user is not valid: the message says where, what was found and what is expected. The program ends with
/// exit code 2 and has written nothing. The one exception type for user input (configuration, meshes, arguments).
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace cardiowarp
