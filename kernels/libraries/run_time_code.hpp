#pragma once
#include <memory>
#include <optional>
#include <string>

namespace cardiowarp {

// Machine code for a GPU out of texts that are made while the program runs (run_time_compiler.hpp). A process compiles
// a text once: it remembers some hundred KB of code. Code is also kept for later runs where somebody has said in which
// way, which is for the program that knows of folders and messages.

/// The ingredients of code.
struct CodeSource {
  std::string what;      ///< in words, for messages: `the cells of ohara.cellml`
  std::string text;      ///< the text that is compiled
  std::string compiler;  ///< run_time_compiler()
};

/// Where code is kept for later runs. Nothing is thrown: what cannot be read or kept is not there.
class CodeStore {
 public:
  virtual ~CodeStore() = default;
  virtual std::optional<std::string> find(const CodeSource& source) = 0;
  /// Is told of code that was compiled, which took so long.
  virtual void keep(const CodeSource& source, const std::string& code, double seconds) = 0;
};

/// From here on code_for_gpu() asks this store before it compiles, and tells it what it has compiled.
void use_code_store(std::unique_ptr<CodeStore> store);

/// The code of a text: remembered, kept or compiled. `what` is CodeSource::what. Throws MissingLibrary and DeviceError
/// as compiled_for_gpu() does.
std::string code_for_gpu(const std::string& what, const std::string& text, int compute_capability);

}  // namespace cardiowarp
