#pragma once
#include <cmath>
#include <utility>

#include "kernels/backend.hpp"

namespace cardiowarp {

/// How accurately one system of a Newton iteration needs to be solved: |r| <= η |b| with the forcing term η of
/// Eisenstat and Walker (1996, SIAM J. Sci. Comput. 17, choice 2), no better than the linearisation it belongs to and,
/// as the last iteration would else get more than the answer can show, not below `enough` (Kelley 1995, sec. 6.3):
///   η = min(largest, max(γ (|b| / |b before|)², enough / |b|))
/// Their safeguard against η falling too fast acts where γ η² > 0.1, which `largest` excludes.
struct Forcing {
  Real largest = 0;        ///< and of the first iteration; 0: no forcing
  Real previous_norm = 0;  ///< |b| of the iteration before; 0: none before
  Real enough = 0;         ///< |r| that is small enough

  CARDIOWARP_HD Real operator()(Real norm) const {
    constexpr Real gamma = 0.9;
    if (previous_norm <= 0) return largest;
    const Real ratio = norm / previous_norm;
    return std::fmin(largest, std::fmax(gamma * ratio * ratio, enough / norm));
  }
};

struct CgConfig {
  Real relative_tolerance;  ///< stop when |r| <= relative_tolerance |b|
  int max_iterations;
};

enum class CgStatus { converged, iteration_limit, not_positive_definite, not_finite };

struct CgReport {
  CgStatus status = CgStatus::converged;
  int iterations = 0;
  Real rhs_norm = 0;       ///< |b|
  Real residual_norm = 0;  ///< |r| at the end, from the recurrence; on the chip |b − A x|
};

/// |r| at which a solve of a system with right-hand side b ends: by the larger of the two tolerances.
CARDIOWARP_HD inline Real cg_target(Real rhs_norm, const CgConfig& config, const Forcing& forcing) {
  return std::fmax(config.relative_tolerance, forcing(rhs_norm)) * rhs_norm;
}

/// Vectors and scalars of one solve, in backend memory.
struct CgWorkspace {
  Real* r;        ///< [n] in: right-hand side b, out: residual
  Real* p;        ///< [n]
  Real* q;        ///< [n]
  Real* scalars;  ///< [5]
  static constexpr int scalar_count = 5;
};

/// Jacobi preconditioner: z = D⁻¹ r, entry by entry.
struct JacobiPreconditioner {
  const Real* inverse_diagonal;  ///< [n]
  CARDIOWARP_HD Real operator()(Index row, Real r) const { return inverse_diagonal[row] * r; }
};

/// A preconditioner that needs the whole of r for an entry of z = M⁻¹ r: prepare(r) computes z, M(i, r_i) is then z_i.
template <class M>
concept PreparedPreconditioner = requires(const M& preconditioner, const Real* r) {
  preconditioner.prepare(r);
};

/// Preconditioned conjugate gradients for A x = b; A and M symmetric positive definite, M entry by entry or prepared.
/// It stops at the larger of the two tolerances, config's and the forcing term.
/// A.multiply_dot(backend, p, q, pq) is q = A p and *pq = p·q. On entry w.r = b; x is overwritten (start 0).
/// Three passes an iteration where A fuses the dot into its product: beside A, 7 vector reads, 4 writes and one gather
/// of p; M (z where it is prepared, in four passes beside M's own) is read twice.
template <Backend B, class Matrix, class Preconditioner>
CgReport conjugate_gradient(B& backend, Index n, const Matrix& A, const Preconditioner& M, Real* x,
                            const CgWorkspace& w, const CgConfig& config, const Forcing& forcing = {}) {
  Real *const r = w.r, *const p = w.p, *const q = w.q;
  constexpr bool prepared = PreparedPreconditioner<Preconditioner>;
  Real* rz = w.scalars;  // r·z and r·r, adjacent: one sum writes both
  Real* rz_next = w.scalars + 2;
  Real* const pq = w.scalars + 4;

  // x = 0, z = M⁻¹ r, p = z
  if constexpr (prepared) M.prepare(r);
  backend.template sum<2>(n, rz, [=] CARDIOWARP_HD(Index i) {
    const Real z = M(i, r[i]);
    x[i] = 0;
    p[i] = z;
    return Terms<2>{{r[i] * z, r[i] * r[i]}};
  });

  CgReport report;
  report.rhs_norm = report.residual_norm = std::sqrt(backend.template read<2>(rz)[1]);
  const Real target = cg_target(report.rhs_norm, config, forcing);

  while (std::isfinite(report.residual_norm) && report.residual_norm > target) {
    if (report.iterations == config.max_iterations) {
      report.status = CgStatus::iteration_limit;
      return report;
    }
    ++report.iterations;

    // q = A p, p·q
    A.multiply_dot(backend, p, q, pq);
    // α = r·z / p·q,  x += α p,  r −= α q,  z = M⁻¹ r
    if constexpr (prepared) {
      backend.for_each(n, [=] CARDIOWARP_HD(Index i) {
        const Real alpha = *rz / *pq;
        x[i] += alpha * p[i];
        r[i] -= alpha * q[i];
      });
      M.prepare(r);
      backend.template sum<2>(n, rz_next, [=] CARDIOWARP_HD(Index i) {
        return Terms<2>{{r[i] * M(i, r[i]), r[i] * r[i]}};
      });
    } else {
      backend.template sum<2>(n, rz_next, [=] CARDIOWARP_HD(Index i) {
        const Real alpha = *rz / *pq;
        x[i] += alpha * p[i];
        const Real residual = r[i] - alpha * q[i];
        r[i] = residual;
        return Terms<2>{{residual * M(i, residual), residual * residual}};
      });
    }
    // β = (r·z)_next / r·z,  p = z + β p
    backend.for_each(n, [=] CARDIOWARP_HD(Index i) { p[i] = M(i, r[i]) + (*rz_next / *rz) * p[i]; });

    const auto scalars = backend.template read<CgWorkspace::scalar_count>(w.scalars);
    report.residual_norm = std::sqrt(scalars[rz_next + 1 - w.scalars]);
    if (scalars[pq - w.scalars] <= 0) {
      report.status = CgStatus::not_positive_definite;
      return report;
    }
    std::swap(rz, rz_next);
  }
  if (!std::isfinite(report.residual_norm)) report.status = CgStatus::not_finite;
  return report;
}

}  // namespace cardiowarp
