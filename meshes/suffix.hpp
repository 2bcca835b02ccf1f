#pragma once
#include <filesystem>
#include <string>

namespace cardiowarp {

/// The suffix of a file's name in small letters, by which its format is chosen: `.stl` of `HEART.STL`, as programs on
/// Windows write it. Only the letters of ASCII have a small form here.
inline std::string suffix_of(const std::filesystem::path& file) {
  std::string suffix = file.extension().string();
  for (char& c : suffix)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return suffix;
}

}  // namespace cardiowarp
