#pragma once
#include <string>
#include <string_view>

namespace cardiowarp {

// Words for what people get wrong in a YAML file. The parser says where it stopped, which may be behind the mistake,
// and in terms of its own. Here the text around that place is searched for tabs, wrong indentation, missing colons and
// the like, so that the message names what to change. It is asked once the parser has refused a text, or once the
// reader of keys has refused a value; nothing here decides what is valid.

/// The mistake in a text that the YAML parser refuses, for the words after "expected valid YAML, got ".
struct YamlMistake {
  int line, column;  ///< counted from 0
  std::string words;
};

/// Looks around the place where the parser stopped for what people do wrong: tabs, lines indented unlike those above, a
/// key without a colon, a backslash in double quotes. Else the parser's own words.
YamlMistake explain_syntax_error(const std::string& text, int line, int column, const std::string& parser_words);

/// Odd characters in the text of a key or value, to follow it in a message: a space that is none. Empty for nothing.
std::string odd_characters(std::string_view text);

/// `; decimals have a point: 0.1` for a text that begins like `0,1`; else empty.
std::string decimal_comma(std::string_view text);

}  // namespace cardiowarp
