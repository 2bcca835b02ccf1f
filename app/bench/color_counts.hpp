#pragma once
#include <string>
#include <vector>

#include "app/measure/table.hpp"
#include "fem/mesh.hpp"

namespace cardiowarp {

// `cardiowarp bench assembly --colors FILE` counts colors and measures nothing: how many colors the elements of a
// mesh need by the greedy rule of greedy_colors() (assembly/papers/element_scatter.hpp), which takes the elements one
// after the other, in several orders of the elements. Each color of `elem_color` is a launch, and one with few
// elements leaves most of a GPU idle (Cecka, Lew and Darve 2011, "paper 004", sec. 4.1.1 and Fig. 3). The counts of
// `two_level_color` (Reguly and Giles 2013, "paper 003", sec. 4.1) stand beside them. The numbers depend on the mesh
// alone.

/// The elements of a mesh in one order. In host memory, 4 bytes an element.
struct ElementOrder {
  std::string name;            ///< mesh, hilbert, random, most_neighbors_first
  std::vector<Index> element;  ///< [elements] the element at each place
};

/// The orders that are counted: as in the mesh, along a Hilbert curve through the centroids as in a run, shuffled with
/// a fixed seed, and by the sum of the numbers of elements at the four corners, the largest first.
std::vector<ElementOrder> element_orders(const Mesh& mesh);

/// The columns of the table, without rows. For `elem_color` there are the number of colors, the elements of the
/// smallest color and how many colors have fewer than 1024; for `two_level_color` the number of colors of blocks,
/// the mean and the largest number of colors inside a block and the mean number of nodes of a block. `most_at_a_node`
/// is the largest number of elements at one node: no coloring of elements has fewer colors.
Table color_table();

/// Adds a row for each order of the elements of a checked mesh. Throws InputError where a node has too many elements
/// for a coloring, as greedy_colors() does.
void add_colors(Table& table, const std::string& name, const Mesh& mesh);

}  // namespace cardiowarp
