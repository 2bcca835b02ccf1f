#include "app/process/log.hpp"

#include <spdlog/spdlog.h>

#include <exception>

#include "app/process/standard_streams.hpp"

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

bool is_logged(LogLevel level) { return spdlog::should_log(level_of_spdlog(level)); }

void log_line(LogLevel level, fmt::string_view words, fmt::format_args values) noexcept {
  const spdlog::level::level_enum shown_from = level_of_spdlog(level);
  if (!spdlog::should_log(shown_from)) return;
  try {
    spdlog::log(shown_from, fmt::vformat(words, values));
  } catch (const std::exception&) {
    write_message("a message is lost: memory did not suffice for it\n");
  }
}

}  // namespace cardiowarp
