#include "meshes/legacy_vtk_check.hpp"
#include "tests/fuzz/fuzz_target.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cardiowarp;
  fuzz::is_read([&] { check_legacy_vtk("input.vtk", fuzz::text_of(data, size)); });
  return 0;
}
