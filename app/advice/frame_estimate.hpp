#pragma once
#include <filesystem>
#include <string>

#include "kernels/backend/types.hpp"

namespace cardiowarp {

struct Config;
struct Mesh;

// Estimates what the frames of a run will take on the disk and in time to write, before anything is computed. It
// reckons with bytes for each node, each element and each value that were measured on two hearts, so that it is rough.
// `check` prints the estimate, and load_case() warns where it is large or the disk has no room for it.

/// The estimated number, bytes and time of the frames of a run.
struct FrameEstimate {
  Real frames = 0;
  Real bytes = 0;    ///< of all
  Real seconds = 0;  ///< to write all by one thread
};
FrameEstimate estimate_frames(const Config& config, const Mesh& mesh);

/// "101 frames, about 0.12 GB".
std::string describe(const FrameEstimate& estimate);

/// A sentence for more than 20,000 frames, or more than 20 GB, or more than `free_bytes`, the room left on their disk.
/// Empty for less.
std::string frame_warning(const FrameEstimate& estimate, Real free_bytes);

/// The bytes that are free on the disk of a folder, which need not be there yet; infinite if that cannot be told.
Real free_bytes(const std::filesystem::path& folder);

}  // namespace cardiowarp
