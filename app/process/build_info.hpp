#pragma once
#include <string>
#include <utility>
#include <vector>

namespace cardiowarp {

/// What this program is made of.
struct BuildInfo {
  std::string version, build_type, compiler;
  std::vector<std::pair<std::string, std::string>> libraries;  ///< name, version
};

BuildInfo build_info();

}  // namespace cardiowarp
