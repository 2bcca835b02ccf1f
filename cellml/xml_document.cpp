#include "cellml/xml_document.hpp"

#include <algorithm>
#include <fstream>
#include <ios>
#include <system_error>

#include "fem/input_error.hpp"

namespace cardiowarp {
namespace {

std::size_t line_of(std::string_view text, std::ptrdiff_t offset) {
  const auto end = static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(offset, 0, std::ssize(text)));
  return 1 + static_cast<std::size_t>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
}

/// Throws where an element stands inside too many others.
class DepthWalker : public pugi::xml_tree_walker {
 public:
  bool for_each(pugi::xml_node& /*element*/) override { return depth() < most_xml_depth; }
};

}  // namespace

std::string xml_file_text(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::exists(file, error)) throw InputError("there is no such file");
  if (!std::filesystem::is_regular_file(file, error)) throw InputError("expected a file, got something else");
  const auto bytes = std::filesystem::file_size(file, error);
  if (!error && bytes > most_xml_bytes)
    throw InputError("expected at most " + std::to_string(most_xml_bytes >> 20) + " MiB, got " +
                     std::to_string(bytes >> 20) + " MiB");
  std::ifstream stream(file, std::ios::binary);
  std::string text(error ? 0 : static_cast<std::size_t>(bytes), '\0');
  stream.read(text.data(), std::ssize(text));
  if (!stream || error) throw InputError("the file cannot be read");
  return text;
}

void parse_xml(std::string_view text, pugi::xml_document& document) {
  constexpr unsigned options = pugi::parse_default | pugi::parse_doctype;
  const pugi::xml_parse_result result = document.load_buffer(text.data(), text.size(), options);
  if (!result)
    throw InputError("line " + std::to_string(line_of(text, result.offset)) + ": no XML: " + result.description());
  for (const pugi::xml_node& child : document.children())
    if (child.type() == pugi::node_doctype &&
        std::string_view(child.value()).find("<!ENTITY") != std::string_view::npos)
      throw InputError("the file defines entities of XML, which are not read");
  DepthWalker walker;
  if (!document.traverse(walker))
    throw InputError("an element stands inside " + std::to_string(most_xml_depth) + " others, more than are read");
}

std::string_view local_name(const char* name) {
  const std::string_view text(name);
  const std::size_t colon = text.rfind(':');
  return colon == text.npos ? text : text.substr(colon + 1);
}

std::string attribute_of(const pugi::xml_node& element, std::string_view name) {
  for (const pugi::xml_attribute& attribute : element.attributes())
    if (local_name(attribute.name()) == name) return attribute.value();
  return "";
}

std::string identifier_of(const pugi::xml_node& element, std::string_view name) {
  const std::string value = attribute_of(element, name);
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  if (value.empty() || value.size() > 200 || !std::ranges::all_of(value, fits))
    throw InputError("element '" + shown(local_name(element.name())) + "': expected '" + std::string(name) +
                     "' of letters, digits and _, got '" + shown(value) + "'");
  return value;
}

std::string shown(std::string_view text) {
  std::string result(text.substr(0, 60));
  for (char& c : result)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  if (text.size() > 60) result += "...";
  return result;
}

}  // namespace cardiowarp
