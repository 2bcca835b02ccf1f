// The contents of a .pts, an .elem and, where there is a second separator, a .lon file.

#include "meshes/opencarp_file.hpp"
#include "meshes/text_rows.hpp"
#include "tests/fuzz/checked_mesh.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cardiowarp;
  const auto parts = fuzz::split(fuzz::text_of(data, size), 3);
  if (parts.size() < 2) return 0;
  const NamedText points{"input.pts", parts[0]}, elements{"input.elem", parts[1]};
  const NamedText fibers{"input.lon", parts.size() > 2 ? parts[2] : std::string_view()};
  fuzz::is_read(
      [&] { fuzz::check_thoroughly(read_opencarp_texts(points, elements, parts.size() > 2 ? &fibers : nullptr)); });
  return 0;
}
