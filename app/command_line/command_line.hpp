#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/command_line/description.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): of the library
class App;
}  // namespace CLI

namespace cardiowarp {

// The command line of a program: its commands ask for their options, whose values are put where they say once words are
// parsed. Behind it is CLI11, whose header takes ten seconds to compile: command_line.cpp is the only source that
// includes it. usage.hpp says in words why words are refused.

/// The properties of an option beside its name, its value and its sentence.
struct OptionTraits {
  std::string type = {};  ///< what stands for its value in the help: `DIR`
  bool is_required = false;
  bool is_repeatable = false;  ///< it may be given several times, each time with one value
  bool has_commas = false;     ///< one word with commas is several values
  bool shows_default = false;  ///< the help says the value that it has when it is not given
  std::string excludes = {};   ///< the name of an option of the same command that it does not go with
};

/// A command of a command line, to which options and further commands are added. A handle: the CommandLine that it
/// belongs to must outlive it, and so must the values of its options.
class Command {
 public:
  explicit Command(CLI::App& parser) : parser_(&parser) {}

  /// The words of the line have to name one of the commands that are added to a command.
  Command add_command(const std::string& name, const std::string& text);

  /// An option `--output`, or a positional, `FILE`. `value` may be a text, a path, a whole number or a real, one of
  /// these that is optional, or a list of them; it stays as it is where the option is not given.
  template <class Value>
  void add_option(const std::string& name, Value& value, const std::string& text, const OptionTraits& traits = {});

  /// An option without a value, which sets `value` to true.
  void add_flag(const std::string& name, bool& value, const std::string& text);

  /// A flag with which the command does something that needs no `positional`.
  void add_flag_without(const std::string& positional, const std::string& name, bool& value, const std::string& text);

  /// Whether the words that were parsed name the command.
  bool is_chosen() const;
  /// Whether they have the option of this name, one of the command's own.
  bool is_given(const std::string& option) const;

  CLI::App& parser() const { return *parser_; }

 private:
  CLI::App* parser_;
};

/// Words that were refused.
struct RefusedWords {
  enum class Reason { no_number, wrong_count, required, other };

  Reason reason = Reason::other;
  std::string said;                    ///< by the parser
  std::vector<std::string> left_over;  ///< words that no option and no command has taken
};

class CommandLine {
 public:
  /// `version` is what `--version` prints.
  CommandLine(const std::string& name, const std::string& text, const std::string& version);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  /// The program itself, whose options may stand before and behind those of its commands.
  Command& program() { return program_; }

  /// Puts the values of the words where the options say. Says what was wrong with words that are refused. `print` is
  /// what is to be printed in place of doing anything, for `--version`.
  std::optional<RefusedWords> parse(const std::vector<std::string>& words, std::string& print);

  /// All commands and options, with what the words that were parsed last have given.
  CommandDescription description() const;

 private:
  std::unique_ptr<CLI::App> parser_;
  Command program_;
};

}  // namespace cardiowarp
