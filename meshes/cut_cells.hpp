#pragma once
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "fem/element_nodes.hpp"
#include "fem/vector3.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

// Cuts the cells of a file that are no tetrahedra: hexahedra, prisms and pyramids into tetrahedra, quadrangles into
// triangles. Two cells that share a quadrangle must cut it along the same diagonal. As in Dompierre, Labbé, Vallet and
// Camarero, "How to subdivide pyramids, prisms, and hexahedra into tetrahedra", 8th International Meshing Roundtable,
// 1999, that is the diagonal from the first of its four nodes in an order that all cells have in common. There it is
// the order of the numbers of nodes; here it is that of their places (x, then y, then z), and of numbers at one place.
// Pieces of a mesh that share no nodes but lie side by side are thus cut alike, and still fit when nodes are merged.
// A hexahedron gives five or six tetrahedra, a prism three, a pyramid two. The readers of mesh files use it.

/// Cuts cells whose corners are in the order of VTK: round one face, then round the opposite one likewise, each corner
/// above its own; of a pyramid the base, then the apex. Refers to the nodes that it was made of.
class CellCutter {
 public:
  explicit CellCutter(const std::vector<Vector3>& nodes) : nodes_(nodes) {}

  /// Adds the pieces of a hexahedron (8 corners), prism (6) or pyramid (5) to `tetrahedra` and returns how many they
  /// are. Pieces have the orientation of a cell that is not folded, whatever the sense of its corners. A cell that has
  /// a corner twice, such as a prism that is written as a hexahedron, has fewer pieces.
  std::size_t cut(std::span<const Index> corners, std::vector<Tetrahedron>& tetrahedra);

  /// Adds the pieces of a quadrangle, whose corners go round it, and returns how many they are.
  std::size_t cut(const std::array<Index, 4>& corners, std::vector<Triangle>& triangles);

  /// Whether some piece of the cell would have another orientation than the others.
  bool is_folded(std::span<const Index> corners);

  /// What users are told of the cells that were cut, a line each.
  std::vector<std::string> remarks() const;

 private:
  bool is_before(Index a, Index b) const;
  void add_triangles(std::span<const Index> face, std::vector<Triangle>& triangles) const;
  void make_pieces(std::span<const Index> corners);
  void cut_off(Index last);
  std::size_t negative_pieces() const;
  Real orientation(const Tetrahedron& nodes) const;

  const std::vector<Vector3>& nodes_;
  std::vector<Triangle> opposite_;   ///< the triangles of one cell that its first corner is joined with
  std::vector<Tetrahedron> pieces_;  ///< of one cell
  std::size_t hexahedra_ = 0, prisms_ = 0, pyramids_ = 0, tetrahedra_ = 0, quadrangles_ = 0, triangles_ = 0;
  std::size_t folded_ = 0;
};

}  // namespace cardiowarp
