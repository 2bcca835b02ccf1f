#pragma once
#include <initializer_list>
#include <string>
#include <string_view>

namespace cardiowarp::test {

/// The pieces one after the other.
inline std::string text_of(std::initializer_list<std::string_view> pieces) {
  std::string text;
  for (const std::string_view piece : pieces) text += piece;
  return text;
}

}  // namespace cardiowarp::test
