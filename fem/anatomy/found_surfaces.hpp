#pragma once
#include <string>
#include <vector>

#include "fem/anatomy/heart_surface.hpp"
#include "fem/element_nodes.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

struct Mesh;

// The surfaces of a heart whose mesh does not name them, found by geometry. A ventricle that is cut off at its base has
// a flat ring there, which separates the outside from the cavities:
//
//      base  ____      ____      1. flat pieces of the surface are candidates for the base, the largest first
//           |    |    |    |     2. without the faces of a candidate's plane the rest falls into sheets
//       epi |    |endo|    |     3. the sheet whose normals lead away from the heart is the epicardium, the others
//            \    \__/    /         are endocardia, of which the left one is the rounder cavity
//             \__________/
//
// It is done on the host before a run, in a time that is proportional to the number of faces, and only for meshes
// without names. Hearts without a flat base are not found.

/// The surface to which each face of a boundary belongs, and how large the surfaces are.
struct FoundSurfaces {
  std::vector<HeartSurface> of_face;  ///< [faces]; empty where no heart was found
  OfSurface<Real> area_mm2{};         ///< 0 of a right endocardium where there is one ventricle, and of the apex
  std::string problem;                ///< why no heart was found; empty where one was
};

/// Looks for the surfaces among the faces of boundary_faces().
FoundSurfaces find_surfaces(const Mesh& mesh, const std::vector<Triangle>& faces);

}  // namespace cardiowarp
