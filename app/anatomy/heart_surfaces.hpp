#pragma once
#include <optional>
#include <string>
#include <vector>

#include "app/config/fiber_rule.hpp"
#include "fem/anatomy/boundary_faces.hpp"
#include "fem/anatomy/found_surfaces.hpp"
#include "fem/anatomy/heart_surface.hpp"
#include "fem/anatomy/ldrb.hpp"
#include "fem/element_nodes.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

struct Mesh;

// The surfaces of the heart in a mesh, as lists of nodes: what rules of fibers and coordinates prescribe values on. A
// surface is, in this order, what the configuration says, the surfaces of the mesh with a usual name (`endo_lv`,
// `LV_endocardium`, `epi`, ..), or, where the mesh names none of them, what geometry finds (fem/anatomy/
// found_surfaces.hpp). A base that has no name is the boundary beside the others.

/// Nodes of each surface, ascending. A node that lies in several is in one list: the endocardium of the left ventricle,
/// that of the right one, the epicardium, in this order; of apex and base the apex. An apex may be empty.
struct HeartSurfaces {
  OfSurface<std::vector<Index>> nodes;
  OfSurface<std::string> origin;       ///< how each was found, in words
  OfSurface<std::size_t> shared{};     ///< how many nodes an earlier surface has taken
  std::vector<Triangle> boundary;      ///< the faces of the mesh's boundary
  std::optional<FoundSurfaces> found;  ///< where geometry found them, which face is what

  HeartKind kind() const {
    return nodes[HeartSurface::endo_rv].empty() ? HeartKind::left_ventricle : HeartKind::two_ventricles;
  }
};

/// The names that the configuration gives to surfaces, and who asks for these, for messages.
struct SurfacesWanted {
  std::optional<OfSurface<SurfaceNames>> named = {};
  std::string place = {};               ///< where they are asked for
  std::string what = "rule";            ///< what goes by them
  std::string key = "fibers.surfaces";  ///< the key that can say which they are
};

/// The surfaces of a checked mesh. Throws InputError where the left endocardium, the epicardium or the base is missing,
/// where one of them is on no face of the boundary, and where a connected part of the mesh lacks one of them.
HeartSurfaces surfaces_of_heart(const Mesh& mesh, const SurfacesWanted& wanted);

/// The faces of the boundary whose corners are all in a surface.
std::vector<Triangle> faces_of(const Mesh& mesh, const HeartSurfaces& surfaces, HeartSurface surface);

/// Middle, area and mean normal, which leads out of the mesh, of faces_of().
FaceGeometry geometry_of(const Mesh& mesh, const HeartSurfaces& surfaces, HeartSurface surface);

/// A line for each surface: how many nodes it has and how it was found.
std::vector<std::string> in_words(const HeartSurfaces& surfaces);

}  // namespace cardiowarp
