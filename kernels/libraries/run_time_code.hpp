#pragma once
#include <memory>
#include <optional>
#include <string>

namespace cardiowarp {

// Machine code for a GPU out of texts that are made while the program runs (run_time_compiler.hpp). A process compiles
// a text once: it remembers some hundred KB of code. Where use_code_store() has named a store, code is kept for later
// runs, too; the program has one, as it knows of folders and messages.

/// A text, and all else that its code depends on.
struct CodeSource {
  std::string what;      ///< in words, for messages: `the cells of ohara.cellml`
  std::string text;      ///< the text that is compiled
  std::string compiler;  ///< run_time_compiler()
};

/// Keeps code for later runs. It throws nothing: code that cannot be read counts as absent.
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
