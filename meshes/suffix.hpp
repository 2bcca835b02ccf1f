#pragma once
#include <filesystem>
#include <string>

#include "fem/small_letters.hpp"

namespace cardiowarp {

/// The suffix of a file's name in small letters, by which its format is chosen: `.stl` of `HEART.STL`, as programs on
/// Windows write it.
inline std::string suffix_of(const std::filesystem::path& file) { return in_small_letters(file.extension().string()); }

}  // namespace cardiowarp
