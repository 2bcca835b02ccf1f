#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "fem/input_error.hpp"
#include "meshes/number_words.hpp"

namespace cardiowarp {

/// Walks through a file's text word by word. Every failure is an InputError "file:line: expected ..., got '...'"; the
/// line is counted only then.
class TextCursor {
 public:
  TextCursor(std::string file, std::string_view text, char comment = '\0')
      : file_(std::move(file)), text_(text), comment_(comment) {}

  std::string_view text() const { return text_; }
  std::size_t position() const { return at_; }
  void move_to(std::size_t position) { at_ = position; }

  /// Passes white space and comments; true when nothing else is left.
  bool at_end() {
    while (at_ < text_.size()) {
      if (comment_ != '\0' && text_[at_] == comment_)
        at_ = std::min(text_.find('\n', at_), text_.size());
      else if (is_space(text_[at_]))
        ++at_;
      else
        return false;
    }
    return true;
  }

  /// Next word, empty at the end of the file.
  std::string_view word() {
    if (at_end()) return {};
    const std::size_t begin = at_;
    while (at_ < text_.size() && !is_space(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  /// Next word without passing it.
  std::string_view peek() {
    const std::size_t begin = at_;
    const std::string_view next = word();
    at_ = begin;
    return next;
  }

  /// The rest of the current line; the cursor moves to the next one.
  std::string_view rest_of_line() {
    const std::size_t begin = at_, end = std::min(text_.find('\n', at_), text_.size());
    at_ = std::min(end + 1, text_.size());
    return text_.substr(begin, end - begin);
  }

  /// Next word as a number (decimal integer or real); `what` names it in the error.
  template <class Number>
  Number number(std::string_view what) {
    const std::string_view next = word();
    const char *begin = next.data(), *end = begin + next.size();
    if (next.size() > 1 && next[0] == '+') ++begin;
    Number value{};
    const auto [stop, error] = std::from_chars(begin, end, value);
    if constexpr (std::is_integral_v<Number>)
      if (error == std::errc::result_out_of_range && stop == end)
        fail_at_word(next, fmt::format("{} from {} to {}", what, std::numeric_limits<Number>::min(),
                                       std::numeric_limits<Number>::max()));
    if (next.empty() || error != std::errc{} || stop != end) fail_at_word(next, what);
    return value;
  }

  [[noreturn]] void fail_at_word(std::string_view word, std::string_view expected) const {
    if (word.empty()) fail(fmt::format("expected {}, got the end of the file (truncated?)", expected));
    fail(fmt::format("expected {}, got '{}'{}", expected, word.substr(0, 40), what_word_is(word)));
  }

  [[noreturn]] void fail(std::string_view message) const {
    std::size_t end = std::min(at_, text_.size());
    if (end > 0 && text_[end - 1] == '\n') --end;
    const auto line = 1 + std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(end), '\n');
    throw InputError(fmt::format("{}:{}: {}", file_, line, message));
  }

 private:
  static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

  std::string file_;
  std::string_view text_;
  std::size_t at_ = 0;
  char comment_;
};

}  // namespace cardiowarp
