#pragma once
#include <optional>
#include <string>
#include <vector>

#include "app/command_line/command_line.hpp"
#include "app/process/exit_code.hpp"

namespace cardiowarp {

// The frame of cardiowarp and cardiowarp-bench: the options that may stand beside every command, and how a program
// begins, parses its words and ends. Exit codes: 0 done, 2 bad input (also a file or report that cannot be written), 3
// did not converge, 4 device failure, 5 --stop-after, 130 interrupted.

/// The command line of cardiowarp, without commands. cardiowarp-bench has it, too, so that both speak of one program.
CommandLine program_command_line();

/// The options of the program, which may stand before and behind those of any command.
struct ProgramOptions {
  explicit ProgramOptions(Command& program);

  std::string log_level = "info";
  bool quiet = false;  ///< warnings and errors alone
  std::optional<std::string> threads;
};

/// Parses the words. Returns the exit code where nothing is left to do: where help or the version was asked for and is
/// printed, and where the words are refused with a message. Throws InputError for a word that cannot be meant.
std::optional<ExitCode> parse_words(CommandLine& line, const std::vector<std::string>& words);

/// Sets up the log and the number of threads as the options say. Throws InputError.
void apply(const ProgramOptions& options);

/// The body of main(): prepares memory and streams, lets `run` do what the words behind the program's name ask for,
/// with
/// `~/` in them expanded, and returns the exit code. What `run` throws is said once.
int program_main(int argc, char** argv, ExitCode (*run)(const std::vector<std::string>& words));

}  // namespace cardiowarp
