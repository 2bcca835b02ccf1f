#pragma once
#include <cstdint>
#include <vector>

#include "assembly/assembly.hpp"
#include "assembly/global_matrix.hpp"
#include "assembly/reaction_elements.hpp"
#include "assembly/sparsity.hpp"
#include "fem/diffusivity.hpp"
#include "fem/element_nodes.hpp"
#include "kernels/backend/types.hpp"
#include "kernels/sparse/csr.hpp"

namespace cardiowarp {

struct Mesh;

// The assembly `row_gather`: K and −R are summed row by row, in compressed rows, from two numbers an element.
// choose_assembly() takes it on a CPU that has K in compressed rows, unless the user names another that is possible.
// The plan is made once for a mesh, on the host; ScalarRows does the sums of each Newton iteration.

/// Loop body over the rows of K in compressed rows. It adds up what ScalarGatherEntries does (scalar_gather.hpp), but
/// goes through the elements of a row, in ascending order, and adds the two numbers of each where they belong. A CPU
/// keeps a row in its cache and does this in half the time; on a GPU the additions would wait for each other. Bytes: an
/// element is read 4 times, as 12 (its number and its entries) and 16 (its numbers); an entry takes 20 to read and 8 to
/// write.
struct ScalarGatherRows {
  CsrView diffusion;                      ///< constant part of K
  const std::uint16_t* diagonal;          ///< [rows] which entry of its row is the diagonal
  const Index* incidence_begin;           ///< [rows + 1]
  const Index* incident_element;          ///< [4 elements]
  const Sparsity::Slots* incident_slots;  ///< [4 elements]
  const TangentResidual* adds;            ///< [elements]
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
      const TangentResidual of_element = adds[incident_element[k]];
      for (int i = 0; i < 4; ++i) row_value[incident_slots[k][i]] += of_element.tangent;
      residual += of_element.residual;
    }
    negative_residual[row] = -residual;
    inverse_diagonal[row] = 1 / row_value[diagonal[row]];
  }
};

/// The plan of ScalarRows beside the state, worked out once in a run in host memory.
struct ScalarRowsPlan {
  std::vector<Real> diffusion;          ///< [entries]
  std::vector<std::uint16_t> diagonal;  ///< [rows] which entry of its row
  std::vector<Real> volume;             ///< [elements] mm³

  /// The bytes that an assembly must move when adds and φ are read once.
  std::int64_t bytes() const;
};

ScalarRowsPlan scalar_rows_plan(const Mesh& mesh, const std::vector<Diffusivity>& diffusivity,
                                const Sparsity& sparsity);

/// The scalar gather row by row, for compressed rows.
template <Backend B, CellModel Cell>
class ScalarRows final : public Assembly<B> {
 public:
  ScalarRows(B& backend, const ScalarRowsPlan& plan, const Sparsity& sparsity,
             const std::vector<Tetrahedron>& tetrahedra, const std::vector<Cell>& cell_models,
             const std::vector<std::uint16_t>& cell_model)
      : elements_(backend, tetrahedra, plan.volume, cell_models, cell_model),
        rows_(sparsity.rows()),
        row_begin_(uploaded(backend, sparsity.row_begin)),
        column_(uploaded(backend, sparsity.column)),
        diffusion_(uploaded(backend, plan.diffusion)),
        diagonal_(uploaded(backend, plan.diagonal)),
        incidence_begin_(uploaded(backend, sparsity.incidence.begin)),
        incident_element_(uploaded(backend, sparsity.incidence.element)),
        incident_slots_(uploaded(backend, sparsity.incident_slots)) {}

  void evaluate_elements(B& backend, const ElementState& state) override { elements_.evaluate(backend, state); }

  void assemble(B& backend, GlobalMatrix<B>& K, const Real* phi, Real* negative_residual,
                Real* inverse_diagonal) override {
    backend.for_each(rows_, ScalarGatherRows{{rows_, row_begin_.data(), column_.data(), diffusion_.data()},
                                             diagonal_.data(),
                                             incidence_begin_.data(),
                                             incident_element_.data(),
                                             incident_slots_.data(),
                                             elements_.adds(),
                                             phi,
                                             K.value(),
                                             negative_residual,
                                             inverse_diagonal});
  }

 private:
  ElementLoop<B, Cell> elements_;
  Index rows_;
  Buffer<Index> row_begin_, column_;
  Buffer<Real> diffusion_;
  Buffer<std::uint16_t> diagonal_;
  Buffer<Index> incidence_begin_, incident_element_;
  Buffer<Sparsity::Slots> incident_slots_;
};

}  // namespace cardiowarp
