#include "app/bench/row_sums.cuh"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>

#include "kernels/libraries/cusparse.cuh"
#include "kernels/rivals/csr_vector.cuh"
#include "kernels/rivals/merge.cuh"

namespace cardiowarp {
namespace {

constexpr int block_size = 256;

MakeRowProduct csr_vector_product(Index lanes) {
  return [lanes](CudaBackend& backend, const CsrView& A, Index /*entries*/) -> RowProduct {
    return [A, lanes, stream = backend.stream()](const Real* x, Real* y) {
      csr_vector_multiply(stream, block_size, lanes, A, x, y);
    };
  };
}

RowProduct merge_product(CudaBackend& backend, const CsrView& A, Index entries) {
  constexpr Index share = 7;
  const auto product = std::make_shared<const MergeProduct>(backend, A, entries, share);
  return [product, stream = backend.stream()](const Real* x, Real* y) { product->multiply(stream, block_size, x, y); };
}

RowProduct cusparse_product(CudaBackend& backend, const CsrView& A, Index entries) {
  const auto product = std::make_shared<const CusparseMatrix>(backend, A, entries, CusparseAlgorithm::csr_1);
  return [product](const Real* x, Real* y) { product->multiply(x, y); };
}

}  // namespace

std::vector<std::pair<std::string, MakeRowProduct>> row_products() {
  std::vector<std::pair<std::string, MakeRowProduct>> all;
  for (const Index lanes : {2, 4, 8, 16, 32})
    all.emplace_back("spmv_csr_vector_" + std::to_string(lanes), csr_vector_product(lanes));
  all.emplace_back("spmv_merge", merge_product);
  all.emplace_back("spmv_cusparse", cusparse_product);
  return all;
}

RowSumPlan::RowSumPlan(const Contributions& contributions, Index elements, int values)
    : row_begin(contributions.length.size() + 1), slots(contribution_places(contributions, elements, values)) {
  if (contributions.element.size() > static_cast<std::size_t>(std::numeric_limits<Index>::max()))
    throw DeviceError("compressed rows have at most " + std::to_string(std::numeric_limits<Index>::max()) +
                      " entries, got " + std::to_string(contributions.element.size()));
  std::inclusive_scan(contributions.length.begin(), contributions.length.end(), row_begin.begin() + 1);
  column.reserve(contributions.element.size());
  for (const Index length : contributions.length)
    for (Index k = 0; k < length; ++k) column.push_back(k);
}

std::int64_t RowSumPlan::bytes() const {
  return 12 * static_cast<std::int64_t>(column.size()) + 12 * static_cast<std::int64_t>(row_begin.size() - 1);
}

RowSumsPlan::RowSumsPlan(const std::vector<Tetrahedron>& tetrahedra, const Sparsity& sparsity,
                         const MatrixLayout& layout, MakeRowProduct make)
    : entries(entry_contributions(tetrahedra, sparsity, layout.slot_of_entry, layout.slots),
              static_cast<Index>(tetrahedra.size()), 16),
      nodes(node_contributions(tetrahedra, sparsity), static_cast<Index>(tetrahedra.size()), 4),
      diagonal_slot(diagonal_slots(sparsity, layout)),
      make_product(std::move(make)) {}

std::int64_t RowSumsPlan::bytes() const {
  return entries.bytes() + nodes.bytes() + inverted_diagonal_bytes(static_cast<std::int64_t>(diagonal_slot.size()));
}

}  // namespace cardiowarp
