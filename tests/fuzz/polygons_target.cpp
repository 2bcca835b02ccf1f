// The content of a .ply, and of an .obj.

#include "meshes/polygon_files.hpp"

#include "fem/mesh.hpp"
#include "meshes/text_rows.hpp"
#include "tests/fuzz/fuzz_target.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cardiowarp;
  const auto check = [](const Mesh& surface) {
    for (const Triangle& corners : surface.triangles)
      for (const Index node : corners)
        fuzz::require(node >= 0 && static_cast<std::size_t>(node) < surface.nodes.size(),
                      "a surface with a missing point");
  };
  fuzz::is_read([&] { check(read_ply_text({"input.ply", fuzz::text_of(data, size)})); });
  fuzz::is_read([&] { check(read_obj_text({"input.obj", fuzz::text_of(data, size)})); });
  return 0;
}
