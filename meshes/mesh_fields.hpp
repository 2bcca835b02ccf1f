#pragma once
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "fem/vector3.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

struct Mesh;

/// Fields on a mesh that are written beside it. Each has a name and a value of each node or element of the mesh, which
/// the caller keeps meanwhile.
struct MeshFields {
  template <class Value>
  struct Field {
    std::string name;
    std::span<const Value> values;
  };
  std::vector<Field<Vector3>> of_elements;
  std::vector<Field<Real>> numbers_of_elements;
  std::vector<Field<Real>> of_nodes;
};

/// Writes a `.vtu` as write_vtu_file() does, with fields as cell and point arrays of doubles; values of triangles are
/// 0. The file appears complete or not at all. Throws InputError with its name where it cannot be written.
void write_mesh_with_fields(const Mesh& mesh, const MeshFields& fields, const std::filesystem::path& file);

}  // namespace cardiowarp
