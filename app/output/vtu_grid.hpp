#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "app/checkpoint/file_mark.hpp"
#include "app/output/vtu_blocks.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

struct Diffusivity;
struct Mesh;

// Writes .vtu files that all hold one mesh with the fibers and regions of its elements: frames and maps. What they have
// in common, most of their bytes, is compressed when the first of them is written, and its blocks are kept: a later
// file costs its own values and one pass over the bytes that go to the disk. A file is
//
//     vtu_head.hpp's text | nodes, tetrahedra, fibers, regions | the arrays of this file | the end of the text
//
// with both arrays in blocks of vtu_blocks.hpp. Nodes, tetrahedra and tags are not copied.

/// Values under a name, one for each node or element, or three of a vector for each element, in either precision.
struct VtuArray {
  std::string name;
  std::variant<std::span<const Real>, std::span<const float>> values;
};

/// The arrays of one file.
struct VtuArrays {
  std::vector<VtuArray> of_points, of_cells;  ///< the first of the points is the active one
  std::optional<Real> time_ms = {};           ///< of a frame
};

class VtuGrid {
 public:
  /// `mesh` and `tissue`, [elements], of which the fibers are taken, outlive this and do not change.
  VtuGrid(const Mesh& mesh, std::span<const Diffusivity> tissue);
  ~VtuGrid();
  VtuGrid(const VtuGrid&) = delete;
  VtuGrid& operator=(const VtuGrid&) = delete;

  const Mesh& mesh() const;

  /// Writes `file` beside its name and renames it when complete: appended, compressed binary, nodes and elements in the
  /// mesh's order; cell arrays `fiber` (3 x Float32), `region` and, where some tissue does not conduct, `conducts`
  /// (Int32), the given arrays in their precision, and `TimeValue` [ms] where there is a time. The arrays are put
  /// together in `blocks`, whose memory a later file takes again. Several threads may write at once, with blocks of
  /// their own. Gives the mark of the file. Throws InputError with the file's name and the system's reason, and
  /// std::logic_error where a value is not finite.
  FileMark write(const std::filesystem::path& file, const VtuArrays& arrays, VtuBlocks& blocks);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace cardiowarp
