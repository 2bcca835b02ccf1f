#pragma once
#include <algorithm>
#include <string>
#include <string_view>

namespace cardiowarp {

// Editors of Windows put a mark in front of a text that says how it is encoded. The mark of UTF-8 is passed over by
// whoever reads a mesh file as text (MappedFile, and the nodes of a `.vtx`); no format here is read in UTF-16.

/// The mark of UTF-8.
inline constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

inline std::string_view without_byte_order_mark(std::string_view text) {
  return text.substr(text.starts_with(byte_order_mark) ? byte_order_mark.size() : 0);
}

/// A remark on a text that begins with a mark of UTF-16; empty of any other.
inline std::string why_utf_16(std::string_view text) {
  if (!text.starts_with("\xff\xfe") && !text.starts_with("\xfe\xff")) return {};
  return "it is a text in UTF-16: expected UTF-8 (`iconv -f UTF-16 -t UTF-8` makes it)";
}

}  // namespace cardiowarp
