#include "app/result_file.hpp"

#include <fmt/format.h>

#include "fem/input_error.hpp"

namespace cardiowarp {

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
