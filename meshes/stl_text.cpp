#include "meshes/stl_text.hpp"

#include <cstdint>
#include <cstring>

#include "kernels/backend/types.hpp"
#include "meshes/suffix.hpp"
#include "meshes/text_cursor.hpp"

namespace cardiowarp {
namespace {

/// A binary file has a head of 80 bytes, which may begin with `solid` as well, the number of triangles, and 50 bytes
/// for each of these.
bool is_binary(std::string_view bytes) {
  constexpr std::size_t head = 80, triangle = 50;
  std::uint32_t triangles = 0;
  if (bytes.size() < head + sizeof triangles) return false;
  std::memcpy(&triangles, bytes.data() + head, sizeof triangles);
  return bytes.size() == head + sizeof triangles + triangle * triangles;
}

}  // namespace

void check_stl_text(const std::string& file, std::string_view text) {
  TextCursor in(file, text);
  if (is_binary(text) || in_small_letters(in.peek()) != "solid") return;
  while (!in.at_end()) {
    const std::string word = in_small_letters(in.word());
    if (word == "solid" || word == "endsolid") {
      in.rest_of_line();  // a name
    } else if (word == "vertex") {
      for (int component = 0; component < 3; ++component) in.number<Real>("a coordinate of a vertex");
    }
  }
}

}  // namespace cardiowarp
