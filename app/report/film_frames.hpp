#pragma once
#include <cstddef>
#include <filesystem>
#include <vector>

#include "app/output/listed_frames.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

/// The frames of a run in `folder` that have the potential, of either format, with their times; none where the run has
/// written no frames or has left the potential out of them. Throws InputError where their list cannot be read.
std::vector<ListedFrame> film_frames(const std::filesystem::path& folder);

/// [nodes] mV: the potential in such a frame. Throws InputError with the file where it cannot be read or is of another
/// mesh than one with so many nodes.
std::vector<Real> potential_in(const std::filesystem::path& frame, std::size_t nodes);

}  // namespace cardiowarp
