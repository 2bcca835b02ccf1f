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
#include "solver/parts/messages.hpp"

namespace cardiowarp {

// The path `on_chip`: conjugate gradients with Jacobi in one launch, for a matrix in parts that fits into the shared
// memory of all multiprocessors together, or nearly. solver/parts/matrix_parts.hpp says what a part and its halo are.
// Each multiprocessor keeps one part in its shared memory from the first iteration to the last, and the part's rows of
// all vectors in registers. So an iteration moves little more than messages: one for each row that is in a halo, and
// three sums for each part. In the GPU's memory the path takes 2 bytes per stored entry and 32 per row, and 4 per row
// of a halo, beside the values of the matrix and the vectors of the system. on_chip_shape.hpp has the sizes,
// expected_on_chip() there says which matrices take this path, and the kernel is in on_chip_cg.cuh. With values in
// single precision a part keeps 6 bytes an entry in place of 10, so that larger matrices fit, and with vectors in
// single precision, too, half as much of these.

/// The sums that parts exchange once in an iteration: r·M⁻¹ r, w·M⁻¹ r and |r|².
inline constexpr int on_chip_sums = 3;
/// The messages with sums are sent in so many copies, of which a part reads one: if all read the same, they would queue
/// for the few cache lines that hold it.
inline constexpr int copies_of_on_chip_sums = 4;

/// The arrays of a solve on the path `on_chip` in backend memory, beside the numbers of the system. Owns nothing.
struct OnChipView {
  Index rows, rows_a_part, longest_halo, kept_entries;
  const std::int64_t* slice_begin;    ///< [slices + 1]
  const std::uint16_t* local_column;  ///< [stored entries]
  const Index* halo_begin;            ///< [parts + 1]
  const Index* halo_row;
  const std::uint32_t* is_in_halo;  ///< [rows / 32 + 1] rows_in_halos()
  Message* of_row;                  ///< [2 × rows] messages with a row's number of a vector, of even and odd rounds
  Message* sums;                    ///< [2 × copies × sums × parts]
  std::uint32_t* round;             ///< the last one of the solve before
};

/// The system A x = b in backend memory: values in the order of the layout, [stored entries], and vectors, [rows].
template <class Value, class Number = Real>
struct OnChipSystemOf {
  const Value* value;
  const Number *inverse_diagonal, *b;
  Number* x;
};

/// The arguments of a solve: the matrix, the system, and the place of its report in backend memory.
template <class Value, class Number>
struct OnChipSolve {
  const OnChipShape& shape;
  const OnChipView& view;
  const OnChipSystemOf<Value, Number>& system;
  CgReport* report;
};

/// The numbers by which a solve on this path decides from iteration to iteration. Its recurrences are those of
/// pipelined conjugate gradients (P. Ghysels, W. Vanroose, Parallel Computing 40, 2014, Algorithm 4): the three sums of
/// an iteration are of vectors known before its product, so that one exchange between the parts serves both.
/// With u = M⁻¹ r and w = A u:
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

  /// Begins with r = b, or again with r = b − A x of a better x.
  CARDIOWARP_HD void begin() { inverse_gamma = pq = 0; }

  /// Decides by the three sums of an iteration whether it makes a step; else the report says why the solve ends.
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

/// Whether a backend can run a solve of this shape on its device, for a matrix with these values and vectors of these
/// numbers. The general implementation says that none can; a GPU has its own of this and of launch_on_chip()
/// (on_chip_cg.cuh). A SizingBackend takes the plan's word, so that memory is counted.
template <class Value, class Number = Real, Backend B>
bool has_room_for(B&, const OnChipShape&) {
  static_assert(RunsGeneralCode<B>, "include solver/on_chip/on_chip_cg.cuh");
  return std::same_as<B, SizingBackend>;
}
template <Backend B, class Value, class Number>
void launch_on_chip(B&, const OnChipSolve<Value, Number>&, const CgConfig&, const Forcing*) {
  static_assert(RunsGeneralCode<B>, "include solver/on_chip/on_chip_cg.cuh");
  throw std::logic_error("a solve on the chip needs a GPU");
}

/// Solves systems with one matrix on the path `on_chip`, again and again with other numbers in the same place, and has
/// the memory that this takes beside them. The shape is for values of the type `Value` and vectors of the type
/// `Number`.
template <Backend B, class Value = Real, class Number = Real>
class OnChipCg {
 public:
  /// The system and `report` are in backend memory.
  OnChipCg(B& backend, const EllWarpLayout& layout, const MatrixParts& parts, const OnChipShape& shape,
           const OnChipSystemOf<Value, Number>& system, CgReport* report)
      : shape_(shape),
        system_(system),
        report_(report),
        rows_(layout.shape.rows()),
        slice_begin_(uploaded(backend, layout.shape.slice_begin)),
        local_column_(uploaded(backend, parts.local_column)),
        halo_begin_(uploaded(backend, parts.halo_begin)),
        halo_row_(uploaded(backend, parts.halo_row)),
        is_in_halo_(uploaded(backend, rows_in_halos(parts, rows_))),
        of_row_(backend.template allocate<Message>(2 * static_cast<std::size_t>(rows_))),
        sums_(backend.template allocate<Message>(2 * static_cast<std::size_t>(copies_of_on_chip_sums) * on_chip_sums *
                                                 shape_.parts)),
        round_(backend.template allocate<std::uint32_t>(1)) {}

  /// Solves from x = 0. The forcing term, where there is one, is in backend memory. One launch; nothing waits.
  void solve(B& backend, const CgConfig& config, const Forcing* forcing = nullptr) const {
    const OnChipView view{rows_,
                          shape_.rows_a_part,
                          shape_.longest_halo,
                          shape_.kept_entries,
                          slice_begin_.data(),
                          local_column_.data(),
                          halo_begin_.data(),
                          halo_row_.data(),
                          is_in_halo_.data(),
                          of_row_.data(),
                          sums_.data(),
                          round_.data()};
    launch_on_chip(backend, OnChipSolve<Value, Number>{shape_, view, system_, report_}, config, forcing);
  }

 private:
  OnChipShape shape_;
  OnChipSystemOf<Value, Number> system_;
  CgReport* report_;
  Index rows_;
  Buffer<std::int64_t> slice_begin_;
  Buffer<std::uint16_t> local_column_;
  Buffer<Index> halo_begin_, halo_row_;
  Buffer<std::uint32_t> is_in_halo_;
  Buffer<Message> of_row_, sums_;
  Buffer<std::uint32_t> round_;
};

}  // namespace cardiowarp
