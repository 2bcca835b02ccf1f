#pragma once
#include <cstddef>
#include <filesystem>

#include "app/output/frame_layout.hpp"

namespace cardiowarp {

// The files of frames in an output folder: which are there, which have to be, and which go. A new run removes those of
// an earlier one whatever their format; a run that goes on keeps those of its own that its checkpoint knows. The
// Recorder asks before it writes the first frame of a run.

/// Throws InputError where a run could not replace what has the name of a frame, of a list of frames or of the maps in
/// `directory`, whatever its format.
void require_frames_replaceable(const std::filesystem::path& directory);

/// Makes `frames` in `directory`, and that, where they are not there. Throws InputError.
void create_frames_folder(const std::filesystem::path& directory);

/// The lists of the frames, the maps and the frames of an earlier run. The lists go first: they never have a frame that
/// is not there.
void remove_earlier_run(const std::filesystem::path& directory);

/// Throws InputError that names the first file of `count` frames that is not there.
void require_frames(const std::filesystem::path& directory, const FrameLayout& layout, std::size_t count);

/// All frames of any format but the first `count` of this one, and temporaries.
void remove_frames_from(const std::filesystem::path& directory, const FrameLayout& layout, std::size_t count);

}  // namespace cardiowarp
