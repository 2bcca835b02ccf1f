// A .vtx file, as a place in the configuration names it.

#include "app/config/where.hpp"
#include "app/simulation/selection.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tests/support/small_mesh.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cardiowarp;
  static const Mesh mesh = test::small_mesh();
  const auto file = fuzz::folder().write("input.vtx", fuzz::text_of(data, size));
  fuzz::is_read([&] {
    for (const Index node : select_nodes(mesh, Where{NodeFile{file}, "input.yaml:1:1: where"}))
      fuzz::require(node >= 0 && node < 5, "a node outside");
  });
  return 0;
}
