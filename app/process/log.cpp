#include "app/process/log.hpp"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <exception>

#include "app/process/kept_warnings.hpp"
#include "app/process/log_levels.hpp"
#include "app/process/standard_streams.hpp"
#include "fem/input_error.hpp"

namespace cardiowarp {
namespace {

spdlog::level::level_enum level_of_spdlog(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      return spdlog::level::debug;
    case LogLevel::info:
      return spdlog::level::info;
    case LogLevel::warning:
      return spdlog::level::warn;
    case LogLevel::error:
      break;
  }
  return spdlog::level::err;
}

}  // namespace

const std::vector<std::string>& log_levels() {
  static const std::vector<std::string> levels{"trace", "debug", "info", "warning", "error", "off"};
  return levels;
}

void begin_to_log(const std::string& level) {
  const std::vector<std::string>& levels = log_levels();
  if (std::find(levels.begin(), levels.end(), level) == levels.end())
    throw InputError(fmt::format("--log-level: expected trace, debug, info, warning, error or off, got '{}'", level));
  spdlog::set_default_logger(spdlog::stderr_color_mt("cardiowarp"));
  spdlog::set_pattern("%^%l%$: %v");
  spdlog::set_level(spdlog::level::from_str(level));
}

bool is_logged(LogLevel level) { return spdlog::should_log(level_of_spdlog(level)); }

void log_line(LogLevel level, fmt::string_view words, fmt::format_args values) noexcept {
  const spdlog::level::level_enum shown_from = level_of_spdlog(level);
  const bool is_shown = spdlog::should_log(shown_from);
  if (!is_shown && level != LogLevel::warning) return;
  try {
    const std::string text = fmt::vformat(words, values);
    if (level == LogLevel::warning) KeptWarnings::keep(text);
    if (is_shown) spdlog::log(shown_from, text);
  } catch (const std::exception&) {
    write_message("a message is lost: memory did not suffice for it\n");
  }
}

}  // namespace cardiowarp
