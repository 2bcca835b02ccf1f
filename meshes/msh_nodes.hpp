#pragma once
#include <cstddef>

#include "meshes/msh_cursor.hpp"
#include "meshes/tagged_cells.hpp"

namespace cardiowarp {

// The section $Nodes of a `.msh` file: tags and places of the nodes. Versions 2 have a node after the other, also as
// $ParametricNodes, with an entity of the model and its parameters behind each place, which are passed over; 4.1 has
// blocks, each with all tags before all places, of which a whole binary block is copied at once. Memory is set aside
// for no more nodes than the rest of the file can hold. After read_2() or read_4() the nodes are in the order of their
// tags.

class MshNodes {
 public:
  explicit MshNodes(MshCursor& in) : in_(in) {}

  void read_2(bool with_parameters);  ///< of versions 2; the cursor is behind the name of the section
  void read_4();                      ///< of version 4.1

  TaggedNodes& nodes() { return nodes_; }

 private:
  bool copy_block(std::size_t size);
  void point();
  double coordinate();
  void parameters_2();
  void reserve(std::size_t declared);
  void sort();

  MshCursor& in_;
  TaggedNodes nodes_;
};

}  // namespace cardiowarp
