#pragma once
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include <pugixml.hpp>

namespace cardiowarp {

// XML files from strangers. What they may do is fail: a file is read to `most_xml_bytes`, entities are refused (a few
// lines of them can stand for gigabytes), and so are elements inside more than `most_xml_depth` others.

constexpr std::size_t most_xml_bytes = 16 << 20;
constexpr int most_xml_depth = 200;

/// The bytes of a file. Throws InputError where it cannot be read, is no regular file or is too large.
std::string xml_file_text(const std::filesystem::path& file);

/// Reads `text` into `document`, which it does not refer to afterwards. Throws InputError with the line.
void parse_xml(std::string_view text, pugi::xml_document& document);

/// The name of an element or attribute without its prefix: `cellml:units` is `units`.
std::string_view local_name(const char* name);

/// The value of the attribute of this local name; empty where there is none.
std::string attribute_of(const pugi::xml_node& element, std::string_view name);

/// The identifier in an attribute of CellML: letters, digits and underscores. Throws InputError where it is something
/// else, which names the element.
std::string identifier_of(const pugi::xml_node& element, std::string_view name);

/// The text of a stranger's file for a message: control characters as ?, and at most 60 bytes.
std::string shown(std::string_view text);

}  // namespace cardiowarp
