#pragma once
#include <cstdint>
#include <vector>

#include "assembly/sparsity.hpp"
#include "fem/element_nodes.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

/// The integration points of the vertex rule: every element has one at each of its corners, with a quarter of its
/// volume. At a node these have the same potential, so those with the same cell are one point, with the sum of their
/// volumes: a node has one point for each kind of cell around it, most nodes one. Host memory, 10 bytes a point and
/// 4 a node.
struct VertexPoints {
  std::vector<Index> begin;               ///< [nodes + 1] node i has the points begin[i] .. begin[i + 1] − 1
  std::vector<std::uint16_t> cell_model;  ///< [points] as of the elements
  std::vector<Real> volume;               ///< [points] mm³

  Index points() const { return static_cast<Index>(cell_model.size()); }
};

/// `volume` and `cell_model` are [elements]. The points of a node are in the order in which their cells appear in the
/// list of elements.
VertexPoints vertex_points(const Incidence& incidence, const std::vector<Real>& volume,
                           const std::vector<std::uint16_t>& cell_model);

/// Values that elements have, [values × elements], at the points, [values × points]: the mean of the elements that make
/// up a point.
std::vector<Real> at_vertex_points(const VertexPoints& points, const Incidence& incidence,
                                   const std::vector<std::uint16_t>& cell_model, const std::vector<Real>& of_elements);

/// The point of each corner of each element, [elements].
std::vector<Tetrahedron> points_of_corners(const VertexPoints& points, const std::vector<Tetrahedron>& tetrahedra,
                                           const std::vector<std::uint16_t>& cell_model);

}  // namespace cardiowarp
