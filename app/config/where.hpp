#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <variant>

#include "fem/anatomy/heart_coordinates.hpp"
#include "fem/vector3.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

// Where something applies: one of these in YAML, coordinates of the heart, or both.
struct Box {
  Vector3 min, max;
};
struct Sphere {
  Vector3 center;
  Real radius_mm = 0;
};
struct Tag {
  std::string name;  ///< a number or the name of a volume or surface of the mesh
};
struct NodeFile {
  std::filesystem::path file;  ///< openCARP .vtx
};
struct Surface {
  std::string name;  ///< of a surface of the mesh, or its number
};
struct Everywhere {};  ///< where coordinates alone are given
struct Where {
  std::variant<Box, Sphere, Tag, NodeFile, Surface, Everywhere> region;
  std::string place;                                   ///< of `where`, for messages
  HeartRange within = {};                              ///< which part of `region`, by the coordinates of the heart
  std::shared_ptr<const HeartCoordinates> heart = {};  ///< of the mesh; null until it has been read, or `within` is all
};

}  // namespace cardiowarp
