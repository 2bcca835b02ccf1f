#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "assembly/global_matrix.hpp"
#include "assembly/operators/operator_kind.hpp"
#include "assembly/sparsity.hpp"
#include "fem/diffusivity.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

struct Mesh;

/// The plan of an operator without a global matrix, beside the mesh, worked out once in a run in host memory: 16 bytes
/// an element, 40 if quadratic, and 8 a node, of `split` 8 more for each stored entry of the diffusion matrix.
struct OperatorPlan {
  OperatorKind kind = OperatorKind::local;  ///< neither automatic nor assembled
  Index nodes = 0, elements = 0;
  bool is_quadratic = false;
  bool has_points = false;        ///< whether linear elements have integration points of their own, at their centroids
  bool in_single = false;         ///< whether a solve has values in single precision
  std::vector<Index> prescribed;  ///< nodes, ascending, whose numbers a product leaves as they are
  std::vector<Index>
      incident;  ///< as Incidence::element: the element times its 4 or 10 nodes, plus the node's place there
  std::vector<Real> volume;     ///< [elements] what the points at the centroids have of it, mm³; where there are some
  std::vector<Real> diagonal;   ///< [nodes] of the diffusion term of K
  std::vector<Real> diffusion;  ///< [slots] of the layout, the diffusion term of K; of `split`

  /// The numbers of an element that a product reads: those of its matrix, or the tangents at its points.
  int numbers_an_element() const;
  /// The length of what GlobalMatrix::value() points to: the numbers of the elements, and of linear ones a number a
  /// node.
  std::int64_t values() const { return std::int64_t{elements} * numbers_an_element() + (is_quadratic ? 0 : nodes); }
};

/// The points at the centroids have `weight` of the volumes of their elements; 0: there are none.
OperatorPlan operator_plan(OperatorKind kind, const Mesh& mesh, const std::vector<Diffusivity>& diffusivity,
                           const Sparsity& sparsity, const MatrixLayout& layout, Real weight);

/// The plan of an operator on a quadratic mesh, whose points are those of its own rule.
OperatorPlan quadratic_operator_plan(OperatorKind kind, const Mesh& mesh, const std::vector<Diffusivity>& diffusivity,
                                     const Sparsity& sparsity, const MatrixLayout& layout);

}  // namespace cardiowarp
