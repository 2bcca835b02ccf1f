#pragma once
#include <cstddef>
#include <cstdint>

#include "kernels/backend.hpp"
#include "kernels/ell_warp_layout.hpp"
#include "solver/conjugate_gradient.hpp"
#include "solver/mail.hpp"
#include "solver/on_chip_shape.hpp"

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

/// A whole solve in one launch: a backend that has it overloads this (solver/on_chip_cg.cuh).
template <Backend B>
bool launch_on_chip(B&, const OnChipShape&, const OnChipView&, const OnChipSystem&, const CgConfig&, const Forcing*,
                    CgReport*) {
  return false;
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

  /// Enqueues the solve, `report` and the forcing term, where there is one, in backend memory. False, and nothing done,
  /// where the device has no room for all parts at once.
  bool launch(B& backend, const OnChipSystem& system, const CgConfig& config, const Forcing* forcing,
              CgReport* report) {
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
    return launch_on_chip(backend, shape_, view, system, config, forcing, report);
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
