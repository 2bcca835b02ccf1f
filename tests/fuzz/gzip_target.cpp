#include "app/bench/unpacked_text.hpp"
#include "tests/fuzz/fuzz_target.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cardiowarp;
  const auto file = fuzz::folder().write("input.gz", fuzz::text_of(data, size));
  fuzz::is_read([&] { fuzz::require(!read_unpacked(file).empty(), "an empty text"); });
  return 0;
}
