#pragma once
#include <string>
#include <string_view>

namespace cardiowarp {

/// A word as names and formats compare it that make no difference between capitals and small letters. Only the letters
/// of ASCII have a small form here.
inline std::string in_small_letters(std::string_view word) {
  std::string small(word);
  for (char& c : small)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return small;
}

}  // namespace cardiowarp
