#pragma once
#include <filesystem>
#include <string>

#include "app/process/log.hpp"
#include "fem/mesh.hpp"

namespace cardiowarp {

/// Logs what the reader and the check of a mesh found worth telling of its file.
inline void log_remarks(const Mesh& mesh, const std::filesystem::path& file) {
  for (const std::string& remark : mesh.remarks) log_info("{}: {}", file.string(), remark);
}

}  // namespace cardiowarp
