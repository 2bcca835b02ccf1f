#pragma once
#include <filesystem>

namespace cardiowarp {

/// Whether write_mesh() to `written` would replace one of the files that read_mesh() reads of `read`: by the same name,
/// or by a link to the same file. Commands that make a mesh of another one ask it, so that no input is lost.
bool replaces_mesh(const std::filesystem::path& written, const std::filesystem::path& read);

}  // namespace cardiowarp
