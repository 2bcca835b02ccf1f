#pragma once
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "assembly/assembly.hpp"
#include "assembly/global_matrix.hpp"
#include "assembly/quadratic_elements.hpp"
#include "assembly/spmv_assembly.hpp"

namespace cardiowarp {

// The assembly `spmv_k1`, .. of quadratic tetrahedra: what spmv_assembly.hpp has for linear ones, with the same sums.
// Each element writes the 100 numbers of its whole matrix, diffusion among them, and 10 of its residual, to where a
// product of an ELL-WARP matrix with ones reads them. An element takes 110 × 12 bytes of backend memory for its numbers
// and their slots, and the padding of the rows; as many are written at random, and 110 × 8 are read again in a row.

/// Loop body over the elements: puts each number where `contributions` has its place.
template <class View>
struct StoreContributions {
  static constexpr int threads_that_share = 128;
  View elements;
  SlottedContributionsOf<View::nodes> contributions;

  CARDIOWARP_HD void operator()(Index element) const {
    const auto numbers = elements.numbers(element, true);
    for (int i = 0; i < View::nodes; ++i) {
      for (int j = 0; j < View::nodes; ++j) contributions.entry(element, i, j) = numbers.entry(i, j);
      contributions.node(element, i) = -numbers.residual(i);
    }
  }
};

/// SpMV as assembly of quadratic elements.
template <Backend B>
class QuadraticSpmvAssembly final : public Assembly<B> {
 public:
  /// `points` is made by quadratic_point_loop().
  QuadraticSpmvAssembly(B& backend, const SpmvAssemblyPlan& plan, std::unique_ptr<QuadraticPointLoop<B>> points,
                        const Mesh& mesh, const std::vector<Diffusivity>& diffusivity)
      : points_(std::move(points)),
        geometry_(backend, true, mesh, diffusivity),
        sums_(backend, plan),
        diagonal_slot_(uploaded(backend, plan.diagonal_slot)) {}

  void evaluate_elements(B& backend, const ElementState& state) override {
    points_->evaluate(backend, state);
    backend.for_each(points_->elements(),
                     StoreContributions<QuadraticElementsView<true>>{{geometry_.at(points_->view(), state.phi)},
                                                                     sums_.contributions(points_->elements())});
  }

  void assemble(B& backend, GlobalMatrix<B>& K, const Real* /*phi*/, Real* negative_residual,
                Real* inverse_diagonal) override {
    sums_.sum(backend, K.value(), negative_residual);
    backend.for_each(static_cast<Index>(diagonal_slot_.size()),
                     InvertDiagonal{diagonal_slot_.data(), K.value(), inverse_diagonal});
  }

 private:
  std::unique_ptr<QuadraticPointLoop<B>> points_;
  QuadraticGeneralArrays<B> geometry_;
  EllWarpSums<B, quadratic_nodes> sums_;
  Buffer<Index> diagonal_slot_;
};

}  // namespace cardiowarp
