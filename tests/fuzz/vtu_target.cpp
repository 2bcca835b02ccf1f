#include "fem/mesh.hpp"
#include "meshes/plain_vtu.hpp"
#include "meshes/vtu_check.hpp"
#include "tests/fuzz/fuzz_target.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cardiowarp;
  if (size == 0) return 0;  // refused before this check
  const auto text = fuzz::text_of(data, size);
  fuzz::is_read([&] { check_vtu(text); });
  plain_vtu_mesh(text, {"", "", {"scale"}});
  return 0;
}
