#include "app/build_info.hpp"

#include <fmt/core.h>
#include <gmsh.h>
#include <omp.h>
#include <spdlog/version.h>
#include <vtkVersionMacros.h>

#include "app/summary.hpp"

namespace cardiowarp {

BuildInfo build_info() {
  return {CARDIOWARP_VERSION,
          CARDIOWARP_BUILD_TYPE,
          compiler_version(),
          {{"VTK", VTK_VERSION},
           {"Gmsh", GMSH_API_VERSION},
           {"yaml-cpp", CARDIOWARP_YAML_CPP_VERSION},
           {"fmt", fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100)},
           {"spdlog", fmt::format("{}.{}.{}", SPDLOG_VER_MAJOR, SPDLOG_VER_MINOR, SPDLOG_VER_PATCH)},
           {"OpenMP", fmt::format("{}", _OPENMP)}}};
}

}  // namespace cardiowarp
