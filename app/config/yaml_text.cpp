#include "app/config/yaml_text.hpp"

#include <fmt/format.h>

namespace cardiowarp {

std::string yaml_number(Real value) {
  std::string text = fmt::format("{}", value);
  const std::size_t exponent = text.find('e');
  if (exponent != std::string::npos && text.find('.') == std::string::npos) text.insert(exponent, ".0");
  return text;
}

std::string yaml_quoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      quoted += fmt::format("\\{}", c);
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      quoted += fmt::format("\\x{:02x}", c);
    else
      quoted += c;
  }
  return quoted + '"';
}

std::string yaml_path(const std::filesystem::path& path) {
  return yaml_quoted(std::filesystem::absolute(path).string());
}

std::string yaml_vector(Vector3 v) {
  return fmt::format("[{}, {}, {}]", yaml_number(v.x), yaml_number(v.y), yaml_number(v.z));
}

std::string yaml_map(const std::vector<std::pair<std::string_view, Real>>& entries) {
  std::string text;
  for (const auto& [key, value] : entries)
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", key, yaml_number(value));
  return "{" + text + "}";
}

std::string yaml_switches(const std::vector<std::pair<std::string, bool>>& entries) {
  std::string text;
  for (const auto& [name, on] : entries)
    if (on) text += (text.empty() ? "" : ", ") + name;
  return "[" + text + "]";
}

}  // namespace cardiowarp
