#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "app/checkpoint/checkpoint_file.hpp"

namespace cardiowarp {

// The checkpoints of a run, `checkpoints/step_NNNNNNNNNNNN.checkpoint` in its output folder, each named by the number
// of steps that were done. A new one is complete before an old one is removed, so that there is always one to go on
// from.

/// Writes the checkpoint of a run that has done `steps` steps, then removes all but the newest `keep`, and those of
/// later steps, which no run comes from, as far as they can be removed. Throws InputError where it cannot be written;
/// the older ones then stay.
void write_checkpoint(const std::filesystem::path& output, std::int64_t steps, int keep,
                      const CheckpointSections& sections);

/// A checkpoint that was read.
struct FoundCheckpoint {
  std::filesystem::path file;
  CheckpointSections sections;
  std::string unusable = {};  ///< why nothing can go on from it, where that is so of all that are whole
};

/// Why nothing can go on from a checkpoint that is whole; empty where it can.
using WhyUnusable = std::function<std::string(const FoundCheckpoint&)>;

/// The newest that is whole and not unusable; those that are passed over are warned of. Where all that are whole are
/// unusable, the newest of them with the reason, of which nothing is said here. Throws InputError, which begins with
/// `option`, where none is whole.
FoundCheckpoint newest_checkpoint(const std::filesystem::path& output, const char* option = "--resume",
                                  const WhyUnusable& why_unusable = {});

/// All of them, for a run from the start.
void remove_checkpoints(const std::filesystem::path& output);

/// Complete or damaged, the newest first.
std::vector<std::filesystem::path> checkpoints_in(const std::filesystem::path& output);

}  // namespace cardiowarp
