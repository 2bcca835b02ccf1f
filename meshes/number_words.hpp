#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

#include "fem/small_letters.hpp"

namespace cardiowarp {

// Words that people and programs write where a text file should have a number, and no reader of this program, nor
// VTK's, takes for one. Messages that refuse such a word end with what_word_is().

/// The word with its Fortran exponent (1.5D+00, 1.5-101) as others write it; empty where it has none.
inline std::string without_fortran_exponent(std::string word) {
  if (const std::size_t letter = word.find_first_of("dq"); letter != std::string::npos) {
    word[letter] = 'e';
    return word;
  }
  const std::size_t sign = word.find_first_of("+-", 1);
  if (sign == std::string::npos || std::isdigit(static_cast<unsigned char>(word[sign - 1])) == 0) return {};
  return word.insert(sign, "e");
}

/// ` (…)` with what a word that is no number may be: not finite, a number with a Fortran exponent or with a decimal
/// comma. Empty of any other word. `of_not_finite` says what to do about one that is not finite.
inline std::string what_word_is(std::string_view word, std::string_view of_not_finite = {}) {
  std::string lower = in_small_letters(word.substr(0, 40));
  const std::string_view magnitude = std::string_view(lower).substr(lower.find_first_not_of("+-") == 1 ? 1 : 0);
  if (magnitude.starts_with("nan") || magnitude.starts_with("inf") || magnitude.starts_with("1.#"))
    return fmt::format(" (not a finite number{}{})", of_not_finite.empty() ? "" : ": ", of_not_finite);
  const bool has_digit = std::ranges::any_of(magnitude.substr(0, 2), [](char c) { return c >= '0' && c <= '9'; });
  if (!has_digit || magnitude.find_first_not_of("0123456789.,deq+-") != std::string_view::npos) return {};
  if (std::ranges::count(lower, ',') == 1) {
    lower[lower.find(',')] = '.';
    return fmt::format(" (a decimal comma: expected {})", lower);
  }
  const std::string usual = without_fortran_exponent(lower);
  return usual.empty() ? "" : fmt::format(" (an exponent of Fortran: expected {})", usual);
}

}  // namespace cardiowarp
