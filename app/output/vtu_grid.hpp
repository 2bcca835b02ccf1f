#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fem/diffusivity.hpp"
#include "fem/mesh.hpp"

namespace cardiowarp {

// Writes .vtu files that all hold one mesh with the fibres and regions of its elements: frames and maps. Nodes,
// tetrahedra and tags are not copied; offsets of cells and single fibres, 4 and 12 bytes an element, are made when the
// first file is written and then kept. What zlib makes of the mesh is kept, too (remembering_compressor.hpp).

/// Values under a name, one for each node or element, or three of a vector for each element.
struct VtuArray {
  std::string name;
  std::span<const Real> values;
};

/// What compressing a file has to do with other files of the same mesh.
enum class MeshBlocks {
  learned,  ///< kept for later ones; no other file is written at the same time
  known,    ///< taken from a file that has been written
  own       ///< neither
};

class VtuGrid {
 public:
  /// `mesh` and `tissue`, [elements], of which the fibres are taken, outlive this and do not change.
  VtuGrid(const Mesh& mesh, std::span<const Diffusivity> tissue);
  ~VtuGrid();
  VtuGrid(const VtuGrid&) = delete;
  VtuGrid& operator=(const VtuGrid&) = delete;

  const Mesh& mesh() const;
  /// Makes now what is kept for all files.
  void prepare();

  /// Writes `file` beside its name and renames it when complete: appended, compressed binary, nodes and elements in the
  /// mesh's order; cell arrays `fiber` (3 x Float32) and `region` (Int32), the given arrays (Float64), of which the
  /// first point array is the active one, and `TimeValue` [ms] where there is a time. Several threads may write at
  /// once. Throws InputError with the file's name and the system's reason, and std::logic_error where a value is not
  /// finite.
  void write(const std::filesystem::path& file, const std::vector<VtuArray>& of_points,
             const std::vector<VtuArray>& of_cells, std::optional<Real> time_ms, MeshBlocks blocks);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace cardiowarp
