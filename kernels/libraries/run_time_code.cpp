#include "kernels/libraries/run_time_code.hpp"

#include <chrono>
#include <map>
#include <mutex>
#include <utility>

#include "kernels/libraries/run_time_compiler.hpp"

namespace cardiowarp {
namespace {

/// The codes of this process, by compiler and text.
struct KnownCode {
  std::mutex mutex;
  std::map<std::pair<std::string, std::string>, std::string> codes;
  std::unique_ptr<CodeStore> store;
};

KnownCode& known_code() {
  static KnownCode known;
  return known;
}

std::string found_or_compiled(const CodeSource& source, int compute_capability, CodeStore* store) {
  if (store)
    if (std::optional<std::string> kept = store->find(source)) return *std::move(kept);
  const auto begin = std::chrono::steady_clock::now();
  std::string code = compiled_for_gpu(source.text, compute_capability);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  if (store) store->keep(source, code, taken.count());
  return code;
}

}  // namespace

void use_code_store(std::unique_ptr<CodeStore> store) {
  KnownCode& known = known_code();
  const std::lock_guard lock(known.mutex);
  known.store = std::move(store);
}

std::string code_for_gpu(const std::string& what, const std::string& text, int compute_capability) {
  const CodeSource source{what, text, run_time_compiler(compute_capability)};
  KnownCode& known = known_code();
  const std::lock_guard lock(known.mutex);
  const std::pair key{source.compiler, source.text};
  if (const auto place = known.codes.find(key); place != known.codes.end()) return place->second;
  return known.codes[key] = found_or_compiled(source, compute_capability, known.store.get());
}

}  // namespace cardiowarp
