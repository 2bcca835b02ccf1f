#include "app/config/config.hpp"
#include "tests/fuzz/fuzz_target.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cardiowarp;
  const auto file = fuzz::folder().write("run.yaml", fuzz::text_of(data, size));
  Config config;
  if (!fuzz::is_read([&] { config = load_config(file); })) return 0;
  // What is written back is read back.
  const std::string written = resolved_yaml(config);
  const auto again = fuzz::folder().write("resolved.yaml", written);
  fuzz::require(fuzz::is_read([&] { config = load_config(again); }), "a resolved configuration is refused");
  return 0;
}
