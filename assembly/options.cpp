#include "assembly/options.hpp"

namespace cardiowarp {

std::string format_name(const MatrixOptions& options) {
  switch (options.format) {
    case MatrixFormat::automatic:
      return "auto";
    case MatrixFormat::csr:
      return "csr";
    case MatrixFormat::cusparse:
      return "cusparse";
    case MatrixFormat::ell_warp:
      break;
  }
  return ell_warp_name(options.ell_warp);
}

std::string strategy_name(const AssemblyOptions& options) {
  if (options.strategy == AssemblyStrategy::automatic) return "auto";
  if (options.strategy == AssemblyStrategy::scalar_gather) return "scalar_gather";
  return "spmv_" + ell_warp_name(options.ell_warp);
}

}  // namespace cardiowarp
