#include "app/bench/matrix_market.hpp"
#include "tests/fuzz/fuzz_target.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cardiowarp;
  fuzz::is_read([&] {
    const BenchMatrix A = read_matrix_market_text("input.mtx", fuzz::text_of(data, size));
    fuzz::require(A.rows() > 0 && A.row_begin.back() == static_cast<Index>(A.column.size()), "a matrix without rows");
    for (const Index column : A.column) fuzz::require(column >= 0 && column < A.rows(), "a column outside");
  });
  return 0;
}
