#pragma once
#include <string>

#include "kernels/backend/device_error.hpp"

namespace cardiowarp {

/// A library of the CUDA toolkit, loaded and not linked: one program serves machines that have nothing of CUDA, where a
/// missing library must not keep it from starting. Never unloaded.
class CudaLibrary {
 public:
  /// `file` is of the major version that the caller has declarations of: with another one the functions need not have
  /// these parameters. It is looked for as the loader searches, then in the usual folders of a CUDA installation.
  /// `since` is the first CUDA with all functions that will be asked for. Throws MissingLibrary.
  CudaLibrary(std::string name, std::string file, std::string since);

  /// find(symbol, function, symbol, function, ..) of any number. Throws MissingLibrary where the library has no such
  /// function.
  template <class Function, class... More>
  void find(const char* symbol, Function& function, More&&... more) const {
    function = reinterpret_cast<Function>(address(symbol));
    if constexpr (sizeof...(more) > 0) find(more...);
  }

 private:
  void* address(const char* symbol) const;

  std::string name_, file_, since_;
  void* library_ = nullptr;
};

}  // namespace cardiowarp
