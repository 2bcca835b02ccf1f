#include <cmath>

#include "app/config/quantity.hpp"
#include "tests/fuzz/fuzz_target.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cardiowarp;
  const auto quantity = parse_quantity(fuzz::text_of(data, size));
  fuzz::require(!quantity || std::isfinite(quantity->value), "a quantity that is not finite");
  return 0;
}
