#include "app/result_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "fem/input_error.hpp"

namespace cardiowarp {

std::filesystem::path canonical_path(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::path canonical = std::filesystem::weakly_canonical(path, error);
  return std::filesystem::absolute(error ? path : canonical).lexically_normal();
}

std::filesystem::path existing_folder(const std::filesystem::path& folder) {
  std::error_code ignored;
  std::filesystem::path existing = canonical_path(folder);
  while (!std::filesystem::exists(existing, ignored) && existing.has_relative_path()) existing = existing.parent_path();
  return existing;
}

std::string why_not_writable(const std::filesystem::path& folder) {
  const std::filesystem::path existing = existing_folder(folder);
  std::error_code error;
  if (!std::filesystem::is_directory(existing, error) && !error)
    return fmt::format("'{}' is no directory", existing.string());
  if (access(existing.c_str(), W_OK | X_OK) == 0) return "";
  return fmt::format("'{}': {}", existing.string(), std::generic_category().message(errno));
}

void require_writable(const char* option, const std::filesystem::path& file,
                      const std::vector<std::filesystem::path>& inputs) {
  namespace fs = std::filesystem;
  if (file.empty()) return;
  const fs::path folder = fs::absolute(file).parent_path();
  if (!fs::is_directory(folder)) throw InputError(fmt::format("{}: no folder '{}'", option, folder.string()));
  if (fs::is_directory(file)) throw InputError(fmt::format("{}: '{}' is a folder", option, file.string()));
  for (const fs::path& input : inputs)
    if (fs::exists(file) && fs::exists(input) && fs::equivalent(file, input))
      throw InputError(fmt::format("{}: '{}' is a file to be read", option, file.string()));
}

}  // namespace cardiowarp
