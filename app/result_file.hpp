#pragma once
#include <filesystem>
#include <vector>

namespace cardiowarp {

/// Refuses a result file that could not be written, or is one of the files to be read, before minutes are spent on its
/// content; an empty name is no file. Throws InputError that begins with `option`.
void require_writable(const char* option, const std::filesystem::path& file,
                      const std::vector<std::filesystem::path>& inputs);

}  // namespace cardiowarp
