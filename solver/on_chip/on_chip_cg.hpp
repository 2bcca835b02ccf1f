#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "kernels/backend/backend.hpp"
#include "kernels/backend/sizing_backend.hpp"
#include "kernels/sparse/ell_warp_layout.hpp"
#include "solver/cg/conjugate_gradient.hpp"
#include "solver/on_chip/on_chip_shape.hpp"
#include "solver/parts/mail.hpp"

namespace cardiowarp {

/// Sums in an exchange between the parts: r·M⁻¹ r, w·M⁻¹ r, |r|².
inline constexpr int on_chip_sums = 3;
/// Each part reads one of them: all at one copy would queue for the few cache lines that hold it.
inline constexpr int copies_of_on_chip_sums = 4;

/// A system on the chip but for its values, in backend memory. Owns nothing.
struct OnChipView {
  Index rows, rows_a_part, longest_halo, kept_entries;
  const std::int64_t* slice_begin;    ///< [slices + 1]
  const std::uint16_t* local_column;  ///< [stored entries]
  const Index* halo_begin;            ///< [parts + 1]
  const Index* halo_row;
  const std::uint32_t* is_shared;  ///< [rows / 32 + 1]
  Mail* of_row;                    ///< [2 × rows]
  Mail* sums;                      ///< [2 × copies × sums × parts]
  std::uint32_t* round;            ///< of the last exchange
};

/// A x = b: values of the layout [stored entries] and vectors [rows], in backend memory.
struct OnChipSystem {
  const Real *value, *inverse_diagonal, *b;
  Real* x;
};

/// What a solve on the chip decides from iteration to iteration. Its recurrences are those of pipelined conjugate
/// gradients (P. Ghysels, W. Vanroose, Parallel Computing 40, 2014, Algorithm 4): the three sums of an iteration are of
/// vectors known before its product, so that one exchange between the parts serves both. With u = M⁻¹ r, w = A u:
///   γ = r·u, δ = w·u, |r|²                        one exchange
///   β = γ / γ_before,  p·A p = δ − β² (p·A p)_before,  α = γ / p·A p
///   n = A M⁻¹ w;  z = n + β z, s = w + β s, p = u + β p;  x += α p, r −= α s, w −= α z
/// In exact arithmetic the iterates are those of ConjugateGradient, and the solve ends by the same CgStop.
struct PipelinedCg {
  CgReport report;
  CgStop stop;
  Real alpha, beta;
  Real pq;             ///< p·A p
  Real inverse_gamma;  ///< 1 / γ of the iteration before; 0 before the first

  /// Of r = b; the first time or again from a better x.
  CARDIOWARP_HD void begin() { inverse_gamma = pq = 0; }

  /// Whether the iteration that these sums belong to steps; else the report says why the solve ends.
  CARDIOWARP_HD bool iterate(Real gamma, Real delta, Real residual_norm) {
    if (!stop.goes_on(report, residual_norm)) return false;
    beta = gamma * inverse_gamma;
    pq = delta - beta * beta * pq;
    if (!CgStop::can_step(pq)) {
      report.status = CgStatus::not_positive_definite;
      return false;
    }
    alpha = gamma / pq;
    inverse_gamma = 1 / gamma;
    ++report.iterations;
    return true;
  }
};

/// Whether a backend can run such a solve on its device. A backend that has the kernel overloads this and
/// launch_on_chip() (solver/on_chip/on_chip_cg.cuh); one that only counts memory takes the plan's word.
template <Backend B>
bool has_room_for(B&, const OnChipShape&) {
  static_assert(RunsPlainText<B>, "include solver/on_chip/on_chip_cg.cuh");
  return std::same_as<B, SizingBackend>;
}
template <Backend B>
void launch_on_chip(B&, const OnChipShape&, const OnChipView&, const OnChipSystem&, const CgConfig&, const Forcing*,
                    CgReport*) {
  static_assert(RunsPlainText<B>, "include solver/on_chip/on_chip_cg.cuh");
  throw std::logic_error("a solve on the chip needs a GPU");
}

/// Conjugate gradients with Jacobi for a matrix in parts, each of which a multiprocessor keeps from the first iteration
/// to the last.
template <Backend B>
class OnChipCg {
 public:
  OnChipCg(B& backend, const EllWarpLayout& layout, const MatrixParts& parts, const OnChipShape& shape)
      : shape_(shape),
        rows_(layout.shape.rows()),
        slice_begin_(uploaded(backend, layout.shape.slice_begin)),
        local_column_(uploaded(backend, parts.local_column)),
        halo_begin_(uploaded(backend, parts.halo_begin)),
        halo_row_(uploaded(backend, parts.halo_row)),
        is_shared_(uploaded(backend, rows_in_halos(parts, rows_))),
        of_row_(backend.template allocate<Mail>(2 * static_cast<std::size_t>(rows_))),
        sums_(backend.template allocate<Mail>(2 * static_cast<std::size_t>(copies_of_on_chip_sums) * on_chip_sums *
                                              shape_.parts)),
        round_(backend.template allocate<std::uint32_t>(1)) {}

  /// Solves from x = 0, `report` and the forcing term, where there is one, in backend memory. One launch; nothing
  /// waits.
  void solve(B& backend, const OnChipSystem& system, const CgConfig& config, const Forcing* forcing, CgReport* report) {
    const OnChipView view{rows_,
                          shape_.rows_a_part,
                          shape_.longest_halo,
                          shape_.kept_entries,
                          slice_begin_.data(),
                          local_column_.data(),
                          halo_begin_.data(),
                          halo_row_.data(),
                          is_shared_.data(),
                          of_row_.data(),
                          sums_.data(),
                          round_.data()};
    launch_on_chip(backend, shape_, view, system, config, forcing, report);
  }

 private:
  OnChipShape shape_;
  Index rows_;
  Buffer<std::int64_t> slice_begin_;
  Buffer<std::uint16_t> local_column_;
  Buffer<Index> halo_begin_, halo_row_;
  Buffer<std::uint32_t> is_shared_;
  Buffer<Mail> of_row_, sums_;
  Buffer<std::uint32_t> round_;
};

}  // namespace cardiowarp
