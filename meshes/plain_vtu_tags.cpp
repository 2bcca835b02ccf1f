#include "meshes/plain_vtu_tags.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <system_error>

#include "meshes/vtu_text.hpp"

namespace cardiowarp {
namespace {

using Attributes = std::vector<std::pair<std::string_view, std::string_view>>;

std::optional<std::string_view> value_of(const Attributes& attributes, std::string_view name) {
  const auto found = std::ranges::find(attributes, name, &Attributes::value_type::first);
  return found == attributes.end() ? std::nullopt : std::optional(found->second);
}

/// `<name attribute="value" ..>`, `<name ../>` or `</name>`.
struct Tag {
  std::string_view name;
  Attributes attributes;
  bool opens = true, closes = false;
};

bool is_printable(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~' && c != '&'; });
}

/// Walks from tag to tag. What is not as expected ends it.
class TagWalk {
 public:
  explicit TagWalk(std::string_view text) : text_(text) {
    for (const std::string_view declaration : {R"(<?xml version="1.0"?>)", R"(<?xml version="1.0" encoding="UTF-8"?>)",
                                               R"(<?xml version="1.0" encoding="utf-8"?>)"})
      if (text_.starts_with(declaration)) {
        text_.remove_prefix(declaration.size());
        break;
      }
  }

  /// The next tag behind comments; nothing where the rest of the text has none that is plain.
  std::optional<Tag> next() {
    skip_space();
    while (text_.starts_with("<!--")) {
      if (!skip_comment()) return {};
      skip_space();
    }
    Tag tag;
    if (!take('<')) return {};
    if (take('/')) {
      tag.opens = false;
      tag.closes = true;
    }
    tag.name = word();
    while (!tag.name.empty()) {
      const bool has_space = skip_space();
      if (tag.opens && take('/')) tag.closes = true;
      if (take('>')) return tag;
      if (tag.closes || !has_space || !add_attribute(tag.attributes)) return {};
    }
    return {};
  }

  /// Passes over the text to the next tag, and returns it.
  std::string_view content() {
    const std::string_view found = text_.substr(0, text_.find('<'));
    text_.remove_prefix(found.size());
    return found;
  }

  /// All behind the last tag.
  std::string_view rest() const { return text_; }

 private:
  /// Whether there was some.
  bool skip_space() {
    const std::size_t spaces = std::min(text_.find_first_not_of(" \t\r\n"), text_.size());
    text_.remove_prefix(spaces);
    return spaces > 0;
  }
  /// Passes over the comment that begins here. False where it has no end, or has a tag, which VTK may take for one.
  bool skip_comment() {
    constexpr std::size_t mark = 4;  // characters of "<!--"
    const std::size_t end = text_.find("--", mark);
    if (end == std::string_view::npos) return false;
    const std::string_view words = text_.substr(mark, end - mark);
    if (!is_printable(words) || words.find('<') != std::string_view::npos) return false;
    text_.remove_prefix(end + 2);
    return take('>');
  }
  bool take(char c) {
    if (!text_.starts_with(c)) return false;
    text_.remove_prefix(1);
    return true;
  }
  std::string_view word() {
    const auto is_of_word = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
    const std::string_view found(text_.begin(), std::ranges::find_if_not(text_, is_of_word));
    text_.remove_prefix(found.size());
    return found;
  }
  bool add_attribute(Attributes& attributes) {
    const std::string_view name = word();
    if (name.empty() || value_of(attributes, name) || !take('=') || text_.empty()) return false;
    const char quote = text_.front();
    const std::size_t end = text_.find(quote, 1);
    if ((quote != '"' && quote != '\'') || end == std::string_view::npos) return false;
    const std::string_view value = text_.substr(1, end - 1);
    if (!is_printable(value) || value.find('<') != std::string_view::npos) return false;
    attributes.emplace_back(name, value);
    text_.remove_prefix(end + 1);
    return true;
  }

  std::string_view text_;
};

std::optional<std::uint64_t> count_in(const Attributes& attributes, std::string_view name) {
  const std::optional<std::string_view> word = value_of(attributes, name);
  std::uint64_t count = 0;
  if (!word) return {};
  const std::string_view digits = trimmed(*word);
  const auto [end, error] = std::from_chars(digits.begin(), digits.end(), count);
  return digits.empty() || error != std::errc{} || end != digits.end() ? std::nullopt : std::optional(count);
}

/// Reads the tags from the first on; each function returns false where the file is not plain.
class TagReader {
 public:
  explicit TagReader(std::string_view text) : walk_(text) {}

  bool read(PlainVtuTags& tags) {
    const std::optional<Tag> root = walk_.next();
    if (!root || !root->opens || root->closes || root->name != "VTKFile" || !read_root(root->attributes, tags.encoding))
      return false;
    const std::optional<Tag> grid = walk_.next();
    if (!grid || !grid->opens || grid->closes || grid->name != "UnstructuredGrid" || !read_grid(tags)) return false;
    const std::optional<Tag> last = walk_.next();
    if (last && last->opens && !last->closes && last->name == "AppendedData")
      return read_appended(last->attributes, tags);
    return last && !last->opens && last->name == "VTKFile" && trimmed(walk_.rest()).empty();
  }

 private:
  static bool read_root(const Attributes& attributes, VtuEncoding& encoding) {
    static_assert(std::endian::native == std::endian::little);
    const std::string_view header = value_of(attributes, "header_type").value_or("UInt32");
    const std::string_view version = value_of(attributes, "version").value_or("0.1");
    const std::optional<std::string_view> compressor = value_of(attributes, "compressor");
    encoding.compressed = compressor.has_value();
    encoding.header_bytes = header == "UInt64" ? 8 : 4;
    return value_of(attributes, "type") == "UnstructuredGrid" && value_of(attributes, "byte_order") == "LittleEndian" &&
           (header == "UInt32" || header == "UInt64") && (version.starts_with("0.") || version.starts_with("1.")) &&
           compressor.value_or("vtkZLibDataCompressor") == "vtkZLibDataCompressor";
  }

  /// To the end of the element UnstructuredGrid.
  bool read_grid(PlainVtuTags& tags) {
    bool has_fields = false, has_piece = false;
    while (const std::optional<Tag> tag = walk_.next()) {
      if (!tag->opens) return tag->name == "UnstructuredGrid" && has_piece;
      bool& known = tag->name == "Piece" ? has_piece : has_fields;
      if (std::exchange(known, true)) return false;
      if (tag->name == "Piece") {
        const std::optional<std::uint64_t> points = count_in(tag->attributes, "NumberOfPoints");
        const std::optional<std::uint64_t> cells = count_in(tag->attributes, "NumberOfCells");
        if (!points || !cells || tag->closes) return false;
        tags.points = *points;
        tags.cells = *cells;
        if (!read_piece(tags)) return false;
      } else if (tag->name != "FieldData" || (!tag->closes && !read_section("FieldData", tags.field_data))) {
        return false;
      }
    }
    return false;
  }

  /// To the end of the element Piece.
  bool read_piece(PlainVtuTags& tags) {
    const std::pair<std::string_view, std::vector<VtuArrayTag>*> sections[] = {{"PointData", &tags.point_data},
                                                                               {"CellData", &tags.cell_data},
                                                                               {"Points", &tags.point_places},
                                                                               {"Cells", &tags.cell_nodes}};
    std::vector<std::string_view> known;
    while (const std::optional<Tag> tag = walk_.next()) {
      if (!tag->opens) return tag->name == "Piece";
      const auto* const section = std::ranges::find(sections, tag->name, [](const auto& each) { return each.first; });
      if (section == std::end(sections) || std::ranges::find(known, tag->name) != known.end()) return false;
      known.push_back(tag->name);
      if (!tag->closes && !read_section(tag->name, *section->second)) return false;
    }
    return false;
  }

  /// To the end of an element with arrays.
  bool read_section(std::string_view name, std::vector<VtuArrayTag>& arrays) {
    while (std::optional<Tag> tag = walk_.next()) {
      if (!tag->opens) return tag->name == name;
      if (tag->name != "DataArray" && tag->name != "Array") return false;
      arrays.push_back({tag->name, std::move(tag->attributes), tag->closes ? "" : walk_.content()});
      if (!tag->closes && !skip_array(arrays.back().kind)) return false;
    }
    return false;
  }

  /// To the end of an array, which may have notes of VTK in it.
  bool skip_array(std::string_view kind) {
    while (const std::optional<Tag> tag = walk_.next()) {
      if (tag->name == kind) return !tag->opens;
      if (tag->name != "InformationKey" && tag->name != "Value") return false;
      if (tag->name == "Value" && tag->opens && !is_printable(trimmed(walk_.content()))) return false;
    }
    return false;
  }

  bool read_appended(const Attributes& attributes, PlainVtuTags& tags) const {
    const std::string_view encoding = value_of(attributes, "encoding").value_or("");
    const std::string_view data = trimmed_in_front(walk_.rest());
    const std::size_t end = data.rfind("</AppendedData");
    if ((encoding != "raw" && encoding != "base64") || !data.starts_with('_') || end == std::string_view::npos)
      return false;
    TagWalk behind(data.substr(end));
    for (const std::string_view name : {"AppendedData", "VTKFile"})
      if (const std::optional<Tag> tag = behind.next(); !tag || tag->opens || tag->name != name) return false;
    if (!trimmed(behind.rest()).empty()) return false;
    tags.appended_is_base64 = encoding == "base64";
    tags.appended = data.substr(1, end - 1);
    return true;
  }

  static std::string_view trimmed_in_front(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
    return text;
  }

  TagWalk walk_;
};

}  // namespace

std::optional<std::string_view> VtuArrayTag::attribute(std::string_view name) const {
  return value_of(attributes, name);
}

std::optional<PlainVtuTags> plain_vtu_tags(std::string_view text) {
  PlainVtuTags tags;
  return TagReader(text).read(tags) ? std::optional(std::move(tags)) : std::nullopt;
}

}  // namespace cardiowarp
