// The content of a .mesh of MEDIT.

#include "meshes/medit_file.hpp"
#include "meshes/text_rows.hpp"
#include "tests/fuzz/checked_mesh.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cardiowarp;
  fuzz::is_read([&] { fuzz::check_thoroughly(read_medit_text({"input.mesh", fuzz::text_of(data, size)})); });
  return 0;
}
