#pragma once
#include <filesystem>
#include <vector>

#include "kernels/backend/types.hpp"

namespace cardiowarp {

/// A frame of a run with its time.
struct ListedFrame {
  Real time_ms;
  std::filesystem::path file;
};

/// The frames that a `.pvd` lists. Throws InputError where it cannot be read or lists none.
std::vector<ListedFrame> frames_listed_in(const std::filesystem::path& list);

}  // namespace cardiowarp
