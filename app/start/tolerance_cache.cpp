#include "app/start/tolerance_cache.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <sstream>
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

/// All that the tolerance depends on, behind it in the file.
std::string with_program(const ToleranceCache& cache, const std::string& text) {
  return fmt::format("\n{} {}\n{}", build_info().version, cache.commit, text);
}

std::filesystem::path file_of(const ToleranceCache& cache, const std::string& text) {
  Checksum checksum;
  checksum.add(std::string_view(with_program(cache, text)));
  return cache.folder / fmt::format("{:016x}.txt", checksum.value());
}

/// The first line of the file: four numbers, the tolerance, the longest step, and the errors, `-` for one that was not
/// asked for; and a checksum of these and of what is behind them.
std::string first_line(const std::string& numbers, const std::string& behind) {
  Checksum checksum;
  for (const std::string& text : {numbers, behind}) checksum.add(std::string_view(text));
  return fmt::format("{} {:016x}", numbers, checksum.value());
}

std::string in_numbers(const StepTolerance& found) {
  return fmt::format("{} {} {} {}", found.tolerance, found.max_step_ms, found.errors.activation_percent,
                     found.errors.apd90_ms ? fmt::format("{}", *found.errors.apd90_ms) : "-");
}

std::optional<StepTolerance> parse(const std::string& numbers) {
  std::istringstream in(numbers);
  std::string apd90;
  StepTolerance found;
  if (!(in >> found.tolerance >> found.max_step_ms >> found.errors.activation_percent >> apd90)) return std::nullopt;
  if (apd90 != "-") found.errors.apd90_ms = std::strtod(apd90.c_str(), nullptr);
  const bool is_possible =
      found.tolerance > 0 && found.tolerance < 1 && found.max_step_ms > 0 && std::isfinite(found.max_step_ms);
  return is_possible ? std::optional(found) : std::nullopt;
}

/// What a file says that has `behind` behind its first line. Throws InputError with the reason where that is nothing.
StepTolerance read_file(const std::filesystem::path& path, const std::string& behind) {
  const RegularFile file(path);
  constexpr std::size_t longest_line = 200;
  if (file.bytes() > behind.size() + longest_line)
    throw InputError(fmt::format("expected at most {} bytes, got {}", behind.size() + longest_line, file.bytes()));
  std::string all;
  file.read(file.bytes(), [&](std::string_view piece) { all += piece; });
  const std::string line = all.substr(0, all.find('\n')), numbers = line.substr(0, line.rfind(' '));
  const std::optional<StepTolerance> found = parse(numbers);
  if (!found || all != first_line(numbers, behind) + behind) throw InputError("it is damaged");
  return *found;
}

}  // namespace

std::optional<ToleranceCache> usual_tolerance_cache(const std::string& commit) {
  const bool says_all = commit.find_first_not_of("0123456789abcdef") == commit.npos && !commit.empty();
  if (!says_all) return std::nullopt;
  const std::string folder = cache_folder("accuracy");
  return folder.empty() ? std::nullopt : std::optional(ToleranceCache{folder, commit});
}

std::optional<StepTolerance> read_tolerance(const ToleranceCache& cache, const std::string& text) {
  const std::filesystem::path file = file_of(cache, text);
  std::error_code ignored;
  if (std::filesystem::symlink_status(file, ignored).type() == std::filesystem::file_type::not_found)
    return std::nullopt;
  try {
    return read_file(file, with_program(cache, text));
  } catch (const InputError& reason) {
    log_warn("the tolerance that is kept in '{}' is found anew: {}", file.string(), reason.what());
    return std::nullopt;
  }
}

void keep_tolerance(const ToleranceCache& cache, const std::string& text, const StepTolerance& found) {
  try {
    std::error_code ignored;
    std::filesystem::create_directories(cache.folder, ignored);
    const std::string behind = with_program(cache, text);
    write_file_atomically(file_of(cache, text), first_line(in_numbers(found), behind) + behind);
  } catch (const InputError& error) {
    log_debug("the tolerance is not kept: {}", error.what());
  }
}

}  // namespace cardiowarp
