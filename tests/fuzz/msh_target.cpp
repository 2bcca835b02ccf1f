#include "fem/mesh_check.hpp"
#include "meshes/msh_file.hpp"
#include "tests/fuzz/checked_mesh.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cardiowarp;
  fuzz::is_read([&] { fuzz::check_thoroughly(read_msh_text("input.msh", fuzz::text_of(data, size))); });
  return 0;
}
