#pragma once
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace cardiowarp {

// The conditions on the files and folders that the commands are to write, which are checked before minutes are spent on
// the content. Paths from the command line and the configuration are completed here, and an output that could not be
// written, or would replace an input, is refused. Nothing is made or changed here, and each refusal is an InputError.

/// Absolute, without `..` and links as far as folders can be entered. Throws InputError for a relative path where the
/// working directory has been removed.
std::filesystem::path canonical_path(const std::filesystem::path& path);

/// The path with the folder in $HOME for a leading `~`, as shells have it; another user's (`~name`) is not looked up.
/// Throws InputError where there is no $HOME.
std::filesystem::path expand_home(const std::filesystem::path& path);

/// The folder itself, or the nearest of those around it that exists, were it a file or a link that leads nowhere.
std::filesystem::path existing_folder(const std::filesystem::path& folder);

/// Why the user may not write into a folder that exists, or make one that does not; empty where nothing is known
/// against it.
std::string why_not_writable(const std::filesystem::path& folder);

/// Refuses a result file that could not be written, or is one of the files to be read, or is no regular file (device,
/// FIFO, folder, link), before minutes are spent on its content; an empty name is no file. Throws InputError that
/// begins with `option`.
void require_writable(const char* option, const std::filesystem::path& file,
                      const std::vector<std::filesystem::path>& inputs);

/// Refuses a folder into which files of these names could not be written, by the rules of require_writable(); the
/// folder need not exist. Throws InputError that begins with `option`.
void require_writable_folder(const char* option, const std::filesystem::path& folder,
                             const std::vector<std::string>& names, const std::vector<std::filesystem::path>& inputs);

/// Refuses result files of which one would replace another; empty names are no files. Throws InputError that begins
/// with the option of the later one.
void require_unlike(const std::vector<std::pair<const char*, std::filesystem::path>>& results);

}  // namespace cardiowarp
