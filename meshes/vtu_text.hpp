#pragma once
#include <vtkDataArray.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <ios>
#include <streambuf>
#include <string>
#include <string_view>
#include <system_error>

namespace cardiowarp {

// The text of a `.vtu` file for the check of it (meshes/vtu_check.cpp): its words, which of them VTK reads as numbers,
// and the whole of it as a stream for VTK's parser. The text is that of the mapped file and is not copied.

inline bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

inline std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

/// A document without the comments and processing instructions that XML allows behind its last element.
inline std::string_view without_epilogue(std::string_view text) {
  for (text = trimmed(text);; text = trimmed(text)) {
    std::size_t begin = std::string_view::npos;
    if (text.ends_with("-->")) begin = text.rfind("<!--");
    if (text.ends_with("?>")) begin = text.rfind("<?");
    if (begin == std::string_view::npos) return text;
    text = text.substr(0, begin);
  }
}

/// The next word of `text`, which loses it; empty at the end.
inline std::string_view next_word(std::string_view& text) {
  const auto begin = std::find_if_not(text.begin(), text.end(), is_space);
  const auto end = std::find_if(begin, text.end(), is_space);
  const std::string_view word(begin, end);
  text = {end, text.end()};
  return word;
}

template <class Integer>
bool is_whole_number(std::string_view word) {
  Integer value{};
  const auto [end, error] = std::from_chars(word.begin(), word.end(), value);
  return error == std::errc{} && end == word.end();
}

/// Whether VTK reads all of a word of an ASCII array as one number. It ends an array where it does not, and breaks down
/// when it tries to say so of an array of cells.
inline bool is_number(std::string_view word, int type) {
  if (word.starts_with('+')) word.remove_prefix(1);
  const double least = vtkDataArray::GetDataTypeMin(type), most = vtkDataArray::GetDataTypeMax(type);
  if (type == VTK_FLOAT || type == VTK_DOUBLE) {
    double value = 0;
    const auto [end, error] = std::from_chars(word.begin(), word.end(), value);
    if (error == std::errc::result_out_of_range)  // too small, which is read as 0, or too large
      return end == word.end() && std::fabs(std::strtod(std::string(word).c_str(), nullptr)) < 1;
    return error == std::errc{} && end == word.end() && value >= least && value <= most;
  }
  if (least >= 0)
    return is_whole_number<std::uint64_t>(word) && std::strtod(std::string(word).c_str(), nullptr) <= most;
  if (!is_whole_number<std::int64_t>(word)) return false;
  const double value = std::strtod(std::string(word).c_str(), nullptr);
  return value >= least && value <= most;
}

/// The content of a file as a stream, which no failing call of the system can cut short.
class TextBuffer : public std::streambuf {
 public:
  explicit TextBuffer(std::string_view text) {
    char* begin = const_cast<char*>(text.data());  // it is only read
    setg(begin, begin, begin + text.size());
  }

 protected:
  pos_type seekoff(off_type offset, std::ios_base::seekdir from, std::ios_base::openmode /*mode*/) override {
    const off_type base = from == std::ios_base::beg ? 0 : (from == std::ios_base::cur ? gptr() : egptr()) - eback();
    return seekpos(base + offset, std::ios_base::in);
  }
  pos_type seekpos(pos_type position, std::ios_base::openmode /*mode*/) override {
    if (position < 0 || position > egptr() - eback()) return {off_type(-1)};
    setg(eback(), eback() + off_type(position), egptr());
    return position;
  }
};

}  // namespace cardiowarp
