// The text of a .unv or of a .bdf, as it is checked before Gmsh reads it.

#include "meshes/gmsh_text_check.hpp"
#include "tests/fuzz/fuzz_target.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cardiowarp;
  fuzz::is_read([&] { check_unv_text("input.unv", fuzz::text_of(data, size)); });
  fuzz::is_read([&] { check_nastran_text("input.bdf", fuzz::text_of(data, size)); });
  return 0;
}
