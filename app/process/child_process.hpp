#pragma once
#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace cardiowarp {

/// Runs the program `words[0]`, a path, with the other words as arguments and `environment` (NAME=VALUE), without a
/// shell, on the processors that this program's threads have. What it prints is thrown away, its errors go to the file
/// `errors`. Its exit code, 128 + the signal that ended it; nothing where `stop_requested` became true and it was ended
/// for that: with SIGTERM to its process group, and SIGKILL where that has not ended it after `grace`. Throws
/// InputError where it cannot be started.
std::optional<int> run_child(const std::vector<std::string>& words, const std::vector<std::string>& environment,
                             const std::filesystem::path& errors, const std::function<bool()>& stop_requested,
                             std::chrono::milliseconds grace = std::chrono::seconds(5));

/// The file of this name in the folders of PATH that may be executed; empty where there is none.
std::filesystem::path program_in_path(const std::string& name);

}  // namespace cardiowarp
