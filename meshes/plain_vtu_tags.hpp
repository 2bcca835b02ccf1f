#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "meshes/vtu_stored.hpp"

namespace cardiowarp {

// The tags of a plain `.vtu` file, for its reader (plain_vtu.cpp). Nothing is copied: names, attributes and contents
// are parts of the text of the file.

/// `<DataArray>` or `<Array>` with its attributes, and the text up to the next tag.
struct VtuArrayTag {
  std::string_view kind;
  std::vector<std::pair<std::string_view, std::string_view>> attributes;
  std::string_view content;

  /// Nothing where there is no such attribute.
  std::optional<std::string_view> attribute(std::string_view name) const;
};

/// The head of a plain file, before its numbers.
struct PlainVtuTags {
  VtuEncoding encoding;
  bool appended_is_base64 = false;
  std::string_view appended;  ///< from the first byte on that offsets count; empty where no data are appended
  std::uint64_t points = 0, cells = 0;
  std::vector<VtuArrayTag> field_data, point_data, cell_data, point_places, cell_nodes;
};

/// The tags of a file with one piece, whose numbers are in the byte order of this machine and compressed by zlib or not
/// at all. Nothing for any other text, also for one with entities or sections that are not among those above. Comments
/// are passed over.
std::optional<PlainVtuTags> plain_vtu_tags(std::string_view text);

}  // namespace cardiowarp
