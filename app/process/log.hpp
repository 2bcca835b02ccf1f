#pragma once
#include <fmt/core.h>

#include <string>

namespace cardiowarp {

// The messages of a run, a line each on standard error: `info: ..`, `warning: ..`, `error: ..`. The option --log-level
// says from which level on they are shown. Words and values are as fmt::format() takes them. A message that memory does
// not suffice for is lost without harm. The logger behind them is spdlog, whose own header would cost every file that
// says something seconds of compilation.

/// Begins to log from the level with this name on: trace, debug, info, warning, error or off. Throws InputError for
/// another name.
void begin_to_log(const std::string& level);

enum class LogLevel { debug, info, warning, error };

/// Whether messages of the level are shown.
bool is_logged(LogLevel level);

void log_line(LogLevel level, fmt::string_view words, fmt::format_args values) noexcept;

template <class... Values>
void log_debug(fmt::format_string<Values...> words, Values&&... values) {
  log_line(LogLevel::debug, words, fmt::make_format_args(values...));
}
template <class... Values>
void log_info(fmt::format_string<Values...> words, Values&&... values) {
  log_line(LogLevel::info, words, fmt::make_format_args(values...));
}
template <class... Values>
void log_warn(fmt::format_string<Values...> words, Values&&... values) {
  log_line(LogLevel::warning, words, fmt::make_format_args(values...));
}
template <class... Values>
void log_error(fmt::format_string<Values...> words, Values&&... values) {
  log_line(LogLevel::error, words, fmt::make_format_args(values...));
}

}  // namespace cardiowarp
