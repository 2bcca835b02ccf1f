#include "app/config/yaml_mistakes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

namespace cardiowarp {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    if (line.ends_with('\r')) line.pop_back();
    lines.push_back(line);
  }
  return lines;
}

bool is_content(const std::string& line) {
  const std::size_t first = line.find_first_not_of(" \t");
  return first != std::string::npos && line[first] != '#';
}

int indentation(const std::string& line) { return static_cast<int>(line.find_first_not_of(' ')); }

/// The line without its comment and the spaces before that.
std::string without_comment(const std::string& line) {
  std::string text = line.substr(0, line.find(" #"));
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

/// The columns that a line opens for those below: its own, and that after each `- ` of a list's entry.
std::vector<int> columns_of(const std::string& line) {
  int column = indentation(line);
  std::vector<int> columns{column};
  while (line.compare(column, 2, "- ") == 0) {
    column = static_cast<int>(line.find_first_not_of(' ', column + 2));
    if (column < 0) break;
    columns.push_back(column);
  }
  return columns;
}

bool has_colon(const std::string& line) { return line.ends_with(':') || line.find(": ") != std::string::npos; }

std::string spaces(int count) { return count == 1 ? "1 space" : fmt::format("{} spaces", count); }

/// Indented unlike every line above that it could belong to, or below a line that has its value already; else empty.
std::string wrong_indentation(const std::vector<std::string>& lines, int line) {
  int above = line - 1;
  while (above >= 0 && !is_content(lines[above])) --above;
  if (above < 0) return "";
  const int own = indentation(lines[line]);
  const std::string before = without_comment(lines[above]);
  const int last_column = columns_of(before).back();
  if (own > last_column)
    return has_colon(before) && !before.ends_with(':')
               ? fmt::format("a line indented by {} below '{}', which has its value already: expected {}", spaces(own),
                             before.substr(last_column), spaces(last_column))
               : "";
  std::set<int> open;
  for (int lowest = last_column + 1; above >= 0; --above) {
    if (!is_content(lines[above])) continue;
    const std::vector<int> columns = columns_of(lines[above]);
    for (const int column : columns)
      if (column < lowest) open.insert(column);
    lowest = std::min(lowest, columns.front());
  }
  if (open.count(own) > 0) return "";
  return fmt::format("a line indented by {}: expected {}, as lines above", spaces(own), fmt::join(open, " or "));
}

/// Spaces that look like one but do not count as one.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> odd_spaces{
    {{"\u00a0", "a no-break space"},
     {"\u202f", "a narrow no-break space"},
     {"\u2007", "a figure space"},
     {"\u2009", "a thin space"},
     {"\u200b", "a space of no width"},
     {"\u3000", "an ideographic space"}}};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

YamlMistake explain_syntax_error(const std::string& text, int line, int column, const std::string& parser_words) {
  YamlMistake mistake{line, column, "a syntax error: " + parser_words};
  const std::vector<std::string> lines = lines_of(text);
  if (line < 0 || line >= static_cast<int>(lines.size())) return mistake;

  // \U, \u and \x begin numbers, at which the parser stops behind them.
  if (parser_words.starts_with("unknown escape character") || parser_words.find("hex number") != std::string::npos) {
    const std::size_t backslash = lines[line].rfind('\\', static_cast<std::size_t>(std::max(column, 0)));
    if (backslash != std::string::npos) mistake.column = static_cast<int>(backslash);
    mistake.words =
        "a backslash in double quotes, which begins an escape like \\n: use single quotes, and / between folders";
    return mistake;
  }
  int above = line - 1;
  while (above > 0 && !is_content(lines[above])) --above;
  for (const int candidate : {line, above}) {
    if (candidate < 0) continue;
    const std::size_t first = lines[candidate].find_first_not_of(' ');
    if (first == std::string::npos || lines[candidate][first] != '\t') continue;
    return {candidate, static_cast<int>(first), "a tab in the indentation: indent with spaces"};
  }
  if (!is_content(lines[line])) return mistake;
  if (const std::string words = wrong_indentation(lines, line); !words.empty())
    return {line, indentation(lines[line]), words};
  if (above >= 0 && is_content(lines[above]) && !has_colon(without_comment(lines[above])) &&
      indentation(lines[above]) == indentation(lines[line]) && has_colon(lines[line]))
    return {above, indentation(lines[above]),
            fmt::format("'{}'{}: a key ends with a colon and a space, as in 'key: value'",
                        without_comment(lines[above]).substr(indentation(lines[above])), odd_characters(lines[above]))};
  return mistake;
}

std::string odd_characters(std::string_view text) {
  for (const auto& [space, name] : odd_spaces)
    if (text.find(space) != std::string_view::npos) return fmt::format(" with {}: type a plain space", name);
  return "";
}

std::string decimal_comma(std::string_view text) {
  const std::size_t comma = text.find(',');
  if (comma == 0 || comma == std::string_view::npos || comma + 1 == text.size() || !is_digit(text[comma - 1]) ||
      !is_digit(text[comma + 1]))
    return "";
  std::string with_point(text);
  with_point[comma] = '.';
  return "; decimals have a point: '" + with_point + "'";
}

}  // namespace cardiowarp
