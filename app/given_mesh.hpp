#pragma once
#include <filesystem>
#include <string>

#include "fem/mesh.hpp"
#include "meshes/length_unit.hpp"

namespace cardiowarp {

// The mesh that a command is given as a file, with --length-unit and --output: how it is read and checked, and what a
// user is told of it. `laplace` and the commands of `mesh` ask for these; a run has keys for them (app/start/load.hpp).

/// The help text of --length-unit, for a "mesh" or an "input".
std::string length_unit_help(const std::string& of);

/// The unit that --length-unit names, or that of the file's format where it is empty. Throws InputError.
LengthUnit given_length_unit(const std::string& word, const std::filesystem::path& mesh_file);

/// Throws InputError where `output` cannot be written, or is a file of the mesh.
void require_beside_mesh(const std::filesystem::path& output, const std::filesystem::path& mesh_file);

/// Whether a user is warned of a mesh in several parts that share no node.
enum class WarnsOfParts { no, yes };

/// Reads and checks a mesh, and warns of its size. Throws InputError.
Mesh read_given_mesh(const std::filesystem::path& mesh_file, LengthUnit unit, WarnsOfParts warns = WarnsOfParts::no);

}  // namespace cardiowarp
