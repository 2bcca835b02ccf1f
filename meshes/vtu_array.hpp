#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "fem/vector3.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

/// An array of a `.vtu` file with the places that its values are for.
struct VtuValues {
  std::vector<Vector3> places;  ///< of nodes, or the middles of cells
  bool of_cells = false;
  int components = 1;
  std::vector<Real> values;  ///< [places × components]
};

/// The array with this name, among those of points before those of cells. The file is compared with itself before VTK
/// reads it. Throws InputError with the file and the reason, for another name with the nearest one.
VtuValues read_vtu_array(const std::filesystem::path& file, const std::string& name);

}  // namespace cardiowarp
