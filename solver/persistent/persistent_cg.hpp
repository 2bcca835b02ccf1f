#pragma once
#include <concepts>
#include <cstdint>
#include <stdexcept>

#include "kernels/backend/backend.hpp"
#include "kernels/backend/loads.hpp"
#include "kernels/backend/sizing_backend.hpp"
#include "kernels/sparse/ell_warp_layout.hpp"
#include "solver/cg/conjugate_gradient.hpp"
#include "solver/parts/mail.hpp"
#include "solver/parts/parts_product.hpp"
#include "solver/persistent/persistent_shape.hpp"

namespace cardiowarp {

/// Numbers on their way between the blocks of a solve in one launch, in backend memory.
struct Mailbox {
  Mail* mail;            ///< [mails_of_persistent]
  std::uint32_t* round;  ///< of the last exchange
};

/// The vectors of a solve, [rows] each in backend memory: r is b before it and of no use after it.
struct PersistentVectors {
  Real *r, *x;
  CgDirections p;
  Real* q;
};

/// Whether a backend can run such a solve on its device. A backend that has the kernel overloads this and
/// launch_persistent() (solver/persistent/persistent_cg.cuh); one that only counts memory takes the plan's word.
template <Backend B>
bool has_room_for(B&, const PersistentShape&) {
  static_assert(RunsPlainText<B>, "include solver/persistent/persistent_cg.cuh");
  return std::same_as<B, SizingBackend>;
}
template <Backend B>
void launch_persistent(B&, const PersistentShape&, const PartsView&, Loads, const JacobiPreconditioner&,
                       const PersistentVectors&, const CgConfig&, const Forcing*, const Mailbox&, CgState*) {
  static_assert(RunsPlainText<B>, "include solver/persistent/persistent_cg.cuh");
  throw std::logic_error("a solve in one launch needs a GPU");
}

/// Conjugate gradients with Jacobi in one launch for a matrix in parts that is too large for the chip: a block stays on
/// each multiprocessor from the first iteration to the last and reads the matrix from memory in each.
template <Backend B>
class PersistentCg {
 public:
  /// `value` [stored entries], `r` and `x` [rows] in backend memory: r is b before a solve and of no use after it, x
  /// the solution; the report will be in `state`. All stay where they are for as long as this lives.
  PersistentCg(B& backend, const EllWarpLayout& layout, const MatrixParts& parts, const PersistentShape& shape,
               const Real* value, const JacobiPreconditioner& M, Real* r, Real* x, CgState* state)
      : shape_(shape),
        matrix_(backend, layout, parts, value),
        preconditioner_(M),
        r_(r),
        x_(x),
        state_(state),
        mail_(backend.template allocate<Mail>(mails_of_persistent)),
        round_(backend.template allocate<std::uint32_t>(1)) {
    for (Buffer<Real>* vector : {&p_, &other_p_, &q_})
      *vector = backend.template allocate<Real>(static_cast<std::size_t>(layout.shape.rows()));
  }

  /// Solves from x = 0 to the larger of the two tolerances, config's and that of the forcing term in backend memory,
  /// where there is one. One launch; nothing waits.
  void solve(B& backend, const CgConfig& config, const Forcing* forcing = nullptr) const {
    launch_persistent(backend, shape_, matrix_.view(), matrix_.loads(), preconditioner_,
                      PersistentVectors{r_, x_, {p_.data(), other_p_.data()}, q_.data()}, config, forcing,
                      Mailbox{mail_.data(), round_.data()}, state_);
  }

 private:
  PersistentShape shape_;
  PartsMatrix<B> matrix_;
  JacobiPreconditioner preconditioner_;
  Real *r_, *x_;
  CgState* state_;
  Buffer<Mail> mail_;
  Buffer<std::uint32_t> round_;
  Buffer<Real> p_, other_p_, q_;
};

}  // namespace cardiowarp
