#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "assembly/vertex_points.hpp"
#include "fem/cells/ionic_model.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

struct Mesh;

// Ionic cells whose parameters an array of the mesh gives. Such a cell differs from node to node, while a tissue lists
// few kinds of cells (Tissue::cell_models). So each kind with arrays has a row of NodalCells, which says for each node
// which cell stands there in place of the kind: a copy of it with the parameters of the node. Nodes with the same
// parameters share a copy. An array that has more than 4096 different values, or fewer where the copies would be more
// than 60,000, is rounded to so many equal steps between its least and its largest value. Nothing else of a tissue
// knows: elements keep their kinds, and states their places. A node takes 2 bytes for each kind with arrays.

/// A parameter of a kind of cell that an array gives.
struct VariedParameter {
  std::size_t parameter = 0;  ///< of IonicModel::parameters()
  std::size_t values = 0;     ///< of Mesh::values
  bool scales = false;        ///< the values are factors
  std::string place = {};     ///< in the YAML text, for messages

  friend bool operator==(const VariedParameter&, const VariedParameter&) = default;
};

/// The cells at the nodes of a mesh.
struct NodalCells {
  std::vector<IonicCell> cells;                 ///< the kinds of the tissue, then the copies
  std::vector<std::vector<std::uint16_t>> row;  ///< [kinds][nodes] which of `cells`; empty where a kind has no arrays
  std::vector<std::string> remarks = {};        ///< on arrays that were rounded, for a user

  std::uint16_t cell(std::uint16_t kind, Index node) const {
    return row[kind].empty() ? kind : row[kind][static_cast<std::size_t>(node)];
  }
};

/// The cells of kinds with arrays; `varied` is [kinds], `kind_of_element` [elements]. A value of elements counts at a
/// node as the mean over the elements of the kind around it, weighted by their volumes. Throws InputError where a
/// parameter would be outside its range.
NodalCells nodal_cells(const Mesh& mesh, std::span<const IonicCell> kinds,
                       const std::vector<std::vector<VariedParameter>>& varied,
                       const std::vector<std::uint16_t>& kind_of_element);

/// The cells at some of the nodes, in this order.
NodalCells selected_cells(const NodalCells& whole, const std::vector<Index>& nodes);

/// The points of a tissue with nodal cells, whose `cell_model` then are of NodalCells::cells.
VertexPoints with_nodal_cells(VertexPoints points, const NodalCells& nodal);

}  // namespace cardiowarp
