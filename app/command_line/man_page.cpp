#include "app/command_line/man_page.hpp"

#include <fmt/format.h>

namespace cardiowarp {
namespace {

/// Text as troff prints it: no backslash, dash or first character of a line has a meaning. Words in backquotes are
/// bold.
std::string escaped(const std::string& text) {
  std::string line;
  bool is_bold = false;
  for (const char c : text) {
    if (c == '`') {
      line += is_bold ? "\\fR" : "\\fB";
      is_bold = !is_bold;
    } else if (c == '\\') {
      line += "\\e";
    } else if (c == '-') {
      line += "\\-";
    } else {
      line += c == '\n' ? ' ' : c;
    }
  }
  const bool is_request = line.starts_with('.') || line.starts_with('\'');
  return (is_request ? "\\&" : "") + line;
}

std::string header(const std::string& name, int section, const std::string& version, const std::string& text) {
  return fmt::format(".TH {} {} \"\" \"cardiowarp {}\"\n.SH NAME\n{} \\- {}\n", name, section, escaped(version),
                     escaped(name), escaped(text));
}

/// `\fB--output\fR \fIDIR\fR` and what it does.
std::string option_entry(const OptionDescription& option) {
  std::string names;
  for (const std::string& name : option.names) names += (names.empty() ? "\\fB" : "\\fR, \\fB") + escaped(name);
  if (option.is_positional) return fmt::format(".TP\n\\fI{}\\fR\n{}\n", escaped(option.name()), escaped(option.text));
  const std::string value = option.takes_value ? fmt::format(" \\fI{}\\fR", escaped(option.type)) : "";
  return fmt::format(".TP\n{}\\fR{}\n{}\n", names, value, escaped(option.text));
}

std::string command_entry(const CommandDescription& command, const std::string& path) {
  const std::string own_path = path + " " + command.name;
  std::string text = fmt::format(".SS {}\n{}\n", escaped(own_path), escaped(command.text));
  for (const OptionDescription& option : command.options) text += option_entry(option);
  for (const CommandDescription& further : command.commands) text += command_entry(further, own_path);
  return text;
}

std::string key_entry(const KeyDescription& key, const std::string& prefix) {
  if (key.is_for_papers || key.is_of_ionic_cells) return "";
  const std::string name = prefix + key.name;
  std::string text =
      fmt::format(".TP\n\\fB{}\\fR\n{} Takes {}.", escaped(name), escaped(key.meaning), escaped(in_words(key.shape)));
  if (!key.default_value.empty())
    text += key.is_required ? " Required." : fmt::format(" Default: {}.", escaped(key.default_value));
  text += '\n';
  for (const NamedValue& value : key.shape.names)
    if (key.shape.kind == KeyKind::word && !value.meaning.empty())
      text += fmt::format(".br\n\\fB{}\\fR: {}\n", escaped(value.name), escaped(value.meaning));
  // The places of a `where` stand once, below.
  if (!key.shape.is_place)
    for (const KeyDescription& inside : key.shape.keys) text += key_entry(inside, name + ".");
  return text;
}

/// The kinds of places that a `where` of the boundary has, which are all.
std::string places_entry(const std::vector<KeyDescription>& sections) {
  for (const KeyDescription& section : sections)
    for (const KeyDescription& key : section.shape.keys)
      if (section.name == "boundary" && key.shape.is_place) {
        std::string text = ".SS where\nA place: a kind of place, coordinates of the heart, or both.\n";
        for (const KeyDescription& place : key.shape.keys) text += key_entry(place, "");
        return text;
      }
  return "";
}

}  // namespace

std::string man_page_of_program(const CommandDescription& program, const std::string& version) {
  const std::string title = program.text.substr(program.text.find(": ") + 2);
  std::string text = header(program.name, 1, version, title);
  text += fmt::format(".SH SYNOPSIS\n.B {}\n[\\fIOPTIONS\\fR] \\fICOMMAND\\fR ...\n.SH OPTIONS\n", program.name);
  for (const OptionDescription& option : program.options) text += option_entry(option);
  text += ".SH COMMANDS\n";
  for (const CommandDescription& command : program.commands) text += command_entry(command, program.name);
  text +=
      ".SH EXIT STATUS\n"
      ".TP\n0\neverything was done\n"
      ".TP\n2\nbad input, or a result that could not be written\n"
      ".TP\n3\na step did not converge, or the two sides of a comparison disagree\n"
      ".TP\n4\na GPU or a library failed or is missing, or memory ran out\n"
      ".TP\n5\n\\-\\-stop\\-after ended a run, which \\-\\-resume goes on with\n"
      ".TP\n130\na signal ended a run or a comparison early\n"
      ".SH SEE ALSO\n.BR cardiowarp.yaml (5)\n";
  return text;
}

std::string man_page_of_keys(const std::vector<KeyDescription>& sections, const std::string& version) {
  std::string text = header("cardiowarp.yaml", 5, version, "configuration of a run of cardiowarp");
  text += ".SH DESCRIPTION\n" +
          escaped(
              "`cardiowarp run FILE.yaml` reads one YAML document. Quantities carry a unit, `0.1 ms`, or are in mm, "
              "ms, mV, mm^2/ms and mV/ms. Paths are relative to the file.") +
          "\n.SH KEYS\n";
  for (const KeyDescription& section : sections) {
    text += fmt::format(".SS {}\n{}\n", section.name, escaped(section.meaning));
    if (section.shape.keys.empty()) text += key_entry(section, "");
    for (const KeyDescription& key : section.shape.keys) text += key_entry(key, "");
  }
  return text + places_entry(sections) + ".SH SEE ALSO\n.BR cardiowarp (1)\n";
}

}  // namespace cardiowarp
