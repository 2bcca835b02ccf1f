#include "app/files/result_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <map>
#include <system_error>

#include "fem/input_error.hpp"
#include "meshes/atomic_file.hpp"

namespace cardiowarp {

namespace fs = std::filesystem;

fs::path canonical_path(const fs::path& path) {
  std::error_code error;
  const fs::path canonical = fs::weakly_canonical(path, error);
  const fs::path absolute = fs::absolute(error ? path : canonical, error);
  if (error) throw InputError(fmt::format("'{}': the working directory is gone: {}", path.string(), error.message()));
  return absolute.lexically_normal();
}

fs::path expand_home(const fs::path& path) {
  if (path.empty() || *path.begin() != "~") return path;
  const char* home = std::getenv("HOME");
  if (!home || *home == 0)
    throw InputError(fmt::format("'{}': ~ is the folder in $HOME, which is not set", path.string()));
  return fs::path(home) / path.lexically_relative("~");
}

fs::path existing_folder(const fs::path& folder) {
  std::error_code error;
  fs::path existing = canonical_path(folder);
  while (fs::symlink_status(existing, error).type() == fs::file_type::not_found && existing.has_relative_path())
    existing = existing.parent_path();
  return existing;
}

std::string why_not_writable(const fs::path& folder) {
  const fs::path wanted = canonical_path(folder), existing = existing_folder(folder);
  std::error_code error;
  const auto because = [](const fs::path& path, int system_error) {
    return fmt::format("'{}': {}", path.string(), std::generic_category().message(system_error));
  };
  const fs::file_status status = fs::status(existing, error);
  if (!fs::is_directory(status) && status.type() != fs::file_type::none)  // not found: a link that leads nowhere
    return existing == wanted
               ? fmt::format("'{}' is no directory", existing.string())
               : fmt::format("'{}' cannot be made: '{}' is no directory", wanted.string(), existing.string());
  if (access(existing.c_str(), W_OK | X_OK) != 0) return because(existing, errno);
  const long longest = pathconf(existing.c_str(), _PC_NAME_MAX);
  for (const fs::path& name : wanted.lexically_relative(existing))
    if (longest > 0 && name.native().size() > static_cast<std::size_t>(longest)) return because(wanted, ENAMETOOLONG);
  return "";
}

void require_writable(const char* option, const fs::path& file, const std::vector<fs::path>& inputs) {
  if (file.empty()) return;
  std::error_code error;
  const fs::path folder = fs::absolute(file, error).parent_path();
  if (!fs::is_directory(folder, error)) throw InputError(fmt::format("{}: no folder '{}'", option, folder.string()));
  for (const fs::path& input : inputs)
    if (fs::equivalent(file, input, error))
      throw InputError(fmt::format("{}: '{}' is a file to be read", option, file.string()));
  if (const std::string reason = why_not_writable(folder); !reason.empty())
    throw InputError(fmt::format("{}: cannot write '{}': {}", option, file.string(), reason));
  try {
    require_replaceable(file);
  } catch (const InputError& reason) {
    throw InputError(fmt::format("{}: {}", option, reason.what()));
  }
}

void require_writable_folder(const char* option, const fs::path& folder, const std::vector<std::string>& names,
                             const std::vector<fs::path>& inputs) {
  std::error_code ignored;
  if (const std::string reason = why_not_writable(folder); !reason.empty())
    throw InputError(fmt::format("{}: {}", option, reason));
  if (!fs::is_directory(folder, ignored)) return;
  for (const std::string& name : names) require_writable(option, folder / name, inputs);
}

void require_unlike(const std::vector<std::pair<const char*, fs::path>>& results) {
  std::map<fs::path, const char*> taken;
  for (const auto& [option, file] : results) {
    std::error_code ignored;
    if (file.empty()) continue;
    const auto [first, added] = taken.emplace(fs::weakly_canonical(fs::absolute(file, ignored), ignored), option);
    if (!added)
      throw InputError(
          fmt::format("{}: expected another file than {} has, got '{}'", option, first->second, file.string()));
  }
}

}  // namespace cardiowarp
