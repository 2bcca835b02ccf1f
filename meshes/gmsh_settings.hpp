#pragma once
#include "kernels/backend/types.hpp"
#include "meshes/gmsh_library.hpp"

namespace cardiowarp {

/// Settings that make the same mesh each time, in a GmshSession: one thread, and Delaunay. HXT takes a fifth of the
/// time but orders by memory address, so that its meshes differ from run to run.
inline void apply_gmsh_settings() {
  constexpr int delaunay = 1;
  gmsh::option::set_number("Mesh.Algorithm3D", delaunay);
  gmsh::option::set_number("General.NumThreads", 1);
}

/// Tetrahedra of mean edge about `edge_mm`. Gmsh's size is that of its surface triangles; its tetrahedra come out 1.2
/// to 1.4 times longer (measured on the heart and on boxes).
inline void set_gmsh_edge(Real edge_mm) {
  constexpr Real size_of_mean_edge = 0.77;
  gmsh::option::set_number("Mesh.MeshSizeMin", size_of_mean_edge * edge_mm);
  gmsh::option::set_number("Mesh.MeshSizeMax", size_of_mean_edge * edge_mm);
  gmsh::option::set_number("Mesh.MeshSizeExtendFromBoundary", 0);
}

}  // namespace cardiowarp
