#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "kernels/backend/types.hpp"

namespace cardiowarp {

class ExtracellularPotential;

/// The field `phi_e` of a frame under way. It is solved for when the frame is written, in the thread that writes it, so
/// that a run on a GPU goes on meanwhile. Without a solver there is no such field.
class ExtracellularField {
 public:
  /// Bytes a node of a solve.
  static constexpr std::size_t bytes_of_solve = 160;

  ExtracellularField(std::shared_ptr<ExtracellularPotential> solver, std::size_t nodes);

  bool empty() const { return solver_ == nullptr; }
  /// Solves for the frame `number` from its potential, [nodes] mV. Warns where the solve has not converged.
  void solve(std::span<const Real> potential_mv, std::size_t number);
  void solve(std::span<const float> potential_mv, std::size_t number);

  std::span<const Real> values() const { return values_; }  ///< [nodes] mV
  std::span<const float> singles();                         ///< the same in single precision

 private:
  std::shared_ptr<ExtracellularPotential> solver_;
  std::vector<Real> potential_, values_;
  std::vector<float> singles_;
};

}  // namespace cardiowarp
