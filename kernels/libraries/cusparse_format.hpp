#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/backend/backend.hpp"
#include "kernels/sparse/csr_format.hpp"
#include "kernels/sparse/matrix_format.hpp"

namespace cardiowarp {

/// The product of FormatOf<MatrixFormat::cusparse>. A backend that cuSPARSE works on specializes this
/// (kernels/libraries/cusparse_format.cuh); here are the compressed rows alone, for a backend that measures memory.
template <Backend B>
class CusparseProduct : public FormatOf<MatrixFormat::csr>::Product<B> {
  static_assert(RunsGeneralCode<B>, "include kernels/libraries/cusparse_format.cuh");

 public:
  CusparseProduct(B& backend, const CsrPattern& pattern)
      : FormatOf<MatrixFormat::csr>::Product<B>(backend, pattern, {}) {}
};

/// Compressed rows, multiplied by cuSPARSE, by the algorithm that promises the same bits in every run.
template <>
struct FormatOf<MatrixFormat::cusparse> {
  static constexpr bool needs_gpu = true;
  static constexpr bool keeps_entry_order = true;
  static constexpr bool has_single_values = false;

  static std::vector<MatrixOptions> variants() { return {{.format = MatrixFormat::cusparse}}; }
  static std::string name(const MatrixOptions& /*options*/) { return "cusparse"; }
  /// The name in `bench spmv`, where the library's other algorithms are measured, too.
  static std::string measured_name(const MatrixOptions& /*options*/) { return "cusparse_csr_2"; }
  static FormatParameters parameters(const MatrixOptions& /*options*/) { return {}; }
  static std::vector<Index> node_order(const MatrixOptions& /*options*/, std::span<const Index> /*row_length*/) {
    return {};
  }

  struct Layout {};
  static Layout layout(const CsrPattern& /*pattern*/, const MatrixOptions& /*options*/) { return {}; }
  static StoredEntries take_entries(Layout& /*layout*/, const CsrPattern& pattern) { return stored_as_csr(pattern); }
  static std::vector<Index> own_order(const Layout& /*layout*/) { return {}; }
  static std::int64_t product_bytes(const Layout& /*layout*/, const CsrPattern& pattern) {
    return FormatOf<MatrixFormat::csr>::product_bytes({}, pattern);
  }

  template <Backend B>
  class Product : public CusparseProduct<B> {
   public:
    Product(B& backend, const CsrPattern& pattern, const Layout& /*layout*/) : CusparseProduct<B>(backend, pattern) {}
  };
};

}  // namespace cardiowarp
