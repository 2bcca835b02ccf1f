#pragma once
#include <cmath>

#include "kernels/backend/types.hpp"

namespace cardiowarp {

// Three coordinates with the few operations that the program needs of them, on the host and on a GPU. It is a plain
// value of 24 bytes, three doubles one after the other, so that arrays of it can be copied from and to files and GPUs
// as they are.

/// A point or direction in space; points are in mm.
struct Vector3 {
  Real x = 0, y = 0, z = 0;

  CARDIOWARP_HD friend Vector3 operator+(Vector3 a, Vector3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  CARDIOWARP_HD friend Vector3 operator-(Vector3 a, Vector3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  CARDIOWARP_HD friend Vector3 operator*(Real s, Vector3 a) { return {s * a.x, s * a.y, s * a.z}; }
  friend bool operator==(const Vector3&, const Vector3&) = default;
};

CARDIOWARP_HD inline Real dot(Vector3 a, Vector3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

CARDIOWARP_HD inline Vector3 cross(Vector3 a, Vector3 b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

CARDIOWARP_HD inline Real norm(Vector3 a) { return std::sqrt(dot(a, a)); }

}  // namespace cardiowarp
