#pragma once
#include <filesystem>
#include <string>
#include <string_view>

namespace cardiowarp {

/// A word as the formats that make no difference between capitals and small letters compare it. Only the letters of
/// ASCII have a small form here.
inline std::string in_small_letters(std::string_view word) {
  std::string small(word);
  for (char& c : small)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return small;
}

/// The suffix of a file's name in small letters, by which its format is chosen: `.stl` of `HEART.STL`, as programs on
/// Windows write it.
inline std::string suffix_of(const std::filesystem::path& file) { return in_small_letters(file.extension().string()); }

}  // namespace cardiowarp
