#pragma once
#include <cstddef>
#include <optional>
#include <vector>

#include "fem/anatomy/axes.hpp"

namespace cardiowarp {

struct Mesh;

/// The mean of some axes, whose fibers and sheets count the same with either sign; absent where it has no direction.
std::optional<Axes> mean_of(const std::vector<const Axes*>& some);

/// Gives each element without axes the mean of the elements that share a node with it, and goes on until all have some.
/// `axes` are those of the elements. Returns the first element that gets none because nothing that is connected to it
/// has any; absent where all have some. Takes a pass over the mesh for each layer of elements without axes.
std::optional<std::size_t> fill_from_neighbors(const Mesh& mesh, std::vector<std::optional<Axes>>& axes);

}  // namespace cardiowarp
