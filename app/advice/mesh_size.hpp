#pragma once
#include <string>
#include <string_view>

#include "fem/components.hpp"
#include "fem/mesh_check.hpp"
#include "kernels/backend/types.hpp"
#include "meshes/mesh_file.hpp"

namespace cardiowarp {

struct Mesh;

// Judges whether a mesh has a sensible size, before much time is spent on it. load_mesh() and `cardiowarp mesh` warn of
// a mesh that may have been read in the wrong unit of length, and `cardiowarp mesh` refuses one that memory could not
// hold before it is made. A mesh may also have the size of a heart and consist of pieces that lie against each other
// and share no nodes: load_case() and `cardiowarp laplace` say that. The sentences are for users and name what to
// change.

/// A sentence about a mesh, read in `unit`, whose size is not that of heart tissue, with the units that would make it
/// so; `key` is the key or option that sets the unit. Empty for what may well be a heart or a piece of one: no side of
/// its box above 300 mm and no more than 2000 cm³; a longest side of 1 mm at least; and, unless it is a block that
/// fills its box to three quarters or is 20 mm long, at least 0.5 cm³, which the hearts of rats and larger animals have
/// and a human one that is in cm and read in mm has not. A mouse's heart is as small as that and gets the sentence,
/// too.
std::string size_warning(const MeshReport& report, LengthUnit unit, std::string_view key);

/// A sentence about a mesh of several connected parts where nodes of different parts lie at one place; empty of any
/// other.
std::string parts_warning(const Mesh& mesh, const Components& components, const MeshReport& report);

/// About how many tetrahedra with the mean edge `edge_mm` Gmsh fills a volume with.
Real estimated_tetrahedra(Real volume_mm3, Real edge_mm);

/// Who makes the tetrahedra: Gmsh, or the program itself (regular slabs and refined meshes).
enum class MeshMaker { gmsh, program };

/// The memory that `cardiowarp mesh` takes at its peak for each tetrahedron of a large mesh, in bytes, with the file
/// that is written of it: by its maker, its order, 1 or 2, and the suffix of the file, as a `.msh` file goes through
/// Gmsh and the others do not.
Real bytes_of_tetrahedron(MeshMaker maker, int order, std::string_view suffix);

/// The memory of this machine in bytes.
Real memory_bytes();

/// Judges a mesh before it is made, when only the estimated number of its tetrahedra is known. Throws InputError if an
/// Index cannot count them, or if at `bytes_each` they need more than `memory` bytes; the message names an edge that
/// would do, unless `edge_mm` is 0, which says that the user has no edge to choose. Returns a sentence with the number
/// and the memory if there are more than 10 million tetrahedra, else an empty text.
std::string judge_number_of_tetrahedra(std::string_view option, Real tetrahedra, Real edge_mm, Real bytes_each,
                                       Real memory);

}  // namespace cardiowarp
