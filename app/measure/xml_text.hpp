#pragma once
#include <string>

namespace cardiowarp {

/// A text as SVG and HTML show it, where `<`, `>`, `&` and `"` have a meaning of their own.
inline std::string xml_text(const std::string& text) {
  std::string xml;
  for (const char c : text)
    xml += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : c == '"' ? "&quot;" : std::string(1, c);
  return xml;
}

}  // namespace cardiowarp
