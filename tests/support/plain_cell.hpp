#pragma once
#include <array>
#include <limits>

#include "fem/cells/cell_model.hpp"

namespace cardiowarp {

/// A cell model without a product before a sum, so that two machines agree on its elements bit for bit.
struct PlainCell {
  static constexpr const char* name = "plain";
  static constexpr int states = 1;
  static constexpr Scaling scaling{0, 1, 1};
  static constexpr std::array<CellState, 1> state_table() { return {{{"r", "never changes", 0, any_number}}}; }
  static std::array<CellParameter<PlainCell>, 0> parameter_table() { return {}; }
  friend bool operator==(const PlainCell&, const PlainCell&) = default;

  CARDIOWARP_HD bool admissible(Real) const { return true; }
  Real lowest_phi() const { return -std::numeric_limits<Real>::infinity(); }
  CARDIOWARP_HD CellRates<1> rates(Real phi, const Real*) const { return {phi, phi, {0}, {0}, {0}, {{0}}}; }
  Real steepest_reaction() const { return 1; }
};

}  // namespace cardiowarp
