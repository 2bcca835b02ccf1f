#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "assembly/spmv_assembly.hpp"
#include "kernels/backend/cuda_backend.cuh"
#include "kernels/backend/device_error.hpp"
#include "kernels/sparse/csr.hpp"

namespace cardiowarp {

// The sums of SpmvAssembly by products other than ELL-WARP's (paper 000 sec. 8, whose assembly was timed with
// CUSPARSE's): the contributions to K and to −R are the values of two matrices in compressed rows, which are multiplied
// by ones. `bench assembly` measures them. 12 bytes a contribution and 4 a sum.

/// A product with a matrix in compressed rows; it is made once for a matrix.
using RowProduct = std::function<void(const Real* x, Real* y)>;
using MakeRowProduct = std::function<RowProduct(CudaBackend& backend, const CsrView& A, Index entries)>;

/// The compressed rows of contributions, in host memory. Entry k of a row is in column k.
struct RowSumPlan {
  RowSumPlan(const Contributions& contributions, Index elements, int values);

  std::int64_t bytes() const;  ///< that the sums must move

  std::vector<Index> row_begin, column;
  std::vector<std::uint32_t> slots;  ///< [values × elements]
};

/// Throws DeviceError where an Index cannot number the contributions, InputError where one cannot number the sums.
struct RowSumsPlan {
  RowSumsPlan(const std::vector<Tetrahedron>& tetrahedra, const Sparsity& sparsity, const MatrixLayout& layout,
              MakeRowProduct make);

  std::int64_t bytes() const;  ///< that the sums and the inverses of the diagonal must move

  RowSumPlan entries, nodes;
  std::vector<Index> diagonal_slot;
  MakeRowProduct make_product;
};

/// One of the two matrices on the device.
class RowSum {
 public:
  RowSum(CudaBackend& backend, const RowSumPlan& plan, const MakeRowProduct& make)
      : row_begin_(uploaded(backend, plan.row_begin)),
        column_(uploaded(backend, plan.column)),
        slots_(uploaded(backend, plan.slots)),
        value_(backend.allocate<Real>(plan.column.size())),
        ones_(uploaded(backend, std::vector<Real>(plan.row_begin.size() - 1, 1))),
        product_(make(backend,
                      {static_cast<Index>(plan.row_begin.size() - 1), row_begin_.data(), column_.data(), value_.data()},
                      static_cast<Index>(plan.column.size()))) {}

  const std::uint32_t* slots() const { return slots_.data(); }
  Real* contributions() { return value_.data(); }
  void sum(Real* sums) const { product_(ones_.data(), sums); }

 private:
  Buffer<Index> row_begin_, column_;
  Buffer<std::uint32_t> slots_;
  Buffer<Real> value_, ones_;
  RowProduct product_;
};

/// The sums of SpmvAssembly on the device.
class RowSums {
 public:
  using Plan = RowSumsPlan;

  RowSums(CudaBackend& backend, const Plan& plan)
      : entries_(backend, plan.entries, plan.make_product), nodes_(backend, plan.nodes, plan.make_product) {}

  SlottedContributions contributions(Index elements) {
    return {elements, entries_.slots(), nodes_.slots(), entries_.contributions(), nodes_.contributions()};
  }

  /// Every value of K and of −R is written.
  void sum(CudaBackend& /*backend*/, Real* K, Real* negative_residual) const {
    entries_.sum(K);
    nodes_.sum(negative_residual);
  }

 private:
  RowSum entries_, nodes_;
};

/// The products that are measured, by the names of their strategies: spmv_csr_vector_2, ...
std::vector<std::pair<std::string, MakeRowProduct>> row_products();

}  // namespace cardiowarp
