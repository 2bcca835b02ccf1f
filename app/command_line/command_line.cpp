#include "app/command_line/command_line.hpp"

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <sstream>

namespace cardiowarp {
namespace {

OptionDescription description_of(const CLI::Option& option) {
  OptionDescription description;
  for (const std::string& name : option.get_lnames()) description.names.push_back("--" + name);
  for (const std::string& name : option.get_snames()) description.names.push_back("-" + name);
  description.is_positional = option.get_positional();
  if (description.names.empty()) description.names.push_back(option.get_name(true));
  description.takes_value = option.get_expected_max() > 0 && option.get_type_size() > 0;
  if (description.takes_value) description.type = option.get_type_name();
  description.text = option.get_description();
  description.given = option.results();
  return description;
}

/// `path` is what stands before the name of the command: `cardiowarp mesh`.
CommandDescription description_of(const CLI::App& command, const std::string& path) {
  CommandDescription description{command.get_name(), command.get_description(), command.help(path)};
  description.is_chosen = command.parsed();
  for (const CLI::Option* option : command.get_options()) description.options.push_back(description_of(*option));
  const std::string own_path = path.empty() ? command.get_name() : path + " " + command.get_name();
  for (const CLI::App* further : command.get_subcommands([](const CLI::App*) { return true; }))
    description.commands.push_back(description_of(*further, own_path));
  return description;
}

RefusedWords::Reason reason_of(const CLI::ParseError& error) {
  if (dynamic_cast<const CLI::ConversionError*>(&error)) return RefusedWords::Reason::no_number;
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error)) return RefusedWords::Reason::wrong_count;
  if (dynamic_cast<const CLI::RequiredError*>(&error)) return RefusedWords::Reason::required;
  return RefusedWords::Reason::other;
}

}  // namespace

Command Command::add_command(const std::string& name, const std::string& text) {
  parser_->require_subcommand(1);
  return Command(*parser_->add_subcommand(name, text));
}

template <class Value>
void Command::add_option(const std::string& name, Value& value, const std::string& text, const OptionTraits& traits) {
  CLI::Option* option = parser_->add_option(name, value, text);
  if (!traits.type.empty()) option->type_name(traits.type);
  if (traits.is_required) option->required();
  if (traits.is_repeatable) option->take_all()->allow_extra_args(false);
  if (traits.has_commas) option->delimiter(',')->allow_extra_args(false);
  if (traits.shows_default) option->capture_default_str();
  // By pointer: CLI11 compares names where it may not throw, so that a failed allocation would end the program.
  if (!traits.excludes.empty()) option->excludes(parser_->get_option(traits.excludes));
}

template void Command::add_option(const std::string&, std::string&, const std::string&, const OptionTraits&);
template void Command::add_option(const std::string&, std::optional<std::string>&, const std::string&,
                                  const OptionTraits&);
template void Command::add_option(const std::string&, std::vector<std::string>&, const std::string&,
                                  const OptionTraits&);
template void Command::add_option(const std::string&, std::filesystem::path&, const std::string&, const OptionTraits&);
template void Command::add_option(const std::string&, std::vector<std::filesystem::path>&, const std::string&,
                                  const OptionTraits&);
template void Command::add_option(const std::string&, int&, const std::string&, const OptionTraits&);
template void Command::add_option(const std::string&, std::vector<int>&, const std::string&, const OptionTraits&);
template void Command::add_option(const std::string&, std::optional<int>&, const std::string&, const OptionTraits&);
template void Command::add_option(const std::string&, std::optional<std::int64_t>&, const std::string&,
                                  const OptionTraits&);
template void Command::add_option(const std::string&, std::optional<double>&, const std::string&, const OptionTraits&);
template void Command::add_option(const std::string&, std::vector<double>&, const std::string&, const OptionTraits&);

void Command::add_flag(const std::string& name, bool& value, const std::string& text) {
  parser_->add_flag(name, value, text);
}

void Command::add_flag_without(const std::string& positional, const std::string& name, bool& value,
                               const std::string& text) {
  CLI::Option* const not_needed = parser_->get_option(positional);
  const auto give = [&value, not_needed] {
    value = true;
    not_needed->required(false);
  };
  parser_->add_flag_callback(name, give, text);
}

bool Command::is_chosen() const { return parser_->parsed(); }

bool Command::is_given(const std::string& option) const { return parser_->get_option(option)->count() > 0; }

CommandLine::CommandLine(const std::string& name, const std::string& text, const std::string& version)
    : parser_(std::make_unique<CLI::App>(text, name)), program_(*parser_) {
  parser_->set_version_flag("--version", version);
  parser_->fallthrough();
}

CommandLine::~CommandLine() = default;

std::optional<RefusedWords> CommandLine::parse(const std::vector<std::string>& words, std::string& print) {
  try {
    parser_->parse(std::vector<std::string>(words.rbegin(), words.rend()));  // as CLI11 takes them
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != static_cast<int>(CLI::ExitCodes::Success))
      return RefusedWords{reason_of(error), error.what(), parser_->remaining(true)};
    std::ostringstream text;
    parser_->exit(error, text, text);
    print = text.str();
  }
  return std::nullopt;
}

CommandDescription CommandLine::description() const { return description_of(*parser_, ""); }

}  // namespace cardiowarp
