#pragma once
#include <filesystem>
#include <string>

namespace cardiowarp {

struct Mesh;
struct MeshConfig;

// Messages about the arrays of a mesh file. A file of VTK may hold any arrays, and `mesh.tags` and `fibers.array` say
// which of them are the tags and the fibers. load_mesh() requires the arrays that were named; the errors of tags and
// fibers that are missing end with what the file has instead. All of it goes by the names in Mesh::arrays.

/// Throws InputError where the mesh file has no array that `mesh.tags`, `fibers.array` or a parameter names, with those
/// it has and the nearest one.
void require_chosen_arrays(const MeshConfig& config, const Mesh& mesh);

/// A hint for the error of a tag that no element has: the arrays of the file that may hold tags; empty where there are
/// none.
std::string where_tags_may_be(const Mesh& mesh);

/// A hint for a mesh that has no fibers: what is looked for and the arrays of three components in the file.
std::string where_fibers_are_expected(const Mesh& mesh, const std::filesystem::path& file);

}  // namespace cardiowarp
