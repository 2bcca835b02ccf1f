#pragma once
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "fem/mesh.hpp"
#include "meshes/mesh_file.hpp"
#include "tests/support/input_error_of.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/text_file.hpp"

namespace cardiowarp::test {

/// `text` with `to` in place of the first `from`, which it has to have.
inline std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

/// Mesh files that are written as text into a folder of their own, then read.
class MeshTextTest : public testing::Test {
 protected:
  Mesh read(const char* name, std::string_view text) const {
    write_text(directory / name, text);
    return read_mesh(directory / name);
  }
  /// The error of reading such a file, without the folder.
  std::string error(const char* name, std::string_view text) const {
    const std::string message = input_error_of([&] { read(name, text); }), folder = directory.path().string() + "/";
    return message.starts_with(folder) ? message.substr(folder.size()) : message;
  }

  TemporaryDirectory directory;
};

/// Two tetrahedra and a triangle as `.vtu`.
inline const std::string vtu = R"(<VTKFile type="UnstructuredGrid" version="0.1" byte_order="LittleEndian">
<UnstructuredGrid><Piece NumberOfPoints="5" NumberOfCells="3">
<CellData><DataArray type="Int32" Name="region" format="ascii">7 8 9</DataArray></CellData>
<Points><DataArray type="Float64" NumberOfComponents="3" format="ascii">0 0 0 1 0 0 0 1 0 0 0 1 2 2 2</DataArray></Points>
<Cells>
<DataArray type="Int64" Name="connectivity" format="ascii">0 1 2 3 1 2 3 4 0 1 2</DataArray>
<DataArray type="Int64" Name="offsets" format="ascii">4 8 11</DataArray>
<DataArray type="Int32" Name="types" format="ascii">10 10 5</DataArray>
</Cells></Piece></UnstructuredGrid></VTKFile>
)";

// Two tetrahedra and a line in VTK's legacy format.
inline const std::string vtk_head = "# vtk DataFile Version 3.0\nmesh\nASCII\nDATASET UNSTRUCTURED_GRID\n";
inline const std::string vtk_points = "POINTS 5 double\n0 0 0 1 0 0 0 1 0 0 0 1 2 2 2\n";
inline const std::string vtk_cells = "CELLS 3 13\n2 0 1\n4 0 1 2 3\n4 1 2 3 4\nCELL_TYPES 3\n3\n10\n10\n";
inline const std::string vtk_data = "CELL_DATA 3\nSCALARS region int\nLOOKUP_TABLE default\n1 2 3\n";
inline const std::string vtk = vtk_head + vtk_points + vtk_cells + vtk_data;

}  // namespace cardiowarp::test
