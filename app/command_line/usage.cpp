#include "app/command_line/usage.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "fem/input_error.hpp"
#include "fem/nearest_name.hpp"

namespace cardiowarp {
namespace {

using Words = std::vector<std::string>;
using Commands = std::vector<const CommandDescription*>;  ///< a command and those that it belongs to, the program first

Words names_of(const std::vector<CommandDescription>& commands) {
  Words names;
  for (const CommandDescription& command : commands) names.push_back(command.name);
  return names;
}

const CommandDescription* command_named(const CommandDescription& command, const std::string& name) {
  for (const CommandDescription& further : command.commands)
    if (further.name == name) return &further;
  return nullptr;
}

Words option_names(const CommandDescription& command) {
  Words names;
  for (const OptionDescription& option : command.options)
    for (const std::string& name : option.names)
      if (name.starts_with("--")) names.push_back(name);
  return names;
}

bool contains(const Words& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string in_words(const Commands& chain) {
  Words names;
  for (const CommandDescription* command : chain) names.push_back(command->name);
  return fmt::format("{}", fmt::join(names, " "));
}

/// The program, the command that was chosen, and so on.
Commands chosen_commands(const CommandDescription& program) {
  Commands chain{&program};
  for (const CommandDescription* next = &program; next != nullptr;) {
    next = nullptr;
    for (const CommandDescription& further : chain.back()->commands)
      if (further.is_chosen && next == nullptr) next = &further;
    if (next != nullptr) chain.push_back(next);
  }
  return chain;
}

/// The command that the first words name, which may stand among options.
Commands named_commands(const CommandDescription& program, const Words& words) {
  Commands chain{&program};
  for (const std::string& word : words)
    if (const CommandDescription* command = command_named(*chain.back(), word)) chain.push_back(command);
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

/// Finds words for a command line that the parser has refused.
class Explanation {
 public:
  Explanation(const CommandDescription& program, const RefusedWords& refused, const Words& words)
      : refused_(refused), words_(words), chain_(chosen_commands(program)) {
    for (const CommandDescription* each : chain_)
      for (const std::string& name : option_names(*each)) options_.push_back(name);
    Words left_over = refused.left_over;
    const auto end = std::find(words_.begin(), words_.end(), "--");
    files_begin_ = static_cast<std::size_t>(end - words_.begin());
    for (std::size_t k = 0; k < words_.size(); ++k) {
      const auto found = std::find(left_over.begin(), left_over.end(), words_[k]);
      if (found == left_over.end() || k == files_begin_) continue;
      left_over.erase(found);
      left_over_.push_back(k);
    }
  }

  std::string message() const {
    const bool wants_command = !command().commands.empty();
    if (wants_command && !left_over_.empty() && !is_option(words_[left_over_.front()]))
      return unknown_command(words_[left_over_.front()]);
    for (const std::size_t k : left_over_)
      if (k < files_begin_ && is_option(words_[k])) return unknown_option(words_[k]);
    if (wants_command) return no_command();
    switch (refused_.reason) {
      case RefusedWords::Reason::no_number:
        return no_number(refused_.said);
      case RefusedWords::Reason::wrong_count:
        return wrong_count(refused_.said);
      case RefusedWords::Reason::required:
        return required(refused_.said);
      case RefusedWords::Reason::other:
        break;
    }
    return left_over_.empty() ? refused_.said : unexpected(left_over_.front());
  }

  std::string path() const { return in_words(chain_); }

 private:
  const CommandDescription& command() const { return *chain_.back(); }

  const OptionDescription* option(const std::string& name) const {
    for (const CommandDescription* each : chain_)
      for (const OptionDescription& option : each->options)
        if (contains(option.names, name)) return &option;
    return nullptr;
  }

  std::string no_command() const {
    return fmt::format("expected a command after '{}': {}", path(), fmt::join(names_of(command().commands), ", "));
  }

  std::string unknown_command(const std::string& word) const {
    const Words names = names_of(command().commands);
    std::string meant = word == "version" ? "; did you mean '--version'?" : suggestion(word, names);
    for (const CommandDescription& other : chain_.front()->commands)
      if (meant.empty() && command_named(other, word)) meant = fmt::format("; did you mean '{} {}'?", other.name, word);
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
    const auto look_at = [&](const CommandDescription& each, const std::string& path) {
      if (contains(option_names(each), name)) others.push_back(path);
    };
    for (const CommandDescription& each : chain_.front()->commands) {
      look_at(each, each.name);
      for (const CommandDescription& part : each.commands) look_at(part, each.name + " " + part.name);
    }
    return others.empty() ? "" : fmt::format("; it is an option of {}", fmt::join(others, ", "));
  }

  /// Mends `Could not convert: --levels = two`: every value that has to be converted is a number.
  std::string no_number(const std::string& said) const {
    const auto name = said.find(": "), value = said.find(" = ");
    if (name == std::string::npos || value == std::string::npos) return said;
    return fmt::format("{}: expected a whole number, got '{}'", said.substr(name + 2, value - name - 2),
                       said.substr(value + 3));
  }

  /// Mends `--output: At Most 1 required but received 2` and `--output: 1 required DIR missing`.
  std::string wrong_count(const std::string& said) const {
    const std::string name = said.substr(0, said.find(": "));
    const OptionDescription* given = option(name);
    if (!given) return said;
    if (given->given.size() > 1) return fmt::format("{}: expected once, got {}", name, list_of(given->given));
    return fmt::format("{}: expected {} after it, got nothing", name, given->type);
  }

  std::string required(const std::string& said) const {
    const std::string name = said.substr(0, said.find(" is required"));
    const OptionDescription* missing = option(name);
    if (!missing) return said;
    std::string message = fmt::format("{} is required: {}", name, missing->text);
    for (const std::size_t k : left_over_) message += fmt::format("; '{}' belongs to no option", words_[k]);
    if (!missing->is_positional) return message;
    for (const CommandDescription* each : chain_)
      for (const OptionDescription& other : each->options)
        if (!other.given.empty() && std::filesystem::path(other.given.back()).has_extension() && other.name() != name &&
            !other.is_positional && other.name() != "--set")
          message += fmt::format("; '{}' is taken for the value of {}", other.given.back(), other.name());
    return message;
  }

  /// A word that no option and no place for a file has taken.
  std::string unexpected(std::size_t k) const {
    const std::string& word = words_[k];
    if (word.empty()) return "unexpected empty word '' (a variable of the shell that is not set?)";
    if (k > files_begin_ && is_option(word)) return fmt::format("unexpected '{}': behind -- all words are files", word);
    if (const std::string of_option = behind_option(k); !of_option.empty()) return of_option;
    const std::string named = contains(options_, "--output") ? "; --output names the result" : "";
    for (const OptionDescription& positional : command().options)
      if (positional.is_positional && !positional.given.empty())
        return fmt::format("unexpected '{}': expected one {}, which is '{}'{}", word, positional.name(),
                           positional.given.front(), named);
    return fmt::format("unexpected '{}': {} takes options only{}", word, path(), named);
  }

  /// What a word behind an option and its value is about; empty where it is not there.
  std::string behind_option(std::size_t k) const {
    std::size_t at = k;
    while (at > 0 && !is_option(words_[at])) --at;
    const std::string name = option_meant(words_[at]);
    const OptionDescription* before = is_option(words_[at]) ? option(name) : nullptr;
    if (!before) return "";
    const std::string given = fmt::format("{}", fmt::join(words_.begin() + static_cast<std::ptrdiff_t>(at),
                                                          words_.begin() + static_cast<std::ptrdiff_t>(k), " "));
    if (!before->takes_value)
      return k == at + 1 ? fmt::format("unexpected '{}' after {}, which takes no value", words_[k], name) : "";
    const bool has_equals = words_[at].find('=') != std::string::npos;
    if (k != at + (has_equals ? 1 : 2)) return "";
    return fmt::format("unexpected '{}' after '{}': {} takes one word, {} (with quotes around one that has spaces)",
                       words_[k], given, name, before->type);
  }

  const RefusedWords& refused_;
  const Words& words_;
  Commands chain_;
  Words options_;                       ///< of the command and of those that it belongs to
  std::vector<std::size_t> left_over_;  ///< the numbers of the words that nothing has taken
  std::size_t files_begin_ = 0;         ///< the number of the word `--`
};

}  // namespace

std::optional<std::string> asked_help(const CommandDescription& program, const Words& words) {
  const bool by_word = !words.empty() && words.front() == "help";
  const auto end = std::find(words.begin(), words.end(), "--");
  const bool by_option = std::any_of(words.begin(), end, [](auto& word) { return word == "-h" || word == "--help"; });
  if (!by_word && !by_option) return std::nullopt;
  const Commands chain = named_commands(program, Words(words.begin() + (by_word ? 1 : 0), end));
  const std::size_t wanted = by_word && !by_option ? words.size() : chain.size();
  if (chain.size() != wanted) return std::nullopt;  // `help` for something else is an unknown command
  return chain.back()->help;
}

std::string usage_message(const CommandDescription& program, const RefusedWords& refused, const Words& words) {
  const Explanation explanation(program, refused, words);
  if (!words.empty() && words.front() == "help" && words.size() > 1)
    return fmt::format("help: expected a command or nothing after it, got '{}' (see {} --help)",
                       fmt::join(Words(words.begin() + 1, words.end()), " "), program.name);
  return fmt::format("{} (see {} --help)", explanation.message(), explanation.path());
}

void require_sensible_words(const CommandDescription& program) {
  Words options = option_names(program);
  for (const CommandDescription* command : chosen_commands(program)) {
    for (const std::string& name : option_names(*command)) options.push_back(name);
    for (const OptionDescription& option : command->options) {
      if (contains(option.given, "") &&
          (option.is_positional || option.type == "FILE" || option.type == "DIR" || option.type == "CHECKPOINT"))
        throw InputError(fmt::format("{}: expected {}, got an empty word '' (a variable of the shell that is not set?)",
                                     option.name(),
                                     option.is_positional ? "the name of a file" : option.type + " after it"));
      for (const std::string& value : option.given)
        if (contains(options, value))
          throw InputError(
              fmt::format("{}: expected {} after it, got the option '{}'", option.name(), option.type, value));
    }
  }
}

}  // namespace cardiowarp
