#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "kernels/libraries/run_time_code.hpp"

namespace cardiowarp {

// Cells of CellML files that were compiled for a GPU, kept for later runs: each in a file that is named by a checksum
// of all that the code depends on and has that in it (the program's version, the compiler's, its options with the GPU's
// architecture, and the text that was compiled), the code, and a checksum of all. What is no such file or damaged
// counts as none, with a warning, and one that cannot be written is no error. Whoever wants code made anew removes the
// folder.

/// Tells in messages how long compiling takes, and keeps code in a folder, none where that is empty.
class CodeCache final : public CodeStore {
 public:
  explicit CodeCache(std::filesystem::path folder) : folder_(std::move(folder)) {}

  std::optional<std::string> find(const CodeSource& source) override;
  void keep(const CodeSource& source, const std::string& code, double seconds) override;
  /// Where the code of a text is, or would be.
  std::filesystem::path file_of(const CodeSource& source) const;

 private:
  std::filesystem::path folder_;
};

/// From here on code for a GPU is kept in cache_folder("code").
void use_code_cache();

}  // namespace cardiowarp
