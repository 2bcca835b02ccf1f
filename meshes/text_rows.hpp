#pragma once
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "fem/input_error.hpp"
#include "fem/vector3.hpp"
#include "kernels/backend/types.hpp"
#include "meshes/text_cursor.hpp"

namespace cardiowarp {

// Rows of numbers in the text files of meshes, as openCARP, TetGen, MEDIT and Netgen write them: a count, then so many
// rows. No count is believed beyond what the text can hold, so that memory stays within a few times the file's size.

/// The content of a file that is in memory, and its name for messages.
struct NamedText {
  std::string name;
  std::string_view text;
};

/// A cursor at the beginning of a file of rows with comments behind `#`. The line break at the end, or the last word of
/// the format, is asked for because a file cut inside its last number still has the right count.
inline TextCursor begin_rows(const NamedText& file, std::string_view last_word = "\n") {
  if (!file.text.ends_with('\n') && !file.text.ends_with(last_word))
    throw InputError(fmt::format("{}: expected a line break at the end (truncated file?)", file.name));
  return {file.name, file.text, '#'};
}

inline std::size_t read_count(TextCursor& cursor, std::string_view what) {
  const auto count = cursor.number<std::size_t>(what);
  if (count > std::size_t{std::numeric_limits<Index>::max()} || count > cursor.text().size())
    cursor.fail(fmt::format("{} is {}, more than the file can hold", what, count));
  return count;
}

inline void expect_end(TextCursor& cursor, std::size_t count, std::string_view what) {
  if (!cursor.at_end()) cursor.fail_at_word(cursor.word(), fmt::format("the end of the file after {} {}", count, what));
}

inline Real read_coordinate(TextCursor& cursor) {
  const std::string_view word = cursor.peek();
  const Real value = cursor.number<Real>("a coordinate");
  if (!std::isfinite(value)) cursor.fail_at_word(word, "a coordinate");
  return value;
}

inline Vector3 read_point(TextCursor& cursor) {
  Vector3 p;
  p.x = read_coordinate(cursor);
  p.y = read_coordinate(cursor);
  p.z = read_coordinate(cursor);
  return p;
}

/// The number of a node in a file that counts its `nodes` from `first` on; the result counts from 0.
inline Index read_node(TextCursor& cursor, Index first, std::size_t nodes) {
  const auto number = cursor.number<Index>("a node number");
  const std::int64_t last = std::int64_t{first} + static_cast<std::int64_t>(nodes) - 1;
  if (number < first || number > last)
    cursor.fail(fmt::format("node number {}: expected {} to {}", number, first, last));
  return number - first;
}

template <std::size_t Corners>
std::array<Index, Corners> read_corners(TextCursor& cursor, Index first, std::size_t nodes) {
  std::array<Index, Corners> corners;
  for (Index& corner : corners) corner = read_node(cursor, first, nodes);
  return corners;
}

}  // namespace cardiowarp
