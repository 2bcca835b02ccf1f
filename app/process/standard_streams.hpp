#pragma once
#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace cardiowarp {

/// Called by a program before anything else. A standard stream that the program was started without is opened on
/// /dev/null, so that no file that is opened later gets its number: to read from it finds the end, a report to it
/// counts as one that cannot be written, and messages are lost. From then on a write to a pipe that nobody reads, or
/// beyond the limit of a file's size, fails instead of ending the program.
void hold_standard_streams();

/// Gives the signals of such writes their usual effect back, before this process becomes another program.
void let_go_of_standard_streams();

/// Appends to the report on standard output. Where it cannot be written, `end_report` says so in the end, and the
/// command does all of its work before.
void write_report(std::string_view text) noexcept;

/// `write_report` with the format of fmt::format.
template <class... Values>
void print_report(fmt::format_string<Values...> format, Values&&... values) {
  write_report(fmt::format(format, std::forward<Values>(values)...));
}

/// Writes out what the report has so far.
void flush_report() noexcept;

/// Called by a program after everything else: completes the report. Returns `exit_code`. Where that is 0 and the report
/// could not be written, writes a message and returns 2. Where the reader of the report has ended (`| head -1`),
/// SIGPIPE ends the program without a word, as it ends others, unless the program was started with SIGPIPE ignored.
int end_report(int exit_code) noexcept;

/// Writes to standard error, now; what cannot be written is lost.
void write_message(std::string_view text) noexcept;

/// Writes the line `error: MESSAGE` to standard error; it is lost where it cannot be written.
void print_error(std::string_view message) noexcept;

}  // namespace cardiowarp
