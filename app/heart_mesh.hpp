#pragma once
#include <filesystem>
#include <string>

#include "app/anatomy/heart_surfaces.hpp"
#include "fem/mesh.hpp"
#include "meshes/length_unit.hpp"

namespace cardiowarp {

// The mesh of a heart, as `cardiowarp mesh fibers` and `cardiowarp mesh coordinates` read it and write it again with
// what they have computed.

/// The unit that --length-unit names, or that of the file's format where it is empty. Throws InputError.
LengthUnit unit_of_heart(const std::string& word, const std::filesystem::path& mesh_file);

/// Throws InputError where `output` cannot be written, or is a file of the mesh.
void require_beside_mesh(const std::filesystem::path& output, const std::filesystem::path& mesh_file);

/// Reads and checks a mesh, and warns of its size. Throws InputError.
Mesh read_heart(const std::filesystem::path& mesh_file, LengthUnit unit);

/// Makes the surfaces that geometry has found triangles of the mesh, with names and numbers that are free.
void add_found_surfaces(const HeartSurfaces& surfaces, Mesh& mesh);

}  // namespace cardiowarp
