#include "app/start/code_cache.hpp"

#include <fmt/format.h>

#include <memory>
#include <string_view>
#include <system_error>

#include "app/checkpoint/checksum.hpp"
#include "app/files/cache_folder.hpp"
#include "app/files/regular_file.hpp"
#include "app/process/build_info.hpp"
#include "app/process/log.hpp"
#include "fem/input_error.hpp"
#include "meshes/atomic_file.hpp"

namespace cardiowarp {
namespace {

std::uint64_t checksum_of(std::initializer_list<std::string_view> texts) {
  Checksum checksum;
  for (const std::string_view text : texts) checksum.add(text);
  return checksum.value();
}

/// All that code depends on.
std::string made_of(const CodeSource& source) {
  return fmt::format("cardiowarp {}\n{}\n{}", build_info().version, source.compiler, source.text);
}

/// What stands before the code in a file: lengths and a checksum of all, and what it was made of.
std::string head_of(const std::string& made_of, std::string_view code) {
  return fmt::format("code {} {} {:016x}\n{}", made_of.size(), code.size(), checksum_of({made_of, code}), made_of);
}

/// The code in a file that was made of this. Throws InputError with the reason where there is none.
std::string read_code(const std::filesystem::path& path, const std::string& made_of) {
  const RegularFile file(path);
  constexpr std::size_t longest_line = 80, most_code = std::size_t{64} << 20;
  if (file.bytes() > made_of.size() + longest_line + most_code)
    throw InputError(fmt::format("it has {} bytes", file.bytes()));
  std::string all;
  file.read(file.bytes(), [&](std::string_view piece) { all += piece; });
  const std::size_t before = all.find('\n');
  if (before == all.npos || all.size() < before + 1 + made_of.size()) throw InputError("it is damaged");
  std::string code = all.substr(before + 1 + made_of.size());
  if (all != head_of(made_of, code) + code) throw InputError("it is damaged");
  return code;
}

}  // namespace

std::filesystem::path CodeCache::file_of(const CodeSource& source) const {
  return folder_ / fmt::format("{:016x}.code", checksum_of({made_of(source)}));
}

std::optional<std::string> CodeCache::find(const CodeSource& source) {
  if (folder_.empty()) return std::nullopt;
  const std::filesystem::path file = file_of(source);
  std::error_code ignored;
  if (std::filesystem::symlink_status(file, ignored).type() == std::filesystem::file_type::not_found)
    return std::nullopt;
  try {
    return read_code(file, made_of(source));
  } catch (const InputError& reason) {
    log_warn("code that is kept in '{}' is made anew: {}", file.string(), reason.what());
    return std::nullopt;
  }
}

void CodeCache::keep(const CodeSource& source, const std::string& code, double seconds) {
  log_info("{} are compiled for the GPU, which took {:.1f} s", source.what, seconds);
  if (folder_.empty()) return;
  try {
    std::error_code ignored;
    std::filesystem::create_directories(folder_, ignored);
    write_file_atomically(file_of(source), head_of(made_of(source), code) + code);
  } catch (const InputError& error) {
    log_debug("code is not kept: {}", error.what());
  }
}

void use_code_cache() { use_code_store(std::make_unique<CodeCache>(cache_folder("code"))); }

}  // namespace cardiowarp
