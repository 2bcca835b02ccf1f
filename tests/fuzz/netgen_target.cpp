// The content of a .vol of Netgen.

#include "meshes/netgen_file.hpp"
#include "meshes/text_rows.hpp"
#include "tests/fuzz/checked_mesh.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cardiowarp;
  fuzz::is_read([&] { fuzz::check_thoroughly(read_netgen_text({"input.vol", fuzz::text_of(data, size)})); });
  return 0;
}
