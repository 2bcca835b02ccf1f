#include "app/command_line/completion.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

#include "fem/input_error.hpp"
#include "fem/nearest_name.hpp"

namespace cardiowarp {
namespace {

using Words = std::vector<std::string>;

bool names_a_folder(const OptionDescription& option) { return option.type == "DIR"; }
bool takes_keys(const OptionDescription& option) { return option.type.starts_with("KEY"); }

/// Every command with the words that name it: ``, `run`, `mesh slab`.
void for_each_command(const CommandDescription& command, const std::string& path,
                      const std::function<void(const std::string& path, const CommandDescription& command)>& show) {
  show(path, command);
  for (const CommandDescription& further : command.commands)
    for_each_command(further, path.empty() ? further.name : path + " " + further.name, show);
}

Words long_names(const CommandDescription& command) {
  Words names;
  for (const OptionDescription& option : command.options)
    for (const std::string& name : option.names)
      if (name.starts_with("--")) names.push_back(name);
  return names;
}

/// The commands that follow one, its options and those of the program.
Words words_after(const CommandDescription& program, const CommandDescription& command) {
  Words words;
  for (const CommandDescription& further : command.commands) words.push_back(further.name);
  for (const std::string& name : long_names(command)) words.push_back(name);
  for (const std::string& name : long_names(program))
    if (std::find(words.begin(), words.end(), name) == words.end()) words.push_back(name);
  return words;
}

std::string joined(const Words& words, const char* between) { return fmt::format("{}", fmt::join(words, between)); }

/// What follows an option that takes a value, as a branch of bash's `case`.
std::string bash_values(const CommandDescription& program, const CompletionWords& words) {
  Words folders, keys, files;
  const auto sort_out = [&](const std::string&, const CommandDescription& command) {
    for (const OptionDescription& option : command.options) {
      if (option.is_positional || !option.takes_value || words.values.contains(option.name())) continue;
      Words& list = takes_keys(option) ? keys : names_a_folder(option) ? folders : files;
      if (std::find(list.begin(), list.end(), option.name()) == list.end()) list.push_back(option.name());
    }
  };
  for_each_command(program, "", sort_out);
  std::string text;
  for (const auto& [option, values] : words.values)
    text +=
        fmt::format("    {}) COMPREPLY=($(compgen -W '{}' -- \"$word\")); return ;;\n", option, joined(values, " "));
  const auto add = [&](const Words& options, const char* reply) {
    if (!options.empty()) text += fmt::format("    {}) {}; return ;;\n", joined(options, "|"), reply);
  };
  add(keys, R"(compopt -o nospace; COMPREPLY=($(compgen -S = -W "$keys" -- "$word")))");
  add(folders, R"(COMPREPLY=($(compgen -d -- "$word")))");
  add(files, R"(COMPREPLY=($(compgen -f -- "$word")))");
  return text;
}

std::string bash_script(const CommandDescription& program, const CompletionWords& words) {
  std::string chains, replies;
  for_each_command(program, "", [&](const std::string& path, const CommandDescription& command) {
    if (!path.empty()) chains += fmt::format("{}'{}'", chains.empty() ? "" : " | ", path);
    const bool takes_key = std::any_of(command.options.begin(), command.options.end(), [](const auto& option) {
      return option.is_positional && option.name() == "KEY";
    });
    replies += fmt::format("    '{}') words='{}'{} ;;\n", path, joined(words_after(program, command), " "),
                           takes_key ? "\" $keys\"" : "");
  });
  return fmt::format(R"(# Completion of {0} for bash, written by `{0} completion bash`.
_{0}() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} command= next words k
  local keys='{1}'
  for ((k = 1; k < COMP_CWORD; ++k)); do
    next="${{command:+$command }}${{COMP_WORDS[k]}}"
    case $next in {2}) command=$next ;; esac
  done
  case $before in
{3}  esac
  case $command in
{4}  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}}
complete -o bashdefault -o default -F _{0} {0}
)",
                     program.name, joined(words.keys, " "), chains, bash_values(program, words), replies);
}

/// A text in single quotes, which zsh and fish read as it is.
std::string quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

/// zsh runs bash's script by its own emulation of the functions that it calls.
std::string zsh_script(const CommandDescription& program, const CompletionWords& words) {
  return fmt::format("#compdef {0}\nautoload -U +X bashcompinit && bashcompinit\n{1}", program.name,
                     bash_script(program, words));
}

/// The condition of fish that the words name a command and none of those that follow it.
std::string fish_condition(const std::string& path, const CommandDescription& command) {
  std::string condition;
  for (std::size_t begin = 0; begin < path.size();) {
    const std::size_t end = std::min(path.find(' ', begin), path.size());
    condition += fmt::format("{}__fish_seen_subcommand_from {}", condition.empty() ? "" : "; and ",
                             path.substr(begin, end - begin));
    begin = end + 1;
  }
  if (path.empty()) return "__fish_use_subcommand";
  Words further;
  for (const CommandDescription& each : command.commands) further.push_back(each.name);
  return further.empty() ? condition : condition + "; and not __fish_seen_subcommand_from " + joined(further, " ");
}

std::string fish_option(const std::string& program, const std::string& condition, const OptionDescription& option,
                        const CompletionWords& words) {
  std::string text = fmt::format("complete -c {}", program);
  if (!condition.empty()) text += " -n " + quoted(condition);
  text += " -l " + option.name().substr(2) + " -d " + quoted(option.text);
  if (!option.takes_value) return text + "\n";
  if (const auto values = words.values.find(option.name()); values != words.values.end())
    return text + " -x -a " + quoted(joined(values->second, " ")) + "\n";
  if (takes_keys(option)) return text + " -x -a " + quoted(joined(words.keys, "= ") + "=") + "\n";
  return text + (names_a_folder(option) ? " -x -a '(__fish_complete_directories)'\n" : " -r\n");
}

std::string fish_script(const CommandDescription& program, const CompletionWords& words) {
  std::string text = fmt::format("# Completion of {0} for fish, written by `{0} completion fish`.\n", program.name);
  for_each_command(program, "", [&](const std::string& path, const CommandDescription& command) {
    const std::string condition = fish_condition(path, command);
    for (const CommandDescription& further : command.commands)
      text += fmt::format("complete -c {} -n {} -f -a {} -d {}\n", program.name, quoted(condition), further.name,
                          quoted(further.text));
    for (const OptionDescription& option : command.options) {
      if (option.is_positional && option.name() == "KEY")
        text += fmt::format("complete -c {} -n {} -f -a {}\n", program.name, quoted(condition),
                            quoted(joined(words.keys, " ")));
      if (option.name().starts_with("--"))
        text += fish_option(program.name, path.empty() ? "" : condition, option, words);
    }
  });
  return text;
}

}  // namespace

const std::vector<std::string>& completion_shells() {
  static const std::vector<std::string> shells{"bash", "zsh", "fish"};
  return shells;
}

std::string completion_script(const CommandDescription& program, const CompletionWords& words,
                              const std::string& shell) {
  if (shell == "bash") return bash_script(program, words);
  if (shell == "zsh") return zsh_script(program, words);
  if (shell == "fish") return fish_script(program, words);
  throw InputError(fmt::format("SHELL: expected {}, got '{}'{}", fmt::join(completion_shells(), ", "), shell,
                               suggestion(shell, completion_shells())));
}

}  // namespace cardiowarp
