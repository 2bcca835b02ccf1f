#pragma once
#include <filesystem>
#include <span>
#include <string>

#include "fem/vector3.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

struct Mesh;

/// Writes a `.vtu` with the tetrahedra of a mesh, their `region`, a point array `name` of `value` [nodes] and a cell
/// array `gradient` of `gradient` [elements], all Float64. The file appears complete or not at all. Throws InputError
/// with its name where it cannot be written.
void write_field(const std::filesystem::path& file, const Mesh& mesh, const std::string& name,
                 std::span<const Real> value, std::span<const Vector3> gradient);

}  // namespace cardiowarp
