// The contents of a .node, an .ele and, where there is a second separator, a .face file.

#include "meshes/tetgen_file.hpp"
#include "meshes/text_rows.hpp"
#include "tests/fuzz/checked_mesh.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cardiowarp;
  const auto parts = fuzz::split(fuzz::text_of(data, size), 3);
  if (parts.size() < 2) return 0;
  const NamedText nodes{"input.node", parts[0]}, elements{"input.ele", parts[1]};
  const NamedText faces{"input.face", parts.size() > 2 ? parts[2] : std::string_view()};
  fuzz::is_read(
      [&] { fuzz::check_thoroughly(read_tetgen_texts(nodes, elements, parts.size() > 2 ? &faces : nullptr)); });
  return 0;
}
