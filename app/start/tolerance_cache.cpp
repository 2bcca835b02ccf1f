#include "app/start/tolerance_cache.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <system_error>

#include "app/checkpoint/checksum.hpp"
#include "app/files/cache_folder.hpp"
#include "app/process/build_info.hpp"
#include "app/process/log.hpp"
#include "fem/input_error.hpp"
#include "meshes/atomic_file.hpp"

namespace cardiowarp {
namespace {

/// All that the tolerance depends on, behind it in the file.
std::string with_program(const ToleranceCache& cache, const std::string& text) {
  return fmt::format("\n{} {}\n{}", build_info().version, cache.commit, text);
}

std::filesystem::path file_of(const ToleranceCache& cache, const std::string& text) {
  Checksum checksum;
  checksum.add(std::string_view(with_program(cache, text)));
  return cache.folder / fmt::format("{:016x}.txt", checksum.value());
}

/// Four numbers: the tolerance, the longest step, and the errors, `-` for one that was not asked for.
std::optional<StepTolerance> parse(const std::string& line) {
  std::istringstream in(line);
  std::string apd90;
  StepTolerance found;
  if (!(in >> found.tolerance >> found.max_step_ms >> found.errors.activation_percent >> apd90)) return std::nullopt;
  if (apd90 != "-") found.errors.apd90_ms = std::strtod(apd90.c_str(), nullptr);
  const bool is_possible =
      found.tolerance > 0 && found.tolerance < 1 && found.max_step_ms > 0 && std::isfinite(found.max_step_ms);
  return is_possible ? std::optional(found) : std::nullopt;
}

}  // namespace

std::optional<ToleranceCache> usual_tolerance_cache(const std::string& commit) {
  const bool says_all = commit.find_first_not_of("0123456789abcdef") == commit.npos && !commit.empty();
  if (!says_all) return std::nullopt;
  const std::string folder = cache_folder("accuracy");
  return folder.empty() ? std::nullopt : std::optional(ToleranceCache{folder, commit});
}

std::optional<StepTolerance> read_tolerance(const ToleranceCache& cache, const std::string& text) {
  std::ifstream in(file_of(cache, text));
  std::ostringstream content;
  content << in.rdbuf();
  const std::string all = content.str(), behind = with_program(cache, text);
  const std::size_t end = all.find('\n');
  if (!in || end == all.npos || all.substr(end) != behind) return std::nullopt;
  return parse(all.substr(0, end));
}

void keep_tolerance(const ToleranceCache& cache, const std::string& text, const StepTolerance& found) {
  try {
    std::error_code ignored;
    std::filesystem::create_directories(cache.folder, ignored);
    write_file_atomically(
        file_of(cache, text),
        fmt::format("{} {} {} {}{}", found.tolerance, found.max_step_ms, found.errors.activation_percent,
                    found.errors.apd90_ms ? fmt::format("{}", *found.errors.apd90_ms) : "-",
                    with_program(cache, text)));
  } catch (const InputError& error) {
    log_debug("the tolerance is not kept: {}", error.what());
  }
}

}  // namespace cardiowarp
