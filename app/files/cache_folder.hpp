#pragma once
#include <string>

namespace cardiowarp {

// The program keeps things for later runs, which saves them work, in folders that the system has for that. The states
// of `prepace`, the tolerances of `accuracy` and code for a GPU are there; a user may remove all of it at any time.

/// The folder `cardiowarp/NAME` in `$XDG_CACHE_HOME`, or in `~/.cache`; empty where neither $XDG_CACHE_HOME nor $HOME
/// is an absolute path. It need not exist.
std::string cache_folder(const std::string& name);

}  // namespace cardiowarp
