#include "app/process/build_info.hpp"

#include <fmt/core.h>
#include <gmsh.h>
#include <omp.h>
#include <spdlog/version.h>
#include <vtkVersionMacros.h>

namespace cardiowarp {
namespace {

/// `GCC 12.2.0`, `Clang 15.0.6`: what compiled this program.
std::string compiler_version() {
#if defined(__clang__)
  return fmt::format("Clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#elif defined(__GNUC__)
  return fmt::format("GCC {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#else
  return "unknown";
#endif
}

}  // namespace

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
