#pragma once
#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace cardiowarp {

/// The first thing that a program does. A standard stream that is closed gets /dev/null, so that no file that is opened
/// later takes its place: reading it finds an end, writing a report to it fails as to a closed one, messages are lost.
/// A write to a pipe that nobody reads, or beyond the limit of a file's size, fails from then on instead of ending the
/// program.
void hold_standard_streams();

/// Undoes what the program has made of the signals of pipes and files, for another one that is to take its place.
void let_go_of_standard_streams();

/// Appends to the report on standard output. What cannot be written is stated by `end_report`, so that a command still
/// does what comes after its report.
void write_report(std::string_view text) noexcept;

/// `write_report` with the format of fmt::format.
template <class... Values>
void print_report(fmt::format_string<Values...> format, Values&&... values) {
  write_report(fmt::format(format, std::forward<Values>(values)...));
}

/// Writes out what the report has so far.
void flush_report() noexcept;

/// The last thing that a program does: completes the report. Returns `exit_code`, or 2 with a message where that is 0
/// and the report could not be written. Where its reader has left (`| head -1`), SIGPIPE ends the program without a
/// word, as it ends others, unless the program was started with SIGPIPE ignored.
int end_report(int exit_code) noexcept;

/// Writes to standard error, now; what cannot be written is lost.
void write_message(std::string_view text) noexcept;

/// Writes the line `error: MESSAGE` to standard error; it is lost where it cannot be written.
void print_error(std::string_view message) noexcept;

}  // namespace cardiowarp
