#include "meshes/gmsh_text_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "fem/input_error.hpp"
#include "meshes/suffix.hpp"

namespace cardiowarp {
namespace {

/// Goes through a text line by line and names the current one in errors.
class Lines {
 public:
  Lines(std::string file, std::string_view text) : file_(std::move(file)), rest_(text) {}

  bool next() {
    if (rest_.empty()) return false;
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    line_ = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    ++number_;
    return true;
  }

  /// Without white space at both ends.
  std::string_view trimmed() const {
    const std::size_t begin = line_.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos) return {};
    return line_.substr(begin, line_.find_last_not_of(" \t\r") + 1 - begin);
  }
  std::string_view line() const { return line_; }

  /// `text`, a part of the line, has to have nothing but numbers, and names of a continuation, which begin with +.
  void require_numbers(std::string_view text) const {
    constexpr std::string_view between = " ,*\t\r";
    while (!text.empty()) {
      const std::string_view word = text.substr(0, text.find_first_of(between));
      const bool is_name = word.size() > 1 && word[0] == '+' && word.find_first_of("0123456789.") != 1;
      if (!is_name && word.find_first_not_of("0123456789+-.eEdD") != std::string_view::npos)
        fail(fmt::format("expected a number, got '{}'", word.substr(0, 40)));
      text.remove_prefix(std::min(word.size() + 1, text.size()));
    }
  }

  [[noreturn]] void fail(const std::string& message) const {
    throw InputError(fmt::format("{}:{}: {}", file_, number_, message));
  }

 private:
  std::string file_;
  std::string_view rest_, line_;
  std::size_t number_ = 0;
};

/// The cards of nodes and of the elements that Gmsh knows.
bool is_of_mesh(std::string_view card) {
  constexpr std::array<std::string_view, 10> cards{"grid",   "ctria3", "ctria6", "cquad4", "cquad8",
                                                   "ctetra", "chexa",  "cpenta", "cpyram", "cbar"};
  return std::ranges::find(cards, card) != cards.end();
}

}  // namespace

void check_nastran_text(const std::string& file, std::string_view text) {
  Lines lines(file, text);
  bool has_end = false, goes_on = false;  // of the card that the line before has begun
  while (!has_end && lines.next()) {
    const std::string_view line = lines.trimmed();
    if (line.empty() || line[0] == '$') continue;
    const std::size_t name_end = std::min(line.find_first_of(" ,*\t"), line.size());
    const std::string card = in_small_letters(line.substr(0, std::min<std::size_t>(name_end, 8)));
    const bool continues = line[0] == '+' || line[0] == '*' || line[0] == ',' || lines.line()[0] == ' ';
    if (card == "include") lines.fail("includes another file, which is not read: expected one file");
    if (!continues) goes_on = is_of_mesh(card);
    if (goes_on && !continues) lines.require_numbers(line.substr(name_end));
    has_end = card == "enddata";
  }
  if (!has_end) lines.fail("expected ENDDATA at the end (truncated file?)");
}

void check_unv_text(const std::string& file, std::string_view text) {
  constexpr std::array<std::string_view, 3> of_nodes{"15", "781", "2411"}, of_elements{"780", "2412", "82412"};
  Lines lines(file, text);
  bool has_nodes = false, has_elements = false;
  while (lines.next()) {
    if (lines.trimmed().empty()) continue;
    if (lines.trimmed() != "-1")
      lines.fail(fmt::format("expected -1, which begins a dataset, got '{}'", lines.trimmed().substr(0, 40)));
    if (!lines.next()) lines.fail("a dataset has no number (truncated file?)");
    const std::string_view number = lines.trimmed();
    const bool nodes = std::ranges::find(of_nodes, number) != of_nodes.end();
    const bool elements = std::ranges::find(of_elements, number) != of_elements.end();
    has_nodes = has_nodes || nodes;
    has_elements = has_elements || elements;
    bool has_end = false;
    while (!has_end && lines.next()) {
      has_end = lines.trimmed() == "-1";
      if (nodes || elements) lines.require_numbers(lines.line());
    }
    if (!has_end) lines.fail(fmt::format("dataset {} has no end, -1 (truncated file?)", number.substr(0, 40)));
  }
  if (!has_nodes || !has_elements)
    lines.fail(fmt::format("the file has no dataset of {}", has_nodes ? "elements (2412)" : "nodes (2411)"));
}

}  // namespace cardiowarp
