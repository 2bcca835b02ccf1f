#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cardiowarp {

// The text that a `.vtu` file with raw appended data begins and ends with. The word <AppendedData ends where a block of
// 4096 bytes ends, and its tag has 46 bytes before the `>`, most of them spaces, so that every VTK can read the file.
// VTK hands a file to the parser expat in such blocks and, from the word on, up to the `>`; then it adds `/`, `>` and
// "\n</VTKFile>\n", 14 bytes, and needs the tag to be understood by then. Since 2.6, and in security updates of older
// ones as in Debian 12, expat tries an unfinished tag again only when twice as many bytes of it are there. VTK up
// to 9.3 and ParaView up to 5.12 then go on and take the data for text: "not well-formed (invalid token)". Behind the
// end of a block the bytes come one by one: expat tries 13, 26 and 52 of them, or 14, 28 and 56 where it passes over
// the end of the block, and 46 + 14 are more than either.

/// An array as the text announces it.
struct VtuArrayHead {
  std::string_view type;  ///< `Float64`, `Float32`, `Int64`, `Int32`, `UInt8`
  std::string name;
  std::size_t components = 1;
  std::size_t offset = 0;  ///< of its first byte in the appended data
};

/// The contents of a file.
struct VtuContents {
  std::size_t nodes = 0, elements = 0;
  std::vector<VtuArrayHead> of_file, of_points, of_cells;  ///< each of `of_file` one number
  VtuArrayHead points, connectivity, offsets, types;
};

/// The text before the appended data. The first array of points is the active one.
std::string vtu_head(const VtuContents& contents);

/// The text behind them.
inline constexpr std::string_view vtu_tail = "\n  </AppendedData>\n</VTKFile>\n";

}  // namespace cardiowarp
