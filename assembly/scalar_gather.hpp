#pragma once
#include <cstdint>

#include "assembly/sparsity.hpp"
#include "kernels/csr.hpp"

namespace cardiowarp {

/// Assembly of K, −R and the Jacobi preconditioner from two numbers an element, row by row and straight into the order
/// in which the matrix is stored (`View`: CsrView, EllWarpView): what an element adds is the same for all its entries
/// (fem/reaction_element.hpp), and the diffusion part is constant. Each row is summed in ascending element order
/// without atomics: the same bits for any number of threads. An element costs 4 incidences of 12 bytes and their
/// gathers; an entry 12 bytes read and 8 written.
template <class View>
struct ScalarGather {
  View diffusion;                         ///< constant part of K
  const std::uint16_t* diagonal;          ///< [rows] which entry of its row is the diagonal
  const Index* incidence_begin;           ///< [rows + 1]
  const Index* incident_element;          ///< [4 elements]
  const Sparsity::Slots* incident_slots;  ///< [4 elements]
  const Real* element_tangent;            ///< [elements]
  const Real* element_residual;           ///< [elements]
  const Real* phi;                        ///< [rows]
  Real* value;                            ///< [stored entries] out: K
  Real* negative_residual;                ///< [rows] out: −R
  Real* inverse_diagonal;                 ///< [rows] out

  CARDIOWARP_HD void operator()(Index row) const {
    // K_row = diffusion_row, R_row = diffusion_row · φ; padding is 0 in both
    const RowEntries entries = entries_of_row(diffusion, row);
    Real residual = 0;
    for (std::int64_t e = entries.begin; e < entries.end; e += entries.stride) {
      value[e] = diffusion.value[e];
      residual += diffusion.value[e] * phi[diffusion.column[e]];
    }
    // K_row += tangent_e, R_row += residual_e
    Real* row_value = value + entries.begin;
    for (Index k = incidence_begin[row]; k < incidence_begin[row + 1]; ++k) {
      const Index element = incident_element[k];
      const Real tangent = element_tangent[element];
      for (int i = 0; i < 4; ++i) row_value[incident_slots[k][i] * entries.stride] += tangent;
      residual += element_residual[element];
    }
    negative_residual[row] = -residual;
    inverse_diagonal[row] = 1 / row_value[diagonal[row] * entries.stride];
  }
};

}  // namespace cardiowarp
