#pragma once
#include "assembly/sparsity.hpp"
#include "kernels/csr.hpp"

namespace cardiowarp {

/// Assembly of K, −R and the Jacobi preconditioner from two numbers an element, row by row: what an element adds is the
/// same for all its entries (fem/reaction_element.hpp), and the diffusion part is constant. Each row is summed in
/// ascending element order without atomics: the same bits for any number of threads.
/// An element costs 4 incidences of 12 bytes and their gathers; an entry 12 bytes read and 8 written.
struct ScalarGather {
  CsrView diffusion;                      ///< constant part of K
  const Index* diagonal;                  ///< [rows] entry of the diagonal
  const Index* incidence_begin;           ///< [rows + 1]
  const Index* incident_element;          ///< [4 elements]
  const Sparsity::Slots* incident_slots;  ///< [4 elements]
  const Real* element_tangent;            ///< [elements]
  const Real* element_residual;           ///< [elements]
  const Real* phi;                        ///< [rows]
  Real* value;                            ///< [entries] out: K
  Real* negative_residual;                ///< [rows] out: −R
  Real* inverse_diagonal;                 ///< [rows] out

  CARDIOWARP_HD void operator()(Index row) const {
    // K_row = diffusion_row, R_row = diffusion_row · φ
    Real residual = 0;
    for (Index e = diffusion.row_begin[row]; e < diffusion.row_begin[row + 1]; ++e) {
      value[e] = diffusion.value[e];
      residual += diffusion.value[e] * phi[diffusion.column[e]];
    }
    // K_row += tangent_e, R_row += residual_e
    Real* row_value = value + diffusion.row_begin[row];
    for (Index k = incidence_begin[row]; k < incidence_begin[row + 1]; ++k) {
      const Index element = incident_element[k];
      const Real tangent = element_tangent[element];
      for (int i = 0; i < 4; ++i) row_value[incident_slots[k][i]] += tangent;
      residual += element_residual[element];
    }
    negative_residual[row] = -residual;
    inverse_diagonal[row] = 1 / value[diagonal[row]];
  }
};

}  // namespace cardiowarp
