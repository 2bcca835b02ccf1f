#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace cardiowarp {

/// Absolute, without `..` and links as far as folders can be entered.
std::filesystem::path canonical_path(const std::filesystem::path& path);

/// The folder itself, or the nearest of those around it that exists.
std::filesystem::path existing_folder(const std::filesystem::path& folder);

/// Why the user may not write into a folder that exists, or make one that does not; empty where nothing is known
/// against it.
std::string why_not_writable(const std::filesystem::path& folder);

/// Refuses a result file that could not be written, or is one of the files to be read, before minutes are spent on its
/// content; an empty name is no file. Throws InputError that begins with `option`.
void require_writable(const char* option, const std::filesystem::path& file,
                      const std::vector<std::filesystem::path>& inputs);

}  // namespace cardiowarp
