#pragma once
#include <string>
#include <utility>
#include <vector>

namespace cardiowarp {

// The origin of this program: its version, the build type, the compiler, and the libraries with their versions. `info`
// and `--version` print it and `summary.json` keeps it, so that a result can be traced to the program that computed it.
// All of it is fixed when the program is compiled. The commit is not here but in commit.hpp.

/// The names and versions of all that this program was built from.
struct BuildInfo {
  std::string version, build_type, compiler;
  std::vector<std::pair<std::string, std::string>> libraries;  ///< name, version
};

BuildInfo build_info();

}  // namespace cardiowarp
