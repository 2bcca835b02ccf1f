#pragma once
#include <cstddef>
#include <optional>
#include <vector>

#include "fem/element_nodes.hpp"
#include "fem/vector3.hpp"

namespace cardiowarp {

// Where a triangle surface cuts, touches or overlaps itself. Gmsh fails on such a surface, or crashes, and seldom says
// where; fill_surface() asks this once Gmsh has failed. Triangles are found by a tree of boxes (n log n for n
// triangles, 100 bytes each), and judged in double precision: what is nearer than rounding counts as touching.

/// Two triangles of a surface, by number, that share a point other than their common corners.
struct MeetingTriangles {
  std::size_t first, second;
  Vector3 place;  ///< a point of both
};

/// All that was found, and the first of them by the numbers of the triangles.
struct SelfIntersection {
  MeetingTriangles example;
  std::size_t pairs = 0;  ///< 1000 where there are as many or more
};

inline constexpr std::size_t most_pairs_counted = 1000;

/// Nothing where no two triangles meet but in common corners and edges. Triangles without area are left out.
std::optional<SelfIntersection> self_intersection(const std::vector<Vector3>& nodes,
                                                  const std::vector<Triangle>& triangles);

/// Whether the corners of a triangle are on one line, up to rounding.
bool has_no_area(Vector3 a, Vector3 b, Vector3 c);

}  // namespace cardiowarp
