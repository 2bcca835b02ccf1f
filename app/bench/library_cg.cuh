#pragma once
#include <cmath>
#include <cstdint>
#include <vector>

#include "kernels/backend/cuda_backend.cuh"
#include "kernels/libraries/cublas.cuh"
#include "kernels/libraries/cusparse.cuh"
#include "solver/cg/conjugate_gradient.hpp"

namespace cardiowarp {

/// Places of the scalars of LibraryCg.
namespace library_cg {
inline constexpr int rz = 0, rz_next = 1, pq = 2, rr = 3, alpha = 4, minus_alpha = 5, beta = 6, one = 7, count = 8;
}

/// α = r·z / p·q
struct SetAlpha {
  Real* scalar;
  CARDIOWARP_HD void operator()(Index) const {
    using namespace library_cg;
    scalar[alpha] = scalar[rz] / scalar[pq];
    scalar[minus_alpha] = -scalar[alpha];
  }
};

/// β = (r·z)_next / r·z
struct SetBeta {
  Real* scalar;
  CARDIOWARP_HD void operator()(Index) const {
    using namespace library_cg;
    scalar[beta] = scalar[rz_next] / scalar[rz];
    scalar[rz] = scalar[rz_next];
  }
};

/// z = M⁻¹ r
struct Precondition {
  JacobiPreconditioner M;
  const Real* r;
  Real* z;
  CARDIOWARP_HD void operator()(Index i) const { z[i] = M(i, r[i]); }
};

/// Conjugate gradients with Jacobi as they are put together from libraries: the product by cuSPARSE's sliced ELL, which
/// is its fastest on nearly all hearts, everything else but the preconditioner by cuBLAS. Its scalars stay on the
/// device. An iteration moves 20 vectors, and a look at the norm one more.
class LibraryCg {
 public:
  /// A solver for a matrix in K1rs. The backend and the matrix must outlive this. Throws MissingLibrary, DeviceError.
  LibraryCg(CudaBackend& backend, const EllWarpView& A, std::int64_t entries, std::int64_t stored_entries,
            const JacobiPreconditioner& jacobi)
      : backend_(backend),
        n_(A.rows),
        jacobi_(jacobi),
        cublas_(backend),
        product_(backend, A, entries, stored_entries),
        scalars_(uploaded(backend, std::vector<Real>(library_cg::count, 1.0))),
        r_(backend.allocate<Real>(n_)),
        p_(backend.allocate<Real>(n_)),
        q_(backend.allocate<Real>(n_)),
        z_(backend.allocate<Real>(n_)) {}

  /// x = 0, r = b, z = M⁻¹ r, p = z
  void start(const Real* b, Real* x) {
    using namespace library_cg;
    cuda_check(cudaMemsetAsync(x, 0, n_ * sizeof(Real), backend_.stream()));
    copy(b, r_.data());
    backend_.for_each(n_, Precondition{jacobi_, r_.data(), z_.data()});
    copy(z_.data(), p_.data());
    cublas_.dot(n_, r_.data(), z_.data(), scalar(rz));
  }

  void iterate(Real* x) {
    using namespace library_cg;
    // q = A p, α = r·z / p·q
    product_.multiply(p_.data(), q_.data());
    cublas_.dot(n_, p_.data(), q_.data(), scalar(pq));
    backend_.for_each(1, SetAlpha{scalars_.data()});
    // x += α p,  r −= α q,  z = M⁻¹ r
    cublas_.axpy(n_, scalar(alpha), p_.data(), x);
    cublas_.axpy(n_, scalar(minus_alpha), q_.data(), r_.data());
    backend_.for_each(n_, Precondition{jacobi_, r_.data(), z_.data()});
    // β = (r·z)_next / r·z,  p = z + β p
    cublas_.dot(n_, r_.data(), z_.data(), scalar(rz_next));
    backend_.for_each(1, SetBeta{scalars_.data()});
    cublas_.scal(n_, scalar(beta), p_.data());
    cublas_.axpy(n_, scalar(one), z_.data(), p_.data());
  }

  /// |r|, for which the host waits.
  Real residual_norm() {
    cublas_.dot(n_, r_.data(), r_.data(), scalar(library_cg::rr));
    return std::sqrt(backend_.read(scalar(library_cg::rr)));
  }

  /// A whole solve; the host looks at the norm in each iteration.
  CgReport solve(const Real* b, Real* x, const CgConfig& config) {
    start(b, x);
    CgReport report;
    report.rhs_norm = report.residual_norm = residual_norm();
    const Real target = cg_target(report.rhs_norm, config, {});
    while (report.residual_norm > target && report.iterations < config.max_iterations) {
      iterate(x);
      ++report.iterations;
      report.residual_norm = residual_norm();
    }
    if (!(report.residual_norm <= target)) report.status = CgStatus::iteration_limit;
    return report;
  }

 private:
  Real* scalar(int place) const { return scalars_.data() + place; }
  void copy(const Real* from, Real* to) {
    cuda_check(cudaMemcpyAsync(to, from, n_ * sizeof(Real), cudaMemcpyDeviceToDevice, backend_.stream()));
  }

  CudaBackend& backend_;
  Index n_;
  JacobiPreconditioner jacobi_;
  Cublas cublas_;
  CusparseMatrix product_;
  Buffer<Real> scalars_, r_, p_, q_, z_;
};

}  // namespace cardiowarp
