#include "app/usage.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "app/config/nearest_name.hpp"
#include "fem/input_error.hpp"

namespace cardiowarp {
namespace {

using Words = std::vector<std::string>;
using Commands = std::vector<const CLI::App*>;  ///< a command and those that it belongs to, the program first

Commands commands_in(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

Words names_of(const Commands& commands) {
  Words names;
  for (const CLI::App* command : commands) names.push_back(command->get_name());
  return names;
}

const CLI::App* command_named(const CLI::App& app, const std::string& name) {
  for (const CLI::App* command : commands_in(app))
    if (command->get_name() == name) return command;
  return nullptr;
}

Words option_names(const CLI::App& command) {
  Words names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

bool contains(const Words& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string in_words(const Commands& chain) { return fmt::format("{}", fmt::join(names_of(chain), " ")); }

std::string help_of(const Commands& chain) {
  return chain.back()->help(in_words(Commands(chain.begin(), chain.end() - 1)));
}

/// The command that the first words name, which may stand among options.
Commands named_commands(const CLI::App& app, const Words& words) {
  Commands chain{&app};
  for (const std::string& word : words)
    if (const CLI::App* command = command_named(*chain.back(), word)) chain.push_back(command);
  return chain;
}

/// `—output`, `-output` and `--output=x` as `--output`; an option is typed with a minus sign and a letter at least.
std::string option_meant(std::string word) {
  for (const std::string dash : {"\u2014", "\u2013", "\u2012", "\u2212"})
    while (word.starts_with(dash) || word.starts_with("-" + dash))
      word = "--" + word.substr(word.find(dash) + dash.size());
  if (word.starts_with("-") && !word.starts_with("--")) word.insert(0, "-");
  return word.substr(0, word.find('='));
}

bool is_option(const std::string& word) {
  const std::string option = option_meant(word);
  return option.size() > 2 && option.starts_with("--") && (option[2] < '0' || option[2] > '9') && option[2] != '.';
}

std::string list_of(const Words& words) {
  Words quoted;
  for (const std::string& word : words) quoted.push_back("'" + word + "'");
  return fmt::format("{}", fmt::join(quoted, ", "));
}

/// A command line that the parser has refused.
class RefusedWords {
 public:
  RefusedWords(const CLI::App& app, const Words& words) : words_(words), chain_{&app} {
    while (!command().get_subcommands().empty()) chain_.push_back(command().get_subcommands().front());
    for (const CLI::App* each : chain_)
      for (const std::string& name : option_names(*each)) options_.push_back(name);
    Words left_over = app.remaining(true);
    const auto end = std::find(words_.begin(), words_.end(), "--");
    files_begin_ = static_cast<std::size_t>(end - words_.begin());
    for (std::size_t k = 0; k < words_.size(); ++k) {
      const auto found = std::find(left_over.begin(), left_over.end(), words_[k]);
      if (found == left_over.end() || k == files_begin_) continue;
      left_over.erase(found);
      left_over_.push_back(k);
    }
  }

  std::string message(const CLI::ParseError& error) const {
    const std::string said = error.what();
    const bool wants_command = !commands_in(command()).empty();
    if (wants_command && !left_over_.empty() && !is_option(words_[left_over_.front()]))
      return unknown_command(words_[left_over_.front()]);
    for (const std::size_t k : left_over_)
      if (k < files_begin_ && is_option(words_[k])) return unknown_option(words_[k]);
    if (wants_command) return no_command();
    if (dynamic_cast<const CLI::ConversionError*>(&error)) return no_number(said);
    if (dynamic_cast<const CLI::ArgumentMismatch*>(&error)) return wrong_count(said);
    if (dynamic_cast<const CLI::RequiredError*>(&error)) return required(said);
    return left_over_.empty() ? said : unexpected(left_over_.front());
  }

  std::string path() const { return in_words(chain_); }

 private:
  const CLI::App& command() const { return *chain_.back(); }

  const CLI::Option* option(const std::string& name) const {
    for (const CLI::App* each : chain_)
      for (const CLI::Option* option : each->get_options())
        if (option->get_name() == name || option->get_name(true) == name) return option;
    return nullptr;
  }

  std::string no_command() const {
    return fmt::format("expected a command after '{}': {}", path(), fmt::join(names_of(commands_in(command())), ", "));
  }

  std::string unknown_command(const std::string& word) const {
    const Words names = names_of(commands_in(command()));
    std::string meant = word == "version" ? "; did you mean '--version'?" : suggestion(word, names);
    for (const CLI::App* other : commands_in(*chain_.front()))
      if (meant.empty() && command_named(*other, word))
        meant = fmt::format("; did you mean '{} {}'?", other->get_name(), word);
    const std::string suffix = std::filesystem::path(word).extension().string();
    if (meant.empty() && (suffix == ".yaml" || suffix == ".yml"))
      return fmt::format("expected a command before the file, as in '{} run {}'; commands: {}", path(), word,
                         fmt::join(names, ", "));
    return fmt::format("unknown command '{}'{}; commands: {}", word, meant, fmt::join(names, ", "));
  }

  std::string unknown_option(const std::string& word) const {
    const std::string wanted = option_meant(word);
    if (const auto space = wanted.find(' '); space != std::string::npos && contains(options_, wanted.substr(0, space)))
      return fmt::format("unknown option '{}': option and value are two words: {} '{}'", word, wanted.substr(0, space),
                         word.substr(word.find(' ') + 1));
    const std::string shown = word.substr(0, word.find('='));
    if (contains(options_, wanted)) return fmt::format("unknown option '{}'; did you mean '{}'?", shown, wanted);
    std::string meant = wanted == "--v" || wanted == "--V" ? "; did you mean '--version'?" : "";
    if (meant.empty() && wanted.size() == 3) {
      Words beginning = options_;
      std::erase_if(beginning, [&](const std::string& name) { return !name.starts_with(wanted); });
      if (!beginning.empty()) meant = fmt::format("; options have two dashes: {}", fmt::join(beginning, ", "));
    }
    if (meant.empty()) meant = suggestion(wanted, options_);
    if (meant.empty()) meant = of_others(wanted);
    return fmt::format("unknown option '{}'{}", shown, meant);
  }

  /// Which other commands have an option of this name.
  std::string of_others(const std::string& name) const {
    Words others;
    const auto look_at = [&](const CLI::App& each, const std::string& path) {
      if (contains(option_names(each), name)) others.push_back(path);
    };
    for (const CLI::App* each : commands_in(*chain_.front())) {
      look_at(*each, each->get_name());
      for (const CLI::App* part : commands_in(*each)) look_at(*part, each->get_name() + " " + part->get_name());
    }
    return others.empty() ? "" : fmt::format("; it is an option of {}", fmt::join(others, ", "));
  }

  /// Of `Could not convert: --levels = two`: every value that has to be converted is a number.
  std::string no_number(const std::string& said) const {
    const auto name = said.find(": "), value = said.find(" = ");
    if (name == std::string::npos || value == std::string::npos) return said;
    return fmt::format("{}: expected a whole number, got '{}'", said.substr(name + 2, value - name - 2),
                       said.substr(value + 3));
  }

  /// Of `--output: At Most 1 required but received 2` and `--output: 1 required DIR missing`.
  std::string wrong_count(const std::string& said) const {
    const std::string name = said.substr(0, said.find(": "));
    const CLI::Option* given = option(name);
    if (!given) return said;
    if (given->results().size() > 1) return fmt::format("{}: expected once, got {}", name, list_of(given->results()));
    return fmt::format("{}: expected {} after it, got nothing", name, given->get_type_name());
  }

  std::string required(const std::string& said) const {
    const std::string name = said.substr(0, said.find(" is required"));
    const CLI::Option* missing = option(name);
    if (!missing) return said;
    std::string message = fmt::format("{} is required: {}", name, missing->get_description());
    for (const std::size_t k : left_over_) message += fmt::format("; '{}' belongs to no option", words_[k]);
    if (!missing->get_positional()) return message;
    for (const CLI::App* each : chain_)
      for (const CLI::Option* other : each->get_options())
        if (!other->results().empty() && std::filesystem::path(other->results().back()).has_extension() &&
            other->get_name() != name && !other->get_positional() && other->get_name() != "--set")
          message += fmt::format("; '{}' is taken for the value of {}", other->results().back(), other->get_name());
    return message;
  }

  /// A word that no option and no place for a file has taken.
  std::string unexpected(std::size_t k) const {
    const std::string& word = words_[k];
    if (word.empty()) return "unexpected empty word '' (a variable of the shell that is not set?)";
    if (k > files_begin_ && is_option(word)) return fmt::format("unexpected '{}': behind -- all words are files", word);
    if (const std::string of_option = behind_option(k); !of_option.empty()) return of_option;
    const std::string named = contains(options_, "--output") ? "; --output names the result" : "";
    for (const CLI::Option* positional : command().get_options())
      if (positional->get_positional() && !positional->results().empty())
        return fmt::format("unexpected '{}': expected one {}, which is '{}'{}", word, positional->get_name(),
                           positional->results().front(), named);
    return fmt::format("unexpected '{}': {} takes options only{}", word, path(), named);
  }

  /// What a word behind an option and its value is about; empty where it is not there.
  std::string behind_option(std::size_t k) const {
    std::size_t at = k;
    while (at > 0 && !is_option(words_[at])) --at;
    const std::string name = option_meant(words_[at]);
    const CLI::Option* before = is_option(words_[at]) ? option(name) : nullptr;
    if (!before) return "";
    const std::string given = fmt::format("{}", fmt::join(words_.begin() + static_cast<std::ptrdiff_t>(at),
                                                          words_.begin() + static_cast<std::ptrdiff_t>(k), " "));
    if (before->get_expected_max() == 0 || before->get_type_size() == 0)
      return k == at + 1 ? fmt::format("unexpected '{}' after {}, which takes no value", words_[k], name) : "";
    const bool has_equals = words_[at].find('=') != std::string::npos;
    if (k != at + (has_equals ? 1 : 2)) return "";
    return fmt::format("unexpected '{}' after '{}': {} takes one word, {} (with quotes around one that has spaces)",
                       words_[k], given, name, before->get_type_name());
  }

  const Words& words_;
  Commands chain_;
  Words options_;                       ///< of the command and of those that it belongs to
  std::vector<std::size_t> left_over_;  ///< the numbers of the words that nothing has taken
  std::size_t files_begin_ = 0;         ///< the number of the word `--`
};

}  // namespace

std::optional<std::string> asked_help(const CLI::App& app, const Words& words) {
  const bool by_word = !words.empty() && words.front() == "help";
  const auto end = std::find(words.begin(), words.end(), "--");
  const bool by_option = std::any_of(words.begin(), end, [](auto& word) { return word == "-h" || word == "--help"; });
  if (!by_word && !by_option) return std::nullopt;
  const Commands chain = named_commands(app, Words(words.begin() + (by_word ? 1 : 0), end));
  const std::size_t wanted = by_word && !by_option ? words.size() : chain.size();
  if (chain.size() != wanted) return std::nullopt;  // `help` for something else is an unknown command
  return help_of(chain);
}

std::string usage_message(const CLI::App& app, const CLI::ParseError& error, const Words& words) {
  const RefusedWords refused(app, words);
  if (!words.empty() && words.front() == "help" && words.size() > 1)
    return fmt::format("help: expected a command or nothing after it, got '{}' (see cardiowarp --help)",
                       fmt::join(Words(words.begin() + 1, words.end()), " "));
  return fmt::format("{} (see {} --help)", refused.message(error), refused.path());
}

void require_sensible_words(const CLI::App& app) {
  Words options = option_names(app);
  for (const CLI::App* command = &app; command != nullptr;) {
    for (const std::string& name : option_names(*command)) options.push_back(name);
    for (const CLI::Option* option : command->get_options()) {
      const Words values = option->results();
      const std::string type = option->get_type_name();
      if (contains(values, "") && (option->get_positional() || type == "FILE" || type == "DIR" || type == "CHECKPOINT"))
        throw InputError(fmt::format("{}: expected {}, got an empty word '' (a variable of the shell that is not set?)",
                                     option->get_name(),
                                     option->get_positional() ? "the name of a file" : type + " after it"));
      for (const std::string& value : values)
        if (contains(options, value))
          throw InputError(
              fmt::format("{}: expected {} after it, got the option '{}'", option->get_name(), type, value));
    }
    const auto chosen = command->get_subcommands();
    command = chosen.empty() ? nullptr : chosen.front();
  }
}

}  // namespace cardiowarp
