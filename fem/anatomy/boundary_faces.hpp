#pragma once
#include <vector>

#include "fem/element_nodes.hpp"
#include "fem/vector3.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

struct Mesh;

/// The faces of the elements of a checked mesh that belong to one element only, so that together they are its surface.
/// Corners go round so that (b − a) × (c − a) leads out of the mesh. They come in ascending order of their smallest
/// node. While they are found they take 16 bytes for each of the four faces of an element.
std::vector<Triangle> boundary_faces(const Mesh& mesh);

/// The three faces beside each face of a surface, across the edges from corner 0 to 1, 1 to 2 and 2 to 0; −1 where
/// there is none. An edge with more than two faces joins them in pairs in their order.
std::vector<Triangle> neighbors_of_faces(const std::vector<Triangle>& faces);

/// Middle, area and outward normal of a triangle.
struct FaceGeometry {
  Vector3 center, normal;  ///< mm; of length 1
  Real area = 0;           ///< mm²
};

/// The geometry of a face with corners among the nodes of a mesh.
FaceGeometry face_geometry(const Mesh& mesh, const Triangle& face);

}  // namespace cardiowarp
