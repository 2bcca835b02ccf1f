#pragma once
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace cardiowarp {

// The files of frames in an output folder, by their names: which are there, which have to be, and which go. VtkOutput
// asks before it writes the first frame of a run.

/// `frames/potential_NNNNNN.vtu`
std::string frame_name(std::size_t number);

/// What `frames` holds under the name of a frame or its temporary. Throws InputError where it cannot be read.
std::vector<std::filesystem::path> frame_files(const std::filesystem::path& frames);

/// The list of the frames, the maps and the frames of an earlier run. The list goes first: it never has a frame that is
/// not there.
void remove_earlier_run(const std::filesystem::path& directory);

/// Throws InputError that names the first of `count` frames that is not there.
void require_frames(const std::filesystem::path& directory, std::size_t count);

/// All frames but the first `count`, and temporaries.
void remove_frames_from(const std::filesystem::path& directory, std::size_t count);

}  // namespace cardiowarp
