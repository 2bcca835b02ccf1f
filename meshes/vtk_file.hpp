#pragma once
#include <filesystem>

#include "fem/mesh.hpp"

namespace cardiowarp {

/// Reads an unstructured grid, VTK XML (`.vtu`) or legacy (`.vtk`, ASCII and binary). Coordinates stay in the file's
/// unit. Tags come from the first cell array among `region`, `tag`, `gmsh:physical`, `medit:ref`, `elemTag`,
/// `CellEntityIds`, fibres from `fiber`, `fibre`, `fibers` or `fibres`, names from the field data that
/// `write_vtu_file` leaves. Triangles are surfaces; points and lines are passed over; other cells are an InputError.
Mesh read_vtk_file(const std::filesystem::path& file);

/// Writes `.vtu`, appended and zlib-compressed: tetrahedra, then triangles (with a zero `fiber`), cell arrays `region`
/// and, where the mesh has fibres, `fiber`; names in field data.
void write_vtu_file(const Mesh& mesh, const std::filesystem::path& file);

}  // namespace cardiowarp
