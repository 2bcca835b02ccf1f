#pragma once
#include <filesystem>
#include <optional>
#include <string>

namespace cardiowarp {

struct Config;

/// The options of `cardiowarp check`.
struct CheckOptions {
  std::optional<std::filesystem::path> from{};  ///< as of RunOptions
  std::string commit{};                         ///< likewise
};

/// The command `cardiowarp check`. It reads and checks the configuration and the mesh as `run` does, and prints what
/// that would compute, how, and with how much memory and disk. Nothing is computed or written. Throws InputError for
/// what `run` would refuse in its input.
void check(const Config& config, const CheckOptions& options = {});

}  // namespace cardiowarp
