#pragma once
#include <vector>

#include "fem/vector3.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

struct Mesh;

/// The line about which a rotating wave turns, from one end to the other: in a sheet its tip.
struct Filament {
  Vector3 middle;      ///< mean of its parts by their length, mm
  Real length_mm = 0;  ///< of all its parts
};

/// The filaments of waves at one time, by length from the longest on: connected lines on which both fields are zero.
/// Where `first` and `second` are the potential at two times less one level, that is where the front and the back of a
/// wave meet, as the level does not move there (F. Fenton and A. Karma, Chaos 8:20, 1998). Fields are [nodes] and
/// linear inside elements, of quadratic ones by their corners. Takes a pass over the elements, and memory for those on
/// a line.
std::vector<Filament> filaments(const Mesh& mesh, const std::vector<Real>& first, const std::vector<Real>& second);

}  // namespace cardiowarp
